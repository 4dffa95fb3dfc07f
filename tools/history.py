"""How long a long history takes: `python tools/history.py`.

A hundred thousand recalls are read and folded from nothing, then, as a watcher and the next process
do, with one more at the end. Prints a Markdown table: milliseconds, and multiples of `python3 -c
pass` in the same run.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from brain_cli.history.log import SHOWN, Event, History, Mention
from brain_cli.history.log_reader import HistoryReader, HistorySnapshot

EVENTS = 100_000
NOTES = 2_000
NOTES_EACH = (1, 4)
NOW = 1_800_000_000.0
SPACING_SECONDS = 300.0
ROUNDS = 5


def event(chance: random.Random, at: float) -> Event:
    shown = chance.sample(range(NOTES), chance.randint(*NOTES_EACH))
    return Event(
        at, SHOWN, [Mention(f"notes/{each}.md", f"{each:064x}", at - 1e6) for each in shown]
    )


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def fail(line: str) -> None:
    raise SystemExit(line)


class Timed:
    """One history, and how long reading it took."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._history = History(folder / "history", "bench")
        self._chance = random.Random(7)
        self._history.append(
            event(self._chance, NOW - (EVENTS - n) * SPACING_SECONDS) for n in range(EVENTS)
        )

    def from_nothing(self) -> list[float]:
        return [seconds(lambda n=n: self._read(f"none-{n}.json", NOW)) for n in range(ROUNDS)]  # type: ignore[misc]

    def one_more(self) -> tuple[list[float], list[float]]:
        """Return how long a watcher takes to read on, and a new process from what another
        one kept.
        """
        self._read("kept.json", NOW)
        reading = HistoryReader(self._history, self._folder / "kept.json")
        reading.at(NOW, fail)
        held, begun = [], []
        for number in range(1, ROUNDS + 1):
            now = NOW + number * SPACING_SECONDS
            self._history.append([event(self._chance, now)])
            held.append(seconds(lambda now=now: reading.at(now, fail)))  # type: ignore[misc]
            begun.append(seconds(lambda now=now: self._read("kept.json", now)))  # type: ignore[misc]
        return held, begun

    def _read(self, cache: str, now: float) -> HistorySnapshot:
        return HistoryReader(self._history, self._folder / cache).at(now, fail)


def main() -> None:
    empty = statistics.median(
        seconds(lambda: subprocess.run([sys.executable, "-c", "pass"])) for _ in range(15)
    )
    with tempfile.TemporaryDirectory(prefix="brain-bench-") as folder:
        timed = Timed(Path(folder))
        anew, (held, begun) = timed.from_nothing(), timed.one_more()
    print(f"| {EVENTS:,} recalls | ms | p |\n|---|---:|---:|")
    for name, runs in (
        ("read from nothing", anew),
        ("one more, in a watcher", held),
        ("one more, in a process", begun),
    ):
        print(
            f"| {name} | {statistics.median(runs) * 1000:.1f} | {statistics.median(runs) / empty:.1f} |"
        )


if __name__ == "__main__":
    main()
