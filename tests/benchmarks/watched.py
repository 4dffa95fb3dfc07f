"""What a watcher is measured by: warm recalls, how soon a saved note is found, and the memory it holds."""

from __future__ import annotations

import contextlib
import json
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from processes import Bench

# Every question another one: nothing is to be gained by remembering answers.
WARM_QUESTIONS = 100
SAVED_NOTES = 5
PATIENCE_SECONDS = 30.0


class Watched(NamedTuple):
    """Seconds of whole processes and, as the answers tell it, inside the watcher; to a saved note; memory in MiB.

    `empty` are the seconds of `python3 -c pass` between the recalls.
    """

    recalls: list[float]
    empty: list[float]
    inside: list[float]
    saved: list[float]
    memory_mib: float

    @property
    def p95_inside(self) -> float:
        return statistics.quantiles(self.inside, n=20)[-1]


def watched(bench: Bench) -> Watched:
    """Measure a watcher on a vault whose index is fresh."""
    with _watcher(bench) as watcher:
        _recall(bench, next(bench.questions))
        recalls, inside, empty = [], [], []
        for _ in range(WARM_QUESTIONS):
            empty.append(bench.run(sys.executable, "-c", "pass").seconds)
            seconds, seconds_inside = _recall(bench, next(bench.questions))
            recalls.append(seconds)
            inside.append(seconds_inside)
        saved = [_saved(bench, number) for number in range(SAVED_NOTES)]
        return Watched(recalls, empty, inside, saved, _memory_mib(watcher.pid))


@contextlib.contextmanager
def _watcher(bench: Bench) -> Iterator[subprocess.Popen[bytes]]:
    watcher = subprocess.Popen(
        [*bench.brain, "index", "--watch"], env=bench.environ(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        assert watcher.stdout
        select.select([watcher.stdout], [], [], PATIENCE_SECONDS)
        yield watcher
    finally:
        watcher.terminate()
        watcher.wait(10.0)


def _recall(bench: Bench, question: str) -> tuple[float, float]:
    """Return the seconds of a recall, for the process that asks and inside the one that answers."""
    started = time.perf_counter()
    answer = _answer(bench, question)
    return time.perf_counter() - started, json.loads(answer)["elapsed_ms"] / 1000


def _answer(bench: Bench, question: str) -> bytes:
    command = [*bench.brain, "remember", question, "--json", "--no-touch"]
    return subprocess.run(command, env=bench.environ(), cwd=bench.home, capture_output=True, check=False).stdout


def _saved(bench: Bench, number: int) -> float:
    """Return the seconds from saving a note to its being recalled by a word that no other note has."""
    word = f"zyx{'abcdefgh'[number]}ulon"
    started = time.perf_counter()
    (bench.vault / f"saved-{number}.md").write_text(f"# Saved\n\nThe {word} is here.\n", encoding="utf-8")
    while time.perf_counter() - started < PATIENCE_SECONDS:
        if b"saved-" in _answer(bench, word):
            return time.perf_counter() - started
    raise SystemExit(f"a saved note was not recalled within {PATIENCE_SECONDS:g} seconds")


def _memory_mib(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
