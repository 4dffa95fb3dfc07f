"""What somebody types first: words without a command, in a folder that nobody has prepared, or
`brain` alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Answer, Brain, Vault, one_sentence
from terminal import on_a_terminal, run_on_a_terminal

from brain_cli.cli import _any_folder
from brain_cli.cli._quick import with_verb
from brain_cli.daemon.client import is_daemon_command


@pytest.fixture
def notes(tmp_path: Path, brain: Brain) -> Vault:
    """A folder of notes that is not marked as a vault."""
    brain.home.mkdir(exist_ok=True)
    folder = tmp_path / "papers"
    folder.mkdir()
    vault = Vault(folder, brain)
    vault.note("kafka.md", "# Kafka\n\nWe took Kafka because it replays.\n")
    vault.note("soup.md", "# Soup\n\nLeek soup. See [[kafka]].\n")
    return vault


# No model is offered.
BY_WORDS = {"BRAIN_MEANING": "off"}


def here(vault: Vault, *arguments: object) -> Answer:
    return vault.brain(*arguments, cwd=vault.folder)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (["status", "of"], ["status", "of"]),  # a command of that name
        (
            ["why", "did", "kafka", "fail"],
            ["remember", "why", "did", "kafka", "fail"],
        ),
        (["kafka", "replays"], ["remember", "kafka", "replays"]),
        (["what about kafka"], ["remember", "what about kafka"]),
        (["--json", "--vault", "x", "kafka"], ["--json", "--vault", "x", "remember", "kafka"]),
        (["--vault=x", "kafka", "-n", "3"], ["--vault=x", "remember", "kafka", "-n", "3"]),
        (
            ["--", "status", "of", "the", "move"],
            ["remember", "--", "status", "of", "the", "move"],
        ),
        (["-"], ["remember", "-"]),
        (["--frob", "kafka"], ["--frob", "kafka"]),
        (["help"], ["--help"]),
        (["help", "pin"], ["pin", "--help"]),
        (["help", "all"], ["--help-all"]),
        (["help", "me"], ["remember", "help", "me"]),
        (["-n", "3", "why", "kafka"], ["remember", "-n", "3", "why", "kafka"]),
        (
            ["-n3", "--tag=x", "--archived", "kafka"],
            ["remember", "-n3", "--tag=x", "--archived", "kafka"],
        ),
        (["--json", "why", "kafka"], ["--json", "remember", "why", "kafka"]),
        (["--vault", "x", "--sure", "kafka"], ["--vault", "x", "remember", "--sure", "kafka"]),
        (["-n", "3", "--json", "recent"], ["recent", "-n", "3", "--json"]),
        (["-i", "kafka"], ["remember", "-i", "kafka"]),
        (["-n"], ["remember", "-n"]),
        ([], []),
        (["--json"], ["--json"]),
    ],
)
def test_words_that_begin_with_no_command_are_recalled(
    typed: list[str], read: list[str]
) -> None:
    assert with_verb(typed) == read


def test_words_alone_answer_as_remember_does(notes: Vault) -> None:
    asked = ["why", "does", "kafka", "replay", "--format", "paths", "--no-touch"]
    expected = here(notes, "remember", *asked)
    assert here(notes, " ".join(asked[:4]), *asked[4:])[:2] == expected[:2]
    assert here(notes, "--", *asked[:4]).out
    assert expected.out == "kafka.md\nsoup.md\n" or expected.out == "kafka.md\n"


def test_off_a_terminal_nearly_a_command_is_a_question_too(notes: Vault) -> None:
    assert here(notes, "remembr").code == 1
    assert here(notes, "kafka").code == 0


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("recnt", "recent"),
        ("confg", "config"),
        ("stauts", "status"),
        ("version", "--version"),
        ("kafka", ""),
        ("tulip", ""),
    ],
)
def test_a_word_without_an_answer_names_the_command_that_it_nearly_is(
    notes: Vault, word: str, meant: str
) -> None:
    asked = here(notes, word)
    assert asked.err.endswith(f"Did you mean `brain {meant}`?\n") == bool(meant)
    assert asked.err.count("Did you mean") == bool(meant)


@pytest.mark.exhaustive
def test_on_a_terminal_nearly_a_command_is_a_mistake_only_if_no_words_follow(
    notes: Vault,
) -> None:
    with pytest.raises(AssertionError, match="Did you mean `brain remember`"):
        on_a_terminal(notes, "remembr", **BY_WORDS)
    assert "Kafka" in on_a_terminal(notes, "remembr", "kafka", **BY_WORDS)
    # The helper adds words after the `--`, so no note is about all of them.
    assert "No note mentions" in on_a_terminal(
        notes, "--vault", str(notes.folder), "--", "kafka", **BY_WORDS
    )


@pytest.mark.exhaustive
def test_a_question_that_begins_like_a_command_names_it_on_a_terminal(notes: Vault) -> None:
    assert "Did you mean `brain show tulips`?" in on_a_terminal(
        notes, "shwo", "tulips", **BY_WORDS
    )
    assert "Did you mean" not in on_a_terminal(notes, "kafka", "tulips", **BY_WORDS)
    assert "Did you mean `brain show 2`?" in on_a_terminal(notes, "2", **BY_WORDS)
    assert "Did you mean `brain" not in here(notes, "shwo", "tulips").err


def test_a_question_with_options_of_another_program_is_recalled(notes: Vault) -> None:
    answer = here(notes, "lsof", "-t", "-i:3000")
    assert answer.code == 1
    assert "No active memories found for “lsof -t -i:3000”." in answer.err


@pytest.mark.parametrize(
    "words",
    ["recent meetings", "status of the x", "show me the todo list", "open the geofence"],
)
def test_too_many_words_for_a_command_may_be_recalled(notes: Vault, words: str) -> None:
    assert here(notes, *words.split()).err.endswith(f" To recall the words: brain -- {words}\n")


def test_a_daemon_may_answer_words_alone() -> None:
    assert is_daemon_command(["why did", "kafka"])
    assert is_daemon_command(["--json", "kafka"])
    assert is_daemon_command(["-n", "3", "kafka"])
    assert not is_daemon_command(["-n", "3", "index", "--watch"])
    assert not is_daemon_command(["--version"])
    assert not is_daemon_command(["status"])
    assert not is_daemon_command(["help"])


@pytest.mark.parametrize(
    "command",
    [["remember", "kafka"], ["kafka"], ["recent"], ["related", "soup"], ["show", "kafka.md"]],
)
def test_a_verb_that_reads_answers_in_any_folder_of_notes(
    notes: Vault, command: list[str]
) -> None:
    before = sorted(notes.folder.iterdir())
    answer = here(notes, *command)
    assert answer.code == 0
    assert "Kafka" in answer.out
    assert answer.err.count(f"This is from the notes in {notes.folder}") == 1
    assert "--vault DIR" in answer.err
    assert sorted(notes.folder.iterdir()) == before
    # Where the notes are from is said until the folder has an index; `show` makes none.
    again = here(notes, *command).err
    assert again.count(f"This is from the notes in {notes.folder}.") == (command[0] == "show")


@pytest.mark.parametrize(
    "command", [["add", "Title"], ["pin", "kafka"], ["context"], ["review"]]
)
def test_other_verbs_need_a_vault(notes: Vault, command: list[str]) -> None:
    here(notes, "kafka")
    answer = here(notes, *command)
    assert (answer.code, answer.out) == (3, "")
    assert one_sentence(answer.err)
    assert answer.err.startswith(
        f"brain: {notes.folder} has notes but is not a vault yet: brain only answers"
    )
    assert "Run `brain init` here first" in answer.err


def test_a_verb_that_writes_says_so_before_anything_was_read(notes: Vault) -> None:
    assert "Run `brain init` here first" in here(notes, "pin", "kafka").err


def test_doctor_checks_a_folder_that_is_no_vault(notes: Vault) -> None:
    assert here(notes, "doctor").out.startswith(f"✓ vault        {notes.folder}\n")


def test_a_home_folder_what_holds_it_and_a_folder_without_notes_are_not_read(
    notes: Vault, tmp_path: Path
) -> None:
    home = notes.folder / "home"
    home.mkdir()
    (home / "a.md").write_text("# A\n")
    empty = tmp_path / "empty"
    (empty / "skipped").mkdir(parents=True)
    (empty / ".gitignore").write_text("skipped/\n")
    (empty / "skipped" / "a.md").write_text("# A\n")
    for folder, own_home in (
        (home, home),
        (notes.folder, home),
        (empty, home),
        (Path("/"), home),
    ):
        answer = notes.brain("remember", "kafka", cwd=folder, env={"HOME": str(own_home)})
        assert (answer.code, answer.out) == (3, ""), folder


def test_a_vault_that_is_configured_comes_first(notes: Vault, tmp_path: Path) -> None:
    other = Vault(tmp_path / "other", notes.brain)
    other.note("tea.md", "# Tea\n")
    notes.brain.config.parent.mkdir(parents=True, exist_ok=True)
    notes.brain.config.write_text(f"vault = {json.dumps(str(other.folder))}\n")
    assert here(notes, "tea", "--format", "paths").out.strip().endswith("other/tea.md")
    notes.brain.config.write_text('vault = "/nowhere"\n')
    assert here(notes, "tea").code == 3


def test_a_folder_of_very_many_files_is_not_read_unasked(
    notes: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_any_folder, "MAX_FILES", 2)
    assert here(notes, "kafka").code == 0
    (notes.folder / ".brainignore").write_text("ignored\n")
    (notes.folder / "ignored").mkdir()
    (notes.folder / "ignored" / "more.txt").write_text("")
    assert here(notes, "kafka").code == 0
    other = Vault(notes.folder.parent / "large", notes.brain)
    for number in range(3):
        other.note(f"{number}.md", "# Kafka\n")
    answer = here(other, "kafka")
    assert (answer.code, answer.out) == (3, "")
    assert "more than 2 files" in answer.err
    assert one_sentence(answer.err)


@pytest.mark.parametrize("asked", ["status of the move to kafka", "undo the move to kafka"])
def test_a_question_that_begins_with_a_command_is_told_how_to_be_asked(
    notes: Vault, asked: str
) -> None:
    answer = here(notes, *asked.split())
    assert answer.code == 2
    assert f"brain -- {asked}" in answer.err
    assert "kafka" in here(notes, "--", *asked.split()).out


def test_brain_alone_prints_the_help_in_a_pipe(notes: Vault) -> None:
    answer = here(notes)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == here(notes, "--help").out


def test_brain_alone_never_breaks_a_path(notes: Vault) -> None:
    path = "decisions/0007-nats-instead-of-rabbitmq-and-other-brokers.md"
    notes.note(path, "# ADR 7: NATS JetStream instead of RabbitMQ\n", date="2026-11-20")
    _, shown = run_on_a_terminal(notes, [], {"BRAIN_VAULT": str(notes.folder)})
    assert f"  ADR 7: NATS JetStream instead of RabbitMQ\r\n    ({path})\r\n" in shown


def test_brain_alone_on_a_terminal_shows_the_vault_at_a_glance(notes: Vault) -> None:
    here(notes, "remember", "kafka", "--vault", notes.folder)
    shown = on_a_terminal(notes)
    assert f"{notes.folder}: 2 notes" in shown.replace("\r\n", "\n")
    assert "Newest" in shown
    assert "Recalled lately" in shown
    assert "Kafka  (kafka.md)" in shown
    assert "brain --help" in shown
