"""A long or hostile history is folded in bounded memory, and read on from its checkpoint."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from examples import in_ci, sized
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.history.log import (
    MAX_FILES,
    SHOWN,
    Event,
    History,
    Mention,
)
from brain_cli.history.log_reader import HistoryReader, load, read_lines

READ = """
import re, sys
from pathlib import Path
from brain_cli.history.log import History
from brain_cli.history.log_reader import HistoryReader
used = lambda: int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) << 10
before = used()
memory = HistoryReader(History(Path(sys.argv[1]), "desk"), Path(sys.argv[2])).at(2e9, print)
print(used() - before, memory.usage("notes/100.md").accesses)
"""
# As a whole, the events of CI take 190 MiB in memory, those of every day 100.
EVENTS_IN_ALL = sized(60_000, everyday=30_000)
FOLDED_BYTES = sized(100, everyday=80) << 20
FUTURE_EVENTS = sized(70_000, everyday=25_000)
MAX_BYTES = 300 << 20


@pytest.mark.exhaustive
def test_a_long_history_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    history = History(tmp_path / "history", "desk")
    notes = [Mention(f"notes/{number}.md", f"{number:064x}", 1e9) for number in range(200)]
    for start in range(0, EVENTS_IN_ALL, 10_000):
        history.append(
            Event(1e9 + at, SHOWN, notes[at % 150 : at % 150 + 8])
            for at in range(start, start + 10_000)
        )
    done = subprocess.run(
        [sys.executable, "-c", READ, history.folder, tmp_path / "fold.json"],
        capture_output=True,
        text=True,
        check=True,
    )
    grown, accesses = map(int, done.stdout.split())
    assert grown < FOLDED_BYTES
    assert accesses == 8 * EVENTS_IN_ALL // 150


def used_bytes(folder: Path) -> int:
    """Read a history in a process of its own; return how much memory that took."""
    command = [sys.executable, "-c", READ, str(folder), str(folder.parent / "checkpoint.json")]
    return int(
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-2]
    )


def zeros(folder: Path) -> None:
    with open(folder / "zeros.jsonl", "wb") as file:
        file.truncate(200 << 20)


def long_lines(folder: Path) -> None:
    notes = ",".join(f'["n{number}.md","x",0.0]' for number in range(50_000))
    line = f'{{"at":1700000000.0,"event":"shown","notes":[{notes}]}}\n'
    (folder / "long.jsonl").write_text(line * 60)


def future(folder: Path) -> None:
    line = '{"at":9e11,"event":"shown","notes":[["n.md","x",0.0]]}\n'
    (folder / "future.jsonl").write_text(line * 500_000)


def one_session(folder: Path) -> None:
    event = (
        '{{"at":17000000{0:05}.0,"event":"shown","session":"s","notes":[["{0}.md","x",0.0]]}}\n'
    )
    (folder / "session.jsonl").write_text("".join(map(event.format, range(100_000))))


@pytest.mark.parametrize(
    "make",
    [
        in_ci(zeros),
        one_session,
        in_ci(long_lines),
        in_ci(future),
    ],
)
def test_a_hostile_history_is_read_in_bounded_memory(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    folder = tmp_path / "history"
    folder.mkdir()
    make(folder)
    assert used_bytes(folder) < 300 << 20


@pytest.mark.exhaustive
def test_events_that_have_not_happened_yet_count_when_they_have(tmp_path: Path) -> None:
    history, cache = History(tmp_path / "history", "desk"), tmp_path / "checkpoint.json"
    history.folder.mkdir()
    line = '{"at":1000000000.0,"event":"shown","notes":[["n.md","x",0.0]],"value":"%s"}\n'
    (history.folder / "desk.jsonl").write_text(
        "".join(line % (f"{number:0200}") for number in range(FUTURE_EVENTS))
    )
    for _ in range(2):
        reader = HistoryReader(history, cache)
        assert reader.at(1e8, print).usage("n.md").accesses == 0
        assert reader.at(2e9, print).usage("n.md").accesses == FUTURE_EVENTS


def test_files_beyond_a_number_are_left_out_and_counted(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 5):
        (tmp_path / f"{number:04}.jsonl").write_text(
            '{"at":1000.0,"event":"shown","notes":[["n.md","x",0.0]]}\n' * (number + 1)
        )
    told: list[str] = []
    memory = HistoryReader(History(tmp_path, "desk"), tmp_path / "checkpoint").at(
        1e9, told.append
    )
    assert memory.usage("n.md").accesses > 0
    assert [line.split(" of the")[0] for line in told] == [
        "0256.jsonl, 0257.jsonl, 0258.jsonl and 2 more"
    ]


def test_the_file_of_this_device_is_read_before_all_others(tmp_path: Path) -> None:
    (tmp_path / "device").write_text("desk")
    for name in ("desk", *map("{:04}".format, range(MAX_FILES))):
        (tmp_path / f"{name}.jsonl").write_text(
            f'{{"at":1000.0,"event":"shown","notes":[["{name}.md","x",0.0]]}}\n'
        )
    told: list[str] = []
    memory = HistoryReader(History(tmp_path, tmp_path), tmp_path / "checkpoint").at(
        1e9, told.append
    )
    assert memory.usage("desk.md").accesses == 1
    assert [line.split(" of the")[0] for line in told] == ["0255.jsonl"]


def test_a_file_of_a_new_device_is_read_on_from_the_checkpoint(tmp_path: Path) -> None:
    history, cache = History(tmp_path / "history", "desk"), tmp_path / "checkpoint.json"
    history.append(
        [Event(float(at), SHOWN, [Mention("n.md", "x")]) for at in range(1_000, 1_200)]
    )
    HistoryReader(history, cache).at(1e6, print)
    History(history.folder, "phone").append([Event(2_000.0, SHOWN, [Mention("n.md", "x")])])
    assert len(read_lines(history, load(cache).ends).lines) == 1
    assert HistoryReader(history, cache).at(1e6, print).usage("n.md").accesses == 201


@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_a_checkpoint_with_a_flipped_bit_is_ignored(place: int, bit: int) -> None:
    with TemporaryDirectory() as name:
        history, cache = History(Path(name) / "history", "desk"), Path(name) / "checkpoint.json"
        history.append(
            [Event(float(at), SHOWN, [Mention("n.md", "x")]) for at in range(1_000, 1_200)]
        )
        HistoryReader(history, cache).at(1e6, print)
        raw = bytearray(cache.read_bytes())
        raw[place % len(raw)] ^= 1 << bit
        cache.write_bytes(raw)
        assert HistoryReader(history, cache).at(1e6, print).usage("n.md").accesses == 200
