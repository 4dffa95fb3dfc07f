"""On a terminal, a number names a note of its last answer; the name of a note comes first."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Vault
from terminal import on_a_terminal

TERMINAL = "/dev/pts/of-a-test"


@pytest.fixture
def asked(vault: Vault) -> Vault:
    vault.note("crane.md", "# Crane\n\nThe crane of the port lifts coal.\n")
    vault.note("port.md", "# Port\n\nThe port has a crane and a whale.\n")
    shown(vault, "remember", "port with a crane")
    return vault


def shown(vault: Vault, *arguments: str, terminal: str = TERMINAL) -> str:
    return on_a_terminal(vault, *arguments, BRAIN_TTY=terminal, EDITOR="echo opened", VISUAL="")


def test_show_and_open_take_up_the_last_answer(asked: Vault) -> None:
    first, second = asked.order("port with a crane")
    assert f"{first}.md" in shown(asked, "show", "1")
    assert f"{second}.md" in shown(asked, "show", "2")
    assert f"/{first}.md" in shown(asked, "open")
    assert f"/{second}.md" in shown(asked, "open", "2")


def test_a_heading_or_a_block_may_follow_the_number(asked: Vault) -> None:
    asked.note(
        "whale.md",
        "# Whale\n\nWhales sing.\n\n## Food\n\nKrill, mostly. ^food\n\n## Size\n\nLarge.\n",
    )
    shown(asked, "remember", "whales sing")
    for name in ("1#Food", "1#Whale#Food", "1#^food"):
        assert "Krill" in shown(asked, "show", name)
        assert "Large" not in shown(asked, "show", name)
    with pytest.raises(AssertionError, match="has no heading"):
        shown(asked, "show", "1#Colour")
    with pytest.raises(AssertionError, match="has no note 9"):
        shown(asked, "show", "9#Food")


@pytest.mark.exhaustive
def test_a_number_names_a_note_to_every_command(asked: Vault) -> None:
    first, second = asked.order("port with a crane")
    assert f"pinned {second}.md" in shown(asked, "pin", "2")
    assert f"{first}.md: useful" in shown(asked, "feedback", "1", "useful")
    assert f"archived {first}.md" in shown(asked, "archive", "1")


@pytest.mark.exhaustive
def test_a_note_with_that_name_comes_first(asked: Vault) -> None:
    asked.note("1.md", "# First of all\n\nA whale.\n")
    assert "First of all" in shown(asked, "show", "1")


@pytest.mark.exhaustive
def test_another_terminal_has_no_answer_and_a_pipe_never_has(asked: Vault) -> None:
    with pytest.raises(AssertionError, match="no answer on this terminal"):
        shown(asked, "show", "1", terminal="/dev/pts/another")
    piped = asked.brain("show", "1", "--json", "--vault", asked.folder)
    assert piped.code == 2
    assert "A number names a note of the last answer on a terminal only." in piped.err
    assert asked.brain("open", "--vault", asked.folder).code == 2


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_a_number_holds_in_a_pipe_whose_other_end_is_the_terminal(
    asked: Vault, stream: str
) -> None:
    reader, terminal = pty.openpty()
    named = {"BRAIN_TTY": os.ttyname(terminal)}
    on_a_terminal(asked, "remember", "port with a crane", **named)
    command = [sys.executable, "-m", "brain_cli", "show", "2", "--vault", str(asked.folder)]
    piped = subprocess.run(
        command,
        stdin=terminal if stream == "stdin" else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal if stream == "stderr" else subprocess.PIPE,
        env=asked.brain.environ(),
        check=False,
    )
    os.close(reader)
    os.close(terminal)
    second = asked.order("port with a crane")[1]
    assert piped.stdout.decode() == (asked.folder / f"{second}.md").read_text()


def test_only_what_was_listed_has_a_number(asked: Vault) -> None:
    asked.note("dock.md", "# Dock\n\nA dock of the port.\n")
    shown(asked, "remember", "port with a crane", "-n", "2")
    with pytest.raises(AssertionError, match="It has 1 to 2"):
        shown(asked, "show", "3")


@pytest.mark.exhaustive
def test_a_card_names_the_number_instead_of_the_path(asked: Vault) -> None:
    asked.note(
        "whale.md",
        "# Whale\n\n" + "".join(f"A whale dives, says page {page}.\n\n" for page in range(90)),
    )
    assert "brain show 1" in shown(asked, "remember", "whale")
    assert (
        "brain show 1"
        not in asked.brain("remember", "whale", "--format", "rich", "--vault", asked.folder).out
    )


def test_only_paths_are_kept(asked: Vault) -> None:
    kept = next((asked.brain.state / "answers").iterdir()).read_text().split("\0")
    assert kept[0] == str(asked.folder)
    assert sorted(kept[1:]) == ["crane.md", "port.md"]


@pytest.mark.parametrize("command", [["recent"], ["related", "port"], ["review"]])
def test_a_list_of_notes_is_a_last_answer_too(asked: Vault, command: list[str]) -> None:
    asked.note("dock.md", "# Dock\n\nBy the [[port]].\n", date="2019-01-01")
    asked.brain("recent", "--vault", asked.folder)
    shown(asked, *command)
    listed = asked.brain(
        *command, "--format", "paths", "--vault", asked.folder, cwd=asked.folder
    )
    for number, path in enumerate(listed.out.split(), start=1):
        assert path in shown(asked, "show", str(number))


def test_a_number_after_several_vaults_names_a_note_of_that_answer(
    asked: Vault, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "whale.md").write_text("# Whale\n\nA whale of the open sea.\n")
    both = ("--vault", str(asked.folder), "--vault", str(other))
    shown(asked, "remember", "open sea whale", *both)
    with pytest.raises(AssertionError, match=r"Note 1 of the last answer is in another vault"):
        shown(asked, "show", "1")
    assert "A whale of the open sea" in shown(asked, "show", "1", *both)


@pytest.mark.exhaustive
def test_an_answer_without_a_note_has_no_numbers(asked: Vault) -> None:
    on_a_terminal(asked, "remember", "zebra", BRAIN_TTY=TERMINAL, BRAIN_MEANING="off")
    with pytest.raises(AssertionError, match="no answer on this terminal"):
        shown(asked, "show", "1")
