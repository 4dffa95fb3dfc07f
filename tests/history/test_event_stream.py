"""Commands that look at every event read the history in a stream, in the order of time, each event
once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from examples import sized
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.history.log import (
    FEEDBACK,
    SHOWN,
    USEFUL,
    Event,
    History,
    Mention,
    history_of,
    to_line,
)
from brain_cli.history.log_reader import events_until, read_lines
from brain_cli.paths import vault_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Vault

RUN = r"""
import re, sys
from brain_cli.__main__ import run
code = run(sys.argv[1:])
[kib] = re.findall(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())
print(code, int(kib) >> 10, file=sys.stderr)
"""
COMMANDS = [
    ["show", "soup", "--curve", "--json"],
]
COMMANDS_IN_CI = [
    ["doctor", "--json"],
    ["report", "--out", "-"],
    ["report", "--week", "--since", "2000-01-01", "--json"],
    ["tune", "--json"],
]
EVENTS = sized(45_000, everyday=40_000)
# Read as a whole, the history of CI takes 190 beside what the command itself takes, that of every day
# 130.
MAX_MB = 100
LINES = st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["a.md", "b.md"])), max_size=20)


@given(files=st.lists(LINES, max_size=3), copies=st.booleans(), until=st.integers(0, 9))
def test_events_come_in_order_each_once_and_newest_first_the_other_way_round(
    files: list[list[tuple[int, str]]], copies: bool, until: int
) -> None:
    written = [
        [to_line(Event(float(at), SHOWN, [Mention(path, "")])) for at, path in dict.fromkeys(f)]
        for f in files
    ]
    with TemporaryDirectory() as name:
        history = History(Path(name), "desk")
        for number, lines in enumerate(written + written[:1] * copies):
            (history.folder / f"{number}.jsonl").write_text(
                "".join(f"{line}\n" for line in [*lines, "{torn"])
            )
        oldest_first = list(events_until(history, float(until)))
        newest_first = list(events_until(history, float(until), newest_first=True))
        read = read_lines(history, {})
    assert [event.at for event in oldest_first] == sorted(event.at for event in oldest_first)
    assert {to_line(event) for event in oldest_first} == {
        to_line(Event(float(at), SHOWN, [Mention(path, "")]))
        for f in files
        for at, path in f
        if at <= until
    }
    assert len(oldest_first) == len({to_line(event) for event in oldest_first})
    assert [event.at for event in newest_first] == [event.at for event in oldest_first[::-1]]
    assert sorted(map(to_line, newest_first)) == sorted(map(to_line, oldest_first))
    for number, lines in enumerate(written + written[:1] * copies):
        name = f"{number}.jsonl"
        assert sum(line.name == name for line in read.lines) == len(lines)
        assert read.torn[name] == 1


def used_mb(vault: Vault, command: list[str]) -> int:
    """Run a command in a process of its own; return the most memory that it had, in MiB."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *command, "--vault", str(vault.folder)],
        env=vault.brain.environ(),
        capture_output=True,
        text=True,
        check=True,
    )
    code, used = done.stderr.split()[-2:]
    assert code in "0123", done.stderr
    return int(used)


@pytest.fixture(scope="module")
def used_for_years(new_vault: Callable[[], Vault]) -> Vault:
    """A vault of one note with a long history."""
    vault = soup(new_vault())
    history = history_of(str(vault.folder), vault.brain.state, vault_name(str(vault.folder)))
    others = [Mention(f"notes/{number}.md", f"{number:064x}", 1e9) for number in range(7)]
    mentioned = Mention("soup.md", "0" * 64, 1e9)
    for start in range(0, EVENTS, 10_000):
        events = (
            Event(1.7e9 + at, SHOWN, [mentioned, *others], f"query {at % 9}", 0.5)
            for at in range(start, start + 9_999)
        )
        history.append([*events, Event(1.7e9 + start + 10_000, FEEDBACK, [mentioned], USEFUL)])
    return vault


def soup(vault: Vault) -> Vault:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    assert vault.brain("index", "--vault", vault.folder).code == 0
    return vault


def memory_grown_mb(vault: Vault, used_for_years: Vault, command: list[str]) -> int:
    """Return how much more memory a command needs in a vault with a long history than in one
    without.
    """
    return used_mb(used_for_years, command) - used_mb(soup(vault), command)


@pytest.mark.exhaustive
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_long_history_is_never_in_memory_as_a_whole(
    vault: Vault, used_for_years: Vault, command: list[str]
) -> None:
    assert memory_grown_mb(vault, used_for_years, command) < MAX_MB


@pytest.mark.exhaustive
@pytest.mark.parametrize("command", COMMANDS_IN_CI, ids=lambda command: command[0])
def test_a_long_history_is_never_in_memory_as_a_whole_for_other_commands(
    vault: Vault, used_for_years: Vault, command: list[str]
) -> None:
    # A report draws the days of a year, so it reads the lines of all events again.
    assert memory_grown_mb(vault, used_for_years, command) < MAX_MB + 100 * (
        command[0] == "report"
    )
