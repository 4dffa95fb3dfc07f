"""How long things take, beside an empty Python, SQLite FTS5 and ripgrep: `python tests/benchmarks/run.py`.

Every run is a new process; the cases take turns, so that a busy moment of the machine meets all of them; medians
are shown in milliseconds, and as multiples of `python3 -c pass`, which travel better from machine to machine.
Prints a Markdown table and, below it, one JSON document.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import select
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from vaults import questions, write_vault

PYTHON = "python3 -c pass"
HELP = "brain --help"
RECALL = "recall: brain remember … --json"
WARM = "recall, with brain index --watch running"
UNCHANGED = "brain index, nothing changed"
CHANGED = "brain index, one note changed"
FULL = "brain index --full"
FTS5 = "SQLite FTS5, python3 and one query"
RIPGREP = "ripgrep, any of the words"
# At 1,000 notes; multiples of an empty Python.
BARS = {HELP: 9.0, RECALL: 18.0, UNCHANGED: 11.0, CHANGED: 22.0}
FRAGMENTS_PER_CPU_SECOND = 700.0
BARS_UP_TO_NOTES = 1_000

QUERY_FTS5 = """
import sqlite3, sys
words = " OR ".join(f'"{word}"' for word in sys.argv[2].split())
for row in sqlite3.connect(sys.argv[1]).execute(
    "SELECT path, bm25(notes) FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 10", (words,)
):
    print(*row)
"""


class Run(NamedTuple):
    """One process: wall-clock and processor seconds, and the most memory it held (KiB)."""

    seconds: float
    cpu_seconds: float
    peak_kib: int


class Bench:
    """One vault in a home of its own, and the processes that are measured on it."""

    def __init__(self, root: Path, fragments: int) -> None:
        self.vault = root / "notes"
        self.notes = write_vault(self.vault, fragments)
        self.files = sorted(self.vault.rglob("*.md"))
        self._database = root / "fts5.sqlite"
        self._home = root
        self._questions = questions()
        self._brain = _program()

    def environ(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("BRAIN_", "XDG_"))}
        return {**kept, "HOME": str(self._home), "BRAIN_VAULT": str(self.vault)}

    def run(self, *command: str) -> Run:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, env=self.environ(), cwd=self._home, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        # 1 is “nothing found”, for brain as for ripgrep.
        if process.returncode not in (0, 1):
            raise SystemExit(f"{command} ended with {process.returncode}")
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)

    def cases(self) -> dict[str, Callable[[], Run]]:
        """What is measured, by name, in the order of the table."""
        found = {
            PYTHON: lambda: self.run(sys.executable, "-c", "pass"),
            HELP: lambda: self.run(*self._brain, "--help"),
            RECALL: self.recall,
            UNCHANGED: lambda: self.run(*self._brain, "index"),
            CHANGED: self._changed,
            FTS5: lambda: self.run(sys.executable, "-c", QUERY_FTS5, str(self._database), next(self._questions)),
        }
        if shutil.which("rg"):
            found[RIPGREP] = lambda: self.run(
                "rg", "-i", "-c", next(self._questions).replace(" ", "|"), str(self.vault)
            )
        return found

    def recall(self) -> Run:
        return self.run(*self._brain, "remember", next(self._questions), "--json")

    def _changed(self) -> Run:
        """Append a line to the next note, and let the index take it in."""
        file = self.files.pop(0)
        self.files.append(file)
        with file.open("a", encoding="utf-8") as note:
            note.write("\nOne more line about the queue and what became of it.\n")
        return self.run(*self._brain, "index")

    def full(self) -> Run:
        return self.run(*self._brain, "index", "--full")

    def fragments(self) -> int:
        told = subprocess.run(
            [*self._brain, "index", "--json"], env=self.environ(), cwd=self._home, capture_output=True, check=True
        )
        return int(json.loads(told.stdout)["fragments"])

    def build_fts5(self) -> float:
        """Put the same notes into SQLite; return the processor seconds it took."""
        started = time.process_time()
        with sqlite3.connect(self._database) as database:
            database.execute("CREATE VIRTUAL TABLE notes USING fts5(path, text, tokenize='porter unicode61')")
            rows = ((str(file), section) for file in self.files for section in file.read_text().split("\n#"))
            database.executemany("INSERT INTO notes VALUES (?, ?)", rows)
        database.close()
        return time.process_time() - started

    def warm(self, rounds: int) -> Iterator[Run]:
        """Recall while a watcher keeps the index in memory; nothing where there is no watcher."""
        told = subprocess.run([*self._brain, "index", "--help"], env=self.environ(), capture_output=True, check=True)
        if b"--watch" not in told.stdout:
            return
        watcher = subprocess.Popen(
            [*self._brain, "index", "--watch"], env=self.environ(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            assert watcher.stdout
            select.select([watcher.stdout], [], [], 5.0)
            self.recall()
            if watcher.poll() is None:
                yield from (self.recall() for _ in range(rounds))
        finally:
            watcher.terminate()
            watcher.wait(10.0)


def _program() -> list[str]:
    """Return `brain` as it is installed beside this Python."""
    installed = Path(sys.executable).with_name("brain")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "brain_cli"]


def measure(fragments: int, rounds: int) -> dict[str, Any]:
    """Return the medians for one size, in seconds."""
    with tempfile.TemporaryDirectory(prefix="brain-bench-") as folder:
        bench = Bench(Path(folder), fragments)
        full = [bench.full() for _ in range(3 if fragments <= 20_000 else 1)]
        fts5_cpu = bench.build_fts5()
        counted = bench.fragments()
        cases = bench.cases()
        for case in cases.values():
            case()  # the first run of a program is its disk's
        runs = {name: [] for name in cases}
        for _ in range(rounds):
            for name, case in cases.items():
                runs[name].append(case())
        runs[WARM] = list(bench.warm(rounds))
        medians = {name: statistics.median(run.seconds for run in each) for name, each in runs.items() if each}
    cpu = statistics.median(run.cpu_seconds for run in full)
    return {
        "fragments": counted,
        "notes": bench.notes,
        "rounds": rounds,
        "seconds": {**medians, FULL: statistics.median(run.seconds for run in full)},
        "full_peak_mib": max(run.peak_kib for run in full) / 1024,
        "full_cpu_seconds": cpu,
        "fragments_per_cpu_second": counted / cpu,
        "fts5_build_cpu_seconds": fts5_cpu,
    }


def table(results: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a Markdown table: one column a size, milliseconds and multiples of an empty Python."""
    yield "| | " + " | ".join(f"{each['notes']:,} notes, {each['fragments']:,} fragments" for each in results) + " |"
    yield "|---|" + "---:|" * len(results)
    for name in (PYTHON, HELP, RECALL, WARM, UNCHANGED, CHANGED, FULL, FTS5, RIPGREP):
        if any(name in each["seconds"] for each in results):
            yield f"| {name} | " + " | ".join(_cell(each, name) for each in results) + " |"
    rates = (f"{each['fragments_per_cpu_second']:,.0f}" for each in results)
    yield "| fragments indexed per CPU second | " + " | ".join(rates) + " |"


def _cell(result: dict[str, Any], name: str) -> str:
    seconds = result["seconds"].get(name)
    if seconds is None:
        return "–"
    took = f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
    return took if name == PYTHON else f"{took} ({seconds / result['seconds'][PYTHON]:.1f} p)"


def missed(result: dict[str, Any]) -> Iterator[str]:
    """Yield what took longer than it may."""
    if result["notes"] > BARS_UP_TO_NOTES:
        return
    empty = result["seconds"][PYTHON]
    for name, bar in BARS.items():
        if result["seconds"][name] > bar * empty:
            yield f"{name}: {result['seconds'][name] / empty:.1f} p, at most {bar:g} p"
    if result["fragments_per_cpu_second"] < FRAGMENTS_PER_CPU_SECOND:
        yield f"{FULL}: {result['fragments_per_cpu_second']:.0f} fragments per CPU second"


def machine() -> dict[str, Any]:
    names = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
    }


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if os.path.exists(path) else []


def size(text: str) -> int:
    return int(text[:-1]) * 1000 if text.endswith("k") else int(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--sizes", default="1k,10k", help="in fragments, say 1k,10k,100k; 8k are the 1,000 notes of the bars"
    )
    parser.add_argument("--rounds", type=int, default=15, help="how often each command is run")
    given = parser.parse_args()
    before = machine()
    results = [measure(size(text), given.rounds) for text in given.sizes.split(",")]
    print(f"{before['processor']}, {before['cores']} cores, {before['system']}, Python {before['python']}.\n")
    print("\n".join(table(results)))
    print("\n" + json.dumps({"machine": {**before, "load_after": os.getloadavg()[0]}, "sizes": results}))
    failures = [line for each in results for line in missed(each)]
    for line in failures:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
