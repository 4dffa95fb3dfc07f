"""A prompt brings up what answers it, and nothing otherwise: judged on forty prompts and on sixty
ordinary ones.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import NOW
from measured import keep
from prompts import IN_PROJECTS, JUDGED, ORDINARY, ORDINARY_IN_PROJECTS

from brain_cli.plugins.agents.typed import asked

if TYPE_CHECKING:
    from conftest import Vault

LEAST_PRINTED, LEAST_ANSWERED, MOST_ORDINARY, MOST_CHARS = 36, 36, 2, 1_600


def hook(vault: Vault, prompt: str, *options: object, session: str = "", **more: str) -> str:
    payload = {
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
        "session_id": session,
        **more,
    }
    payload |= {"cwd": str(vault.brain.home)}
    asked = ("context", "--hook", "--profile", "speed", "--vault", vault.folder, *options)
    answer = vault.brain(*asked, stdin=json.dumps(payload), env={"BRAIN_NOW": NOW})
    assert (answer.code, answer.err) == (0, "")
    return answer.out


@pytest.mark.exhaustive
def test_prompts_are_answered_and_ordinary_ones_are_not_interrupted(sample: Vault) -> None:
    printed = answered = longest = 0
    missed = []
    for prompt, wanted in JUDGED:
        text = hook(sample, prompt)
        longest = max(longest, len(text))
        printed += bool(text)
        has_answer = any(f" {path}.md:" in text for path in wanted)
        answered += has_answer
        missed += [] if has_answer else [prompt]
    interrupted = [prompt for prompt in ORDINARY if hook(sample, prompt)]
    print(f"printed {printed}, answered {answered}, missed {missed}, interrupted {interrupted}")
    if os.environ.get("UPDATE"):
        figures = [
            ("something is printed, of 40", f"≥ {LEAST_PRINTED}", printed),
            ("a note that answers is among it, of 40", f"≥ {LEAST_ANSWERED}", answered),
            (
                "silent on ordinary prompts, of 60",
                f"≥ {60 - MOST_ORDINARY}",
                60 - len(interrupted),
            ),
            ("characters printed, at most", f"{MOST_CHARS:,}", longest),
        ]
        rows = [dict(zip(("what", "bar", "now"), row, strict=True)) for row in figures]
        keep("prompts", "UPDATE=1 python -m pytest tests/plugins/agents/test_prompts.py", rows)
    assert (len(JUDGED), len(ORDINARY)) == (40, 60)
    assert longest <= MOST_CHARS
    assert printed >= LEAST_PRINTED
    assert answered >= LEAST_ANSWERED, missed
    assert len(interrupted) <= MOST_ORDINARY, interrupted


@pytest.fixture
def five(vault: Vault) -> Vault:
    """The notes of five projects, each of which has a repository."""
    for line in Path(__file__).with_name("five_projects.tsv").read_text("utf-8").splitlines():
        project, kind, title, text = line.split("\t")
        name = re.sub(r"\W+", "-", title.lower())
        head = {"type": kind, "project": project, "date": f"2026-07-0{1 + len(title) % 9}"}
        vault.note(f"{project}/{name}.md", f"# {title}\n\n{text}\n", **head)
        (vault.folder.parent / project / ".git").mkdir(parents=True, exist_ok=True)
    (vault.folder.parent / "stranger" / ".git").mkdir(parents=True)
    return vault


def hook_in(vault: Vault, project: str, prompt: str, *options: str) -> str:
    folder = vault.folder.parent / project
    payload = {"hook_event_name": "UserPromptSubmit", "prompt": prompt, "session_id": ""}
    answer = vault.brain(
        *("context", "--hook", "--profile", "speed", "--vault", vault.folder, *options),
        stdin=json.dumps({**payload, "cwd": str(folder)}),
        cwd=folder,
        env={"BRAIN_NOW": "2026-07-15T10:00:00Z"},
    )
    assert (answer.code, answer.err) == (0, "")
    return answer.out


def test_ordinary_prompts_bring_up_nothing_of_five_projects(five: Vault) -> None:
    for project in ("ledger", "stranger"):
        spoken = [each for each in ORDINARY_IN_PROJECTS if hook_in(five, project, each)]
        assert len(spoken) <= len(ORDINARY_IN_PROJECTS) // 30, spoken


def test_prompts_about_a_project_or_naming_another_one_are_answered(five: Vault) -> None:
    missed = [
        (project, prompt)
        for project, prompt, wanted in IN_PROJECTS
        if wanted not in hook_in(five, project, prompt)
    ]
    assert len(missed) <= 2, missed


@pytest.mark.parametrize("scorer", ["claude-mem", "clawmem", "clawdbot", "brain"])
def test_a_published_formula_has_the_threshold_of_its_publication(
    five: Vault, scorer: str
) -> None:
    options = ("--scorer", scorer)
    for project in ("ledger", "storefront"):
        prompt = "idempotency token lost on retry"
        assert "double-booking" in hook_in(five, project, prompt, *options)
        assert hook_in(five, project, "add a docstring to the function", *options) == ""


def test_notes_about_people_stay_in_their_project(five: Vault) -> None:
    asked = "what does Jonas Weber of the north site do?"
    assert "Electrician" in hook_in(five, "telemetry", asked)
    assert hook_in(five, "ledger", asked) == ""
    assert hook_in(five, "stranger", asked) == ""


WRAPPINGS = [
    "[Image #1] {}",
    "{} [Image #1]",
    "[Pasted text #1 +12 lines] {}",
    "@src/app.ts {}",
    "<ide_opened_file>The user opened /w/a.ts in the IDE.</ide_opened_file> {}",
    "<ide_selection>The user selected the lines 1 to 3: foo</ide_selection>\n{}",
    "<system-reminder>As you answer, use these</system-reminder>\n{}",
    "<hook_context>- **Replay a dead letter queue** (how-to)\n  > By error.</hook_context>\n{}",
    "<editorContext>a.ts is open</editorContext><userRequest>{}</userRequest>",
    "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\n{}",
    "{}\n--- Content from referenced files ---\nContent from a.ts:\nfoo\n--- End of content ---",
    "Hi Claude, could you please tell me: {}",
    "1. {} thanks a lot",
    "/review {}",
    "Human: {}",
    '"{}"',
    "{}\n\n```\nTraceback (most recent call last): File x, line 3, in y\nKeyError: foo\n```",
    "<task>\n{}\n</task>\n<environment_details>\n# VSCode Visible Files\nsrc/a.ts\n\n# Current Time\n11/28/2026, 8:00 AM\n</environment_details>",
    "<user_message>\n{}\n</user_message>",
    '<attached_files>\n<code_selection path="a.ts" lines="1-3">\nfoo\n</code_selection>\n</attached_files>\n<user_query>\n{}\n</user_query>',
    "<additional_data>\nBelow are some potentially helpful pieces of information.\n<current_file>\nPath: a.ts\n</current_file>\n</additional_data>\n\n{}",
    "[Selected text from src/app.ts:12-18]\n> const a = 1\n\n{}",
    "{}\n\n[Attachment: screenshot-2026.png]",
    "#file:src/app.ts @workspace {}",
    "<@U024BE7LH> {}",
    "{}\n\n--\nSent from my iPhone",
    "ultrathink. {}",
    "{}\n\n<image_files>\n[image: /tmp/a.png]\n</image_files>",
    "## Context\n\nCurrent file: a.ts\n\n## Question\n\n{}",
    "Q: {}",
    "think hard: {}",
    '<context ref="file:///w/a.ts">\nfoo\n</context>\n{}',
    "{} (answer in one sentence)",
    "{} (see screenshot) ![image](data:image/png;base64,AAAA)",
    "*Ann* 10:32 AM\n{}",
    "{}\n\n# Attached Files\n```/w/a.ts\nconst kafka = 1\n```",
    "um, so, {}",
]
# What clients and people put around a prompt, which is left out before it is asked.
AROUND = [
    "<issue_description>\n{}\n</issue_description>",
    "<feedback>\n{}\n</feedback>",
    "<ide_diagnostics>a.ts: x is unused</ide_diagnostics>\n{}",
    "<task-notification>\n<status>completed</status>\n</task-notification>\n{}",
    "{}\n\n<!-- reviewed -->",
    "{}\n\nhttps://github.com/acme/shop/issues/12",
    "https://github.com/acme/shop/issues/12 {}",
    "@src/app.ts:10-20 {}",
    "{} - keep it short",
    "{} pls answer in german",
    "{} ultrathink",
    "sorry, {}",
    "btw {}",
    "one more thing: {}",
    "quick q: {}",
    "Guten Morgen! {}",
    "übrigens, {} bitte kurz",
    "au fait, {}, merci",
    "por favor, {} gracias",
    "{}, ok?",
]
# Places in files that a person names, and those that a program printed.
PLACES = {
    "in src/pay.ts:42 we retry twice, why?": "in src/pay.ts:42 we retry twice, why?",
    "why does src/a.ts:14 fail?": "why does src/a.ts:14 fail?",
    "see app/x.py:3 and fix it": "see app/x.py:3 and fix it",
    "src/a.ts:14: const x = 1\nwhat is that": "what is that",
    "error at a.ts:3:5": "",
    "tests/test_a.py:14: AssertionError": "",
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_what_a_client_puts_around_a_prompt_is_not_asked(sample: Vault, wrapping: str) -> None:
    for prompt, wanted in (JUDGED[0], JUDGED[4], JUDGED[14]):
        text = hook(sample, wrapping.format(prompt))
        assert any(f" {path}.md:" in text for path in wanted), prompt
    assert hook(sample, wrapping.format("run the tests")) == ""


@pytest.mark.parametrize("around", AROUND)
def test_what_stands_around_a_prompt_is_left_out(around: str) -> None:
    prompt = "why did we move the internal APIs to gRPC"
    assert asked(around.format(prompt)) == prompt


@pytest.mark.parametrize("typed", PLACES)
def test_a_place_in_a_file_may_be_typed(typed: str) -> None:
    assert asked(typed) == PLACES[typed]


def test_links_and_joint_recalls_rescue_no_note_at_a_prompt(vault: Vault) -> None:
    vault.note("a.md", "# Hydraulic pump leaks\n\nThe hydraulic pump leaks oil. [[b]]\n")
    vault.note("b.md", "# Oil\n\nPumps want oil of the kind 46 [[a]].\n")
    for number in range(9):
        vault.note(f"n{number}.md", f"# Topic {number}\n\nThe printer of floor {number}.\n")
    before = hook(vault, "why does the hydraulic pump leak oil?")
    assert "a.md" in before
    for number in range(3):
        vault.remember("hydraulic pump oil kind 46", "--now", f"2026-09-0{number + 1}")
    assert hook(vault, "why does the hydraulic pump leak oil?") == before


@pytest.mark.parametrize(
    "prompt",
    ["newest kafka note", "what changed in kafka lately", "last time we talked about kafka"],
)
def test_a_prompt_for_what_is_new_brings_up_the_newest(sample: Vault, prompt: str) -> None:
    assert "kafka" in hook(sample, prompt).casefold()


def test_a_session_is_not_shown_its_own_notes_until_it_was_compacted(vault: Vault) -> None:
    text = "# Handoff: limit the replay of dead letters\n\n## Decided\n\n- Never replay over 500.\n"
    vault.note("handoff/mine.md", text, type="handoff", session="mine", date="2026-11-20")
    prompt = "what is the limit of the replay of dead letters?"
    assert hook(vault, prompt, session="mine") == ""
    assert "Never replay" in hook(vault, prompt, session="other")
    start = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "mine"}
    vault.brain("context", "--hook", "--vault", vault.folder, stdin=json.dumps(start))
    assert "Never replay" in hook(vault, prompt, session="mine")


def test_a_word_of_time_beside_other_words_asks_for_no_notes_of_that_time(vault: Vault) -> None:
    vault.note(
        "disk.md", "# Disk full\n\nThe log filled it.\n", date="2026-11-25", project="app"
    )
    vault.note(
        "handoff/one.md",
        "# Handoff\n\n## Left open\n\n- The mail.\n",
        date="2026-11-24",
        project="shop",
    )
    for prompt in (
        "commit this and go home for yesterday",
        "CI is red since yesterday, look into it",
        "but not today",
    ):
        assert hook(vault, prompt, "--now", "2026-11-26", "--project", "shop") == ""
    resumed = hook(
        vault, "where did we leave off yesterday?", "--now", "2026-11-26", "--project", "shop"
    )
    assert "> Left open: The mail." in resumed
    assert "Disk full" not in resumed


def test_a_handoff_is_not_quoted_by_its_request(vault: Vault) -> None:
    text = (
        "# Handoff: retry the payment webhook\n\n## Asked\n\n- retry the payment webhook, always\n\n"
        "## Decided\n\n- Five attempts.\n"
    )
    vault.note("handoff/one.md", text)
    assert hook(vault, "retry the payment webhook").splitlines()[3:-1] == [
        "  > Decided: Five attempts."
    ]


def test_a_corrected_word_brings_up_nothing(vault: Vault) -> None:
    vault.note("pump.md", "# Hydraulic pump\n\nIt leaks.\n")
    assert "pump.md" in hook(vault, "hydraulic pump leaks")
    assert hook(vault, "hydraulyc pumpe") == ""


def test_nothing_is_brought_up_twice_in_a_session(sample: Vault) -> None:
    prompt = JUDGED[0][0]
    assert "decisions/grpc.md" in hook(sample, prompt, session="one")
    assert "decisions/grpc.md" not in hook(sample, prompt, session="one")
    assert "decisions/grpc.md" in hook(sample, prompt, session="two")


def test_an_order_to_remember_is_confirmed_and_becomes_a_note(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n\nTea is green.\n")
    text = hook(vault, "From now on, branches are named after the ticket.", session="s")
    assert text.startswith("Kept as a note: “branches are named after the ticket.”")
    assert vault.brain("capture", "--flush", "--vault", vault.folder).code == 0
    [note] = (vault.folder / "inbox").iterdir()
    assert "type: preference" in note.read_text()
    assert "salience: 0.8" in note.read_text().replace('"', "")


def test_an_order_that_contradicts_a_decision_is_said_to_replace_it(vault: Vault) -> None:
    vault.note(
        "carts.md", "# Keep carts in Redis\n\nFor now.\n", type="decision", date="2026-09-01"
    )
    text = hook(vault, "From now on, keep carts in PostgreSQL.", session="s")
    assert "It may replace “Keep carts in Redis” (carts.md): ask the user." in text
    assert "may replace" not in hook(vault, "From now on, send mails at night.", session="s")


def test_after_a_compaction_the_session_gets_its_own_note_back(vault: Vault) -> None:
    end = {
        "hook_event_name": "PreCompact",
        "session_id": "long-1",
        "last_user_message": "never deploy on Fridays",
        "last_assistant_message": "The pipeline refuses Fridays now. The docs are not updated yet.",
    }
    vault.brain("capture", "--vault", vault.folder, stdin=json.dumps(end))
    assert vault.brain("capture", "--flush", "--vault", vault.folder).code == 0
    start = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "long-1"}
    text = vault.brain(
        "context", "--hook", "--vault", vault.folder, stdin=json.dumps(start)
    ).out
    assert "never deploy on Fridays" in text
    assert "The docs are not updated yet." in text
    other = vault.brain(
        "context",
        "--hook",
        "--vault",
        vault.folder,
        stdin=json.dumps({**start, "session_id": "x"}),
    )
    assert "## Decided" not in other.out


def test_who_asks_where_work_ended_gets_what_was_left_open_and_then_what_is_next(
    vault: Vault,
) -> None:
    vault.note("handoff/one.md", "# Handoff: carts\n\nFrom Ann to Bo.\n\n## Left open\n\n- The mail is missing.\n",
               type="handoff", date="2026-11-20")  # fmt: skip
    for number in range(4):
        vault.note(
            f"journal/{number}.md",
            f"# Day {number}\n\nWork on part {number} went well.\n",
            date="2026-11-1" + str(number),
        )

    def asked() -> str:
        payload = {
            "hook_event_name": "UserPromptSubmit",
            "session_id": "one",
            "prompt": "where did we leave off?",
        }
        return vault.brain(
            "context", "--hook", "--vault", vault.folder, stdin=json.dumps(payload)
        ).out

    assert "> Left open: The mail is missing." in asked()
    again = asked()
    assert again.splitlines()[2].startswith("- **Day ")
    assert "Handoff" not in again


GREENHOUSE = {
    "valves": "# Valves run at 12 volts\n\nThrough a ULN2803; relays stuck twice, MOSFETs do as well.",
    "flood": "# Bed 3 was flooded\n\nA hardware timer closes every valve after 20 minutes now.",
    "readings": "# SQLite for the readings\n\nInfluxDB took 400 MB of memory.",
    "pdf": "# PDFs are rendered with WeasyPrint\n\nwkhtmltopdf broke ligatures.",
    "yuki": "# Yuki Tanaka\n\nAsk her before you change watering times.",
}
ORDERS = {
    "switch the pdf rendering to wkhtmltopdf": "pdf",
    "should we move the readings to InfluxDB?": "readings",
    "try InfluxDB for the readings": "readings",
    "rename the hardware timer": "",
    "add a customer id column to the export": "",
    "move the memory chart into its own file": "",
    "use 12 columns in the grid": "",
}


@pytest.mark.parametrize("prompt", ORDERS)
def test_the_verb_of_an_order_is_not_asked_where_no_note_has_it(
    vault: Vault, prompt: str
) -> None:
    for name, text in GREENHOUSE.items():
        vault.note(f"{name}.md", f"{text}\n", date="2026-07-01")
    found = hook(vault, prompt)
    assert f"{ORDERS[prompt]}.md:" in found if ORDERS[prompt] else found == ""


# Notes in three languages, and orders with the note that each brings up.
ABROAD = [
    ("# Lack trocknet nicht unter 12 Grad", "Die Kabine muss vor dem Lackieren heizen."),
    ("# Rechnungen ohne Lücken", "Die Nummern kommen aus einer Folge beim Versand."),
    ("# Le panier est dans Postgres", "Redis perdait des paniers au redémarrage."),
    ("# El carrito vive en Postgres", "Redis perdía carritos al reiniciar."),
]
ORDERS_ABROAD = {
    "prüf mal die Kabine vor dem Lackieren": "Lack trocknet",
    "ändere die Nummern der Rechnungen": "Rechnungen ohne",
    "remplace Redis pour le panier": "Le panier",
    "cambia el carrito a Redis": "El carrito",
    "mach weiter": "",
    "führ die Tests nochmal aus": "",
    "schreib einen Test für die Folge der Zustände": "",
    "renomme la fonction": "",
    "écris un test pour la ligne de commande": "",
    "ejecuta las pruebas": "",
}


@pytest.mark.parametrize("prompt", ORDERS_ABROAD)
def test_the_verb_of_an_order_in_another_language_is_not_asked(
    vault: Vault, prompt: str
) -> None:
    for number, (title, text) in enumerate(ABROAD):
        vault.note(f"{number}.md", f"{title}\n\n{text}\n", date="2026-07-01")
    found = hook(vault, prompt)
    wanted = ORDERS_ABROAD[prompt]
    assert wanted in found if wanted else found == ""
