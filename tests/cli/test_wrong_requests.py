"""A request that makes no sense is one sentence with a hint, exit code 2; nothing is changed by it."""

from __future__ import annotations

import pytest
from conftest import Brain, Vault, one_sentence


@pytest.fixture
def tea(vault: Vault) -> Vault:
    vault.note("c.md", "# Tea\n\nTea is green.\n", tags=["drink"])
    return vault


REQUESTS = {
    "a source of observations": (["capture", "nonsense"], "is not a source of observations"),
    "options for commits alone": (["capture", "--since", "1y"], "go with git"),
    "options for agents alone": (["hooks", "--write"], "go with agent"),
    "a format of related notes": (
        ["related", "c.md", "--format", "xml"],
        "There is no format “xml” here",
    ),
    "no setting to unset": (["config", "unset"], "One setting is unset at a time"),
    "a setting to take out": (["config", "unset", "limt"], "There is no setting “limt”"),
    "a field": (["remember", "tea", "--format", "{colour}"], "There is no field “colour”"),
    "no field": (["remember", "tea", "--format", "{path"], "cannot be read"),
    "a folder for imports": (
        ["import", "jsonl", "x.jsonl", "--folder", "/abs"],
        "is not a folder of the vault",
    ),
    "a hidden folder": (["mv", "c.md", ".hidden/"], "is hidden"),
    "a folder elsewhere": (["mv", "c.md", "../x"], "is outside the vault"),
    "a command of other programs": (["edit", "c.md"], "There is no command “edit”"),
    "a command for a note": (["view", "./c"], "Did you mean `brain show ./c`?"),
    "a limit": (["remember", "tea", "-n", "0"], "whole number from 1"),
    "a limit that is no number": (
        ["recent", "-n", "abc"],
        "--limit takes a whole number from 1; “abc” is not one.",
    ),
    "a share": (
        ["add", "Tea", "--salience", "2"],
        "--salience takes a number from 0 to 1; “2.0” is not one.",
    ),
    "a page that would be a note": (
        ["report", "--out", "tea.md"],
        "tea.md is the name of a note.",
    ),
    "a folder of no name": (["recent", "--vault", ""], "--vault names no folder"),
    "less than no pause": (
        ["index", "--watch", "--poll", "-1"],
        "--poll and --idle take a number above 0.",
    ),
    "a number of a change": (["undo", "two"], "NUMBER takes a whole number; “two” is not one."),
    "one setting of many": (["config", "get", "colour"], "dates, record_queries and "),
    "two words for one": (["status", "tea"], "tea"),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_wrong_request_is_one_sentence(tea: Vault, name: str) -> None:
    command, said = REQUESTS[name]
    named = [] if "--vault" in command else ["--vault", tea.folder]
    answer = tea.brain(*command, *named)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert one_sentence(answer.err)


def test_conditions_of_a_batch_line_are_an_object(tea: Vault) -> None:
    answer = tea.brain(
        "remember",
        "--batch",
        "-",
        "--vault",
        tea.folder,
        stdin='{"query": "tea", "where": [1]}\n',
    )
    assert "“where” is a JSON object" in answer.lines[0]["error"]


@pytest.mark.parametrize(
    "line",
    [
        'mmr = "maybe"',
        "archive_folders = 5",
        'inbox = ".hidden"',
        "recency_halflife_days = -1",
        "batch_window_ms = -5",
        'dates = ["moon"]',
        'dates = ["name", "name"]',
        'daemon = "always"',
        "[synthesize]\nseconds = 0",
    ],
)
def test_a_setting_of_the_wrong_kind_is_one_sentence(tea: Vault, line: str) -> None:
    tea.brain.config.parent.mkdir(parents=True)
    tea.brain.config.write_text(f"{line}\n")
    answer = tea.brain("remember", "tea", "--vault", tea.folder)
    assert (answer.code, answer.out) == (2, "")
    assert one_sentence(answer.err)


def test_there_may_be_nothing_to_undo(tea: Vault) -> None:
    answer = tea.brain("undo", "--vault", tea.folder)
    assert answer.code == 3
    assert "There is nothing to undo." in answer.err


def test_a_database_that_is_not_there_is_one_sentence(tea: Vault) -> None:
    answer = tea.brain("import", "claude-mem", "nowhere.db", "--vault", tea.folder)
    assert answer.code in (2, 3)
    assert "There is no file" in answer.err


def test_settings_are_set_and_unset_as_json_too(brain: Brain) -> None:
    assert brain("config", "set", "limit", "5", "--json").json["value"] == 5
    assert brain("config", "unset", "limit", "--json").json["unset"] is True
    assert brain("config", "unset", "limit", "--json").json["unset"] is False


def test_a_setting_in_a_table_of_one_line_is_edited_in_its_place(brain: Brain) -> None:
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text("synthesize = { command = 'x',\\\n")
    broken = brain("config", "set", "limit", "5")
    assert broken.code == 2
    brain.config.write_text("synthesize = { seconds = 5 }\n")
    assert brain("config", "set", "synthesize.seconds", "6").code == 0
    assert brain.config.read_text() == "synthesize = { seconds = 6.0 }\n"


def test_a_kept_observation_is_reported_as_json(tea: Vault) -> None:
    answer = tea.brain("capture", "--json", "--vault", tea.folder, stdin="We chose Redis.")
    assert answer.json == {"version": 1, "kept": True}


def test_the_prompt_for_context_may_come_through_a_pipe(tea: Vault) -> None:
    through = tea.brain("context", "--prompt", "-", "--vault", tea.folder, stdin="green tea")
    assert (
        through.out == tea.brain("context", "--prompt", "green tea", "--vault", tea.folder).out
    )


def test_archived_notes_are_exported_when_asked_for(tea: Vault) -> None:
    tea.note("archive/old.md", "# Old tea\n")
    plain = tea.brain("export", "--jsonl", "--vault", tea.folder).lines
    both = tea.brain("export", "--jsonl", "--archived", "--vault", tea.folder).lines
    assert [line["path"] for line in plain] == ["c.md"]
    assert [line["path"] for line in both] == ["archive/old.md", "c.md"]


def test_why_reports_the_reason_that_a_note_is_not_found(tea: Vault) -> None:
    tea.note("archive/old.md", "# Old\n\nOld tea.\n")
    tea.note("later.md", "# Later\n\nTea for later.\n", snoozed="2999-01-01")
    tea.note("milk.md", "# Milk\n\nWhite.\n")
    for number in range(4):
        tea.note(f"more/{number}.md", f"# Tea {number}\n\nGreen tea, tea, tea.\n")
    reasons = {
        ("archive/old.md", "tea"): "it is archived",
        ("later.md", "tea"): "it is snoozed",
        ("milk.md", "tea"): "it has no word of the query",
        ("c.md", "tea tag:other"): "the conditions of the query leave it out",
    }
    for (path, query), reason in reasons.items():
        answer = tea.brain("explain", path, query, "--vault", tea.folder)
        assert answer.code == 1
        assert f"{path} does not come up: {reason}" in answer.out
    tea.brain("config", "set", "limit", "1")
    few = [
        tea.brain("explain", f"more/{number}.md", "tea", "--vault", tea.folder).out
        for number in range(4)
    ]
    assert sum("and the limit is 1; -n " in each for each in few) >= 3
    tea.brain("config", "set", "minimum_relevance", "0.99")
    below = tea.brain("explain", "c.md", "green white tea milk", "--vault", tea.folder).out
    assert "is below the minimum 0.990" in below


def test_markdown_explains_the_certainty_and_every_step(tea: Vault) -> None:
    out = tea.brain(
        "remember", "green tea", "--explain", "--format", "markdown", "--vault", tea.folder
    ).out
    assert "| certainty | value | weight | product |" in out
    assert "| step | | value | weight | total |" in out
    assert "| relevance | + |" in out


@pytest.mark.parametrize("form", ["markdown", "rich"])
def test_an_empty_result_suggests_related_topics(tea: Vault, form: str) -> None:
    asked = ("photosynthesis", "--scorer", "brain", "--format", form)
    assert "drink" in tea.brain("remember", *asked, "--vault", tea.folder).out


def test_the_doctor_distinguishes_a_folder_from_a_note(tea: Vault) -> None:
    tea.note("more/d.md", "# D\n")
    answer = tea.brain("doctor", "why", "more", "--vault", tea.folder)
    assert "more is a folder with 1 note." in answer.out
    assert (
        tea.brain("doctor", "why", "more", "--json", "--vault", tea.folder).json["notes"] == 1
    )


def test_the_quality_of_a_note_is_printed_as_json(tea: Vault) -> None:
    assert tea.brain("explain", "c.md", "--json", "--vault", tea.folder).json["path"] == "c.md"


def test_more_related_notes_than_asked_for_are_counted(tea: Vault) -> None:
    for name in ("d", "e", "f"):
        tea.note(f"{name}.md", f"# {name}\n\n[[c]]\n")
    answer = tea.brain("related", "c.md", "-n", "1", "--vault", tea.folder)
    assert "2 more; -n 3 shows all." in answer.err


def test_the_doctor_warns_about_waiting_and_unreadable_observations(tea: Vault) -> None:
    tea.brain("index", "--vault", tea.folder)
    aside = tea.brain.state / "capture" / "aside"
    aside.mkdir(parents=True)
    (aside / "1-a").write_text("{")
    answer = tea.brain("doctor", "--vault", tea.folder)
    assert "1 payload could not be read; brain capture --retry reads them again" in answer.out


@pytest.mark.exhaustive
def test_the_vault_of_the_settings_and_of_an_option_are_found_by_a_process(tea: Vault) -> None:
    assert (
        "c.md"
        in tea.brain.process(
            "remember", "tea", f"--vault={tea.folder}", "--format", "paths"
        ).out
    )
    tea.brain.config.parent.mkdir(parents=True)
    tea.brain.config.write_text(f'limit = 3\nvault = "{tea.folder}"\n[weights]\n"x/" = 0.5\n')
    assert "c.md" in tea.brain.process("remember", "--format", "paths", "--", "tea").out
    tea.brain.config.write_text("limit = 3\n[weights]\n")
    assert tea.brain.process("remember", "tea").code == 3


def test_a_list_of_the_newest_notes_says_that_there_are_more(tea: Vault) -> None:
    tea.note("d.md", "# Coffee\n\nCoffee is black.\n")
    listed = tea.brain("recent", "--vault", tea.folder, "--since", "100y", "-n", "1")
    assert "There are more" in listed.err
    assert (
        "There are more"
        not in tea.brain("recent", "--vault", tea.folder, "--since", "100y").err
    )
