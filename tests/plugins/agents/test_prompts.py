"""A prompt brings up what answers it, and nothing otherwise: judged on forty prompts and on sixty
ordinary ones.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from conftest import NOW
from measured import keep
from prompts import JUDGED, ORDINARY

if TYPE_CHECKING:
    from conftest import Vault

LEAST_PRINTED, LEAST_ANSWERED, MOST_ORDINARY, MOST_CHARS = 28, 26, 6, 1_600


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
            ("silent on ordinary prompts, of 60", f"≥ {60 - MOST_ORDINARY}", 60 - len(interrupted)),
            ("characters printed, at most", f"{MOST_CHARS:,}", longest),
        ]
        rows = [dict(zip(("what", "bar", "now"), row, strict=True)) for row in figures]
        keep("prompts", "UPDATE=1 python -m pytest tests/plugins/agents/test_prompts.py", rows)
    assert (len(JUDGED), len(ORDINARY)) == (40, 60)
    assert longest <= MOST_CHARS
    assert printed >= LEAST_PRINTED
    assert answered >= LEAST_ANSWERED, missed
    assert len(interrupted) <= MOST_ORDINARY, interrupted


def test_a_word_of_time_beside_other_words_asks_for_no_notes_of_that_time(vault: Vault) -> None:
    vault.note("disk.md", "# Disk full\n\nThe log filled it.\n", date="2026-11-25", project="app")
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


def test_a_handoff_is_not_quoted_by_its_request_or_its_lists(vault: Vault) -> None:
    text = (
        "# Handoff: retry the payment webhook\n\n## Asked\n\n- retry the payment webhook, always\n\n"
        "## Decided\n\n- Five attempts.\n\n## Changed\n\n- `webhook.py`\n\n"
        "## Commands\n\n- Replay: `payment webhook retry` failed: no such webhook\n"
    )
    vault.note("handoff/one.md", text)
    assert hook(vault, "retry the payment webhook").splitlines()[1:] == [
        "  > Decided: Five attempts."
    ]
    vault.note("handoff/one.md", text.partition("## Asked")[0] + text[text.index("## Changed") :])
    assert hook(vault, "retry the payment webhook") == ""


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
    text = vault.brain("context", "--hook", "--vault", vault.folder, stdin=json.dumps(start)).out
    assert "never deploy on Fridays" in text
    assert "The docs are not updated yet." in text
    other = vault.brain(
        "context", "--hook", "--vault", vault.folder, stdin=json.dumps({**start, "session_id": "x"})
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
    assert again.startswith("- **Day ")
    assert "Handoff" not in again
