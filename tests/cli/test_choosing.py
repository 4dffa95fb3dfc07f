"""`brain remember -i`: keys in, a chosen note out; without a terminal, a numbered list."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest
from conftest import Brain, Vault
from examples import in_ci
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from terminal import OnTerminal

from brain_cli.cli._chooser import Choice, Item, choose

ITEMS = [
    Item("a.md", 3, "Apple cake", "Apple cake\nwith cinnamon"),
    Item("b.md", 1, "Bread", "Bread\nsourdough, two days"),
    Item("c.md", 9, "Carrot cake", "Carrot cake\nwith walnuts"),
]
DOWN, UP, ENTER, ESCAPE, CTRL_C, CTRL_Y, CTRL_X = "\x1b[B", "\x1b[A", "\r", "\x1b", "\x03", "\x19", "\x18"


def chosen(keys: str, judged: list[tuple[str, str]] | None = None) -> Item | None:
    """Return what these keys choose."""
    with create_pipe_input() as typed:
        typed.send_text(keys)
        given = judged if judged is not None else []
        return choose(ITEMS, lambda path, verdict: given.append((path, verdict)), typed, DummyOutput())


@pytest.mark.parametrize(
    ("keys", "title"),
    [
        (ENTER, "Apple cake"),
        (DOWN + ENTER, "Bread"),
        (DOWN * 9 + ENTER, "Carrot cake"),
        (DOWN + UP * 4 + ENTER, "Apple cake"),
        ("cake" + DOWN + ENTER, "Carrot cake"),
        ("WALNUTS" + ENTER, "Carrot cake"),
        ("cake walnuts" + ENTER, "Carrot cake"),
        ("bread\x7f\x7f\x7f\x7f\x7f" + ENTER, "Bread"),
    ],
)
def test_arrows_and_typing_choose(keys: str, title: str) -> None:
    found = chosen(keys)
    assert found is not None
    assert found.title == title


@pytest.mark.parametrize("keys", [ESCAPE, CTRL_C, "cake" + CTRL_C, "nothing like it" + ENTER])
def test_leaving_chooses_nothing(keys: str) -> None:
    assert chosen(keys) is None


def test_keys_give_feedback_on_the_selected_note() -> None:
    judged: list[tuple[str, str]] = []
    chosen(CTRL_Y + DOWN + CTRL_X + CTRL_C, judged)
    assert judged == [("a.md", "useful"), ("b.md", "wrong")]


@given(st.lists(st.one_of(st.integers(-5, 5), st.text(alphabet="abcek ", max_size=6))))
def test_the_selection_is_always_in_the_list(acts: list[int | str]) -> None:
    choice = Choice(ITEMS, lambda _path, _verdict: None)
    for act in acts:
        if isinstance(act, int):
            choice.move(act)
        else:
            choice.narrow(act)
        assert choice.selected in choice.shown or (choice.selected is None and not choice.shown)


@pytest.fixture
def harbour(vault: Vault) -> Vault:
    vault.note("a.md", "# Harbour\n\nThe harbour opens at six.\n\n## Tide\n\nThe harbour tide table.\n")
    vault.note("b.md", "# Ships\n\nShips in the harbour.\n")
    return vault


def test_without_a_terminal_the_results_are_numbered(harbour: Vault, brain: Brain) -> None:
    answer = brain("remember", "-i", "harbour", "--vault", harbour.folder)
    assert answer.code == 0
    lines = [line.split("\t") for line in answer.out.splitlines()]
    assert [line[0] for line in lines] == ["1", "2"]
    assert {line[1].partition(":")[0] for line in lines} == {"a.md", "b.md"}


def test_nothing_found_exits_with_1(harbour: Vault, brain: Brain) -> None:
    assert brain("remember", "-i", "photosynthesis", "--vault", harbour.folder).code == 1


def test_enter_opens_the_note_at_its_line_and_counts_as_a_recall(harbour: Vault, tmp_path: Path) -> None:
    editor = tmp_path / "nvim"
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/opened\n')
    editor.chmod(0o755)
    reader, writer = pty.openpty()
    command = [sys.executable, "-m", "brain_cli", "remember", "-i", "harbour", "tide", "--vault", str(harbour.folder)]
    environ = harbour.brain.environ(TERM="xterm", VISUAL=str(editor))
    process = subprocess.Popen(command, stdin=writer, stdout=writer, stderr=writer, env=environ)
    os.close(writer)
    shown = b""
    while b"Esc leave" not in shown:
        shown += os.read(reader, 65_536)
    os.write(reader, ENTER.encode())
    _drain(reader)
    assert process.wait(30) == 0
    assert (tmp_path / "opened").read_text() == f"+5 {harbour.folder}/a.md\n"
    [event] = _history(harbour.brain)
    assert event["event"] == "shown"
    assert [note[0] for note in event["notes"]] == ["a.md"]


def opened(vault: Vault) -> OnTerminal:
    """Open the list of results about the harbour."""
    screen = OnTerminal(vault, "remember", "-i", "harbour")
    screen.wait_for("Esc leave")
    return screen


HOSTILE = "harbour\x1b]0;owned\x07\x1b[2J\x9b31m\u202egpj.exe\u2066\b\x7f"


def test_hostile_notes_steer_no_terminal_through_the_list_or_the_preview(vault: Vault) -> None:
    for name in ("a", "b"):
        vault.note(f"{name}{HOSTILE}.md", f"# {name}{HOSTILE}\n\n## {HOSTILE}\n\n{HOSTILE} opens at six.\n")
    screen = opened(vault)
    screen.send(DOWN + CTRL_Y)
    screen.wait_for(": useful")
    screen.send(CTRL_C)
    assert screen.end() == 0
    for steering in ("\x1b]0;owned", "owned\x07", "\x9b31m", "\u202e", "\u2066", "\x7f"):
        assert steering.encode() not in screen.shown


def test_the_window_may_take_any_size(harbour: Vault) -> None:
    screen = opened(harbour)
    for lines, columns in ((1, 1), (2, 300), (3, 5), (24, 79), (500, 1000), (24, 100)):
        screen.resize(lines, columns)
        screen.send(DOWN)
    screen.send(CTRL_C)
    assert screen.end() == 0
    assert b"Traceback" not in screen.shown
    assert b"bug" not in screen.shown


@pytest.mark.parametrize("number", [signal.SIGTERM, in_ci(signal.SIGHUP), in_ci(signal.SIGINT)])
def test_a_killed_list_leaves_the_terminal_as_it_was(harbour: Vault, number: int) -> None:
    screen = opened(harbour)
    assert termios.tcgetattr(screen.terminal) != screen.settings
    screen.process.send_signal(number)
    screen.end()
    assert termios.tcgetattr(screen.terminal) == screen.settings
    assert b"Traceback" not in screen.shown
    assert b"bug" not in screen.shown


def _drain(reader: int) -> None:
    try:
        while os.read(reader, 65_536):
            pass
    except OSError:  # the other side is closed
        os.close(reader)


def _history(brain: Brain) -> list[dict[str, Any]]:
    files = brain.state.rglob("*.jsonl")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]
