"""How long things take, beside an empty Python, SQLite FTS5, ripgrep, recoll and qmd: `python tests/benchmarks/run.py`.

Every run is a new process; the cases take turns, so that a busy moment of the machine meets all of them; medians
are shown in milliseconds, and as multiples of `python3 -c pass`, which travel better from machine to machine.
Prints a Markdown table and, below it, one JSON document.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from processes import (
    CHANGED,
    FTS5,
    HELP,
    PYTHON,
    QMD,
    QMD_INDEX,
    RECALL,
    RECOLL,
    RECOLL_INDEX,
    RIPGREP,
    UNCHANGED,
    Bench,
)
from watched import Watched, watched

WARM = "recall, with brain index --watch running"
FULL = "brain index --full"
SAVED = "a saved note is recalled after"
# At most so many multiples of an empty Python, at 1,000, 10,000 and 100,000 fragments and more.
BARS = {
    HELP: (4.0, 4.0, 4.0),
    RECALL: (16.0, 16.0, 30.0),
    WARM: (3.0, 3.5, 8.0),
    UNCHANGED: (6.0, 6.0, 60.0),
    CHANGED: (14.0, 14.0, 60.0),
}
FRAGMENTS_PER_SECOND = 1_000.0


def measure(size: str, rounds: int) -> dict[str, Any]:
    """Return what one size takes: medians in seconds, of `rounds` runs of each command."""
    with tempfile.TemporaryDirectory(prefix="brain-bench-") as folder:
        bench = Bench(Path(folder), size)
        full = [bench.full() for _ in range(3 if bench.notes <= 2_000 else 1)]
        fts5_cpu = bench.build_fts5()
        counted = bench.fragments()
        cases = bench.cases()
        for case in cases.values():
            case()  # the first run of a program is its disk's
        runs: dict[str, list[float]] = {name: [] for name in cases}
        cpu_runs: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(rounds):
            for name, case in cases.items():
                run = case()
                runs[name].append(run.seconds)
                cpu_runs[name].append(run.cpu_seconds)
        warm = watched(bench)
    runs |= {WARM: warm.recalls, FULL: [run.seconds for run in full], SAVED: warm.saved}
    runs |= {name: [run.seconds] for name, run in bench.indexing.items()}
    cpu_runs |= {name: [run.cpu_seconds] for name, run in bench.indexing.items()}
    cpu = statistics.median(run.cpu_seconds for run in full)
    return {
        "fragments": counted,
        "notes": bench.notes,
        "rounds": rounds,
        "seconds": {name: statistics.median(each) for name, each in runs.items()},
        "cpu_seconds": {name: statistics.median(each) for name, each in (cpu_runs | {FULL: [cpu]}).items()},
        "multiples": {WARM: statistics.median(warm.recalls) / statistics.median(warm.empty)},
        **_of_the_watcher(warm),
        "full_peak_mib": max(run.peak_kib for run in full) / 1024,
        "fragments_per_second": counted / statistics.median(runs[FULL]),
        "fragments_per_cpu_second": counted / cpu,
        "fts5_build_cpu_seconds": fts5_cpu,
    }


def _of_the_watcher(warm: Watched) -> dict[str, float]:
    return {
        "inside_p50_seconds": statistics.median(warm.inside),
        "inside_p95_seconds": warm.p95_inside,
        "watcher_mib": warm.memory_mib,
    }


def table(results: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a Markdown table: one column a size, milliseconds and multiples of an empty Python."""
    yield "| | " + " | ".join(f"{each['notes']:,} notes, {each['fragments']:,} fragments" for each in results) + " |"
    yield "|---|" + "---:|" * len(results)
    others = (FTS5, RIPGREP, RECOLL, QMD, RECOLL_INDEX, QMD_INDEX)
    for name in (PYTHON, HELP, RECALL, WARM, UNCHANGED, CHANGED, FULL, *others):
        if any(name in each["seconds"] for each in results):
            yield _row(name, (_cell(each, name) for each in results))
    yield _row("inside the watcher, median / 95th of 100", map(_inside, results))
    yield _row(SAVED, (f"{each['seconds'][SAVED]:.2f} s" for each in results))
    yield _row("memory of the watcher", (f"{each['watcher_mib']:.0f} MiB" for each in results))
    yield _row("most memory of a full build", (f"{each['full_peak_mib']:.0f} MiB" for each in results))
    yield _row("fragments indexed per second", (f"{each['fragments_per_second']:,.0f}" for each in results))


def _inside(result: dict[str, Any]) -> str:
    median, p95 = (result[f"inside_{each}_seconds"] * 1000 for each in ("p50", "p95"))
    return f"{median:.0f} / {p95:.0f} ms"


def _row(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def _cell(result: dict[str, Any], name: str) -> str:
    seconds = result["seconds"].get(name)
    if seconds is None:
        return "–"
    took = f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
    cpu = result["cpu_seconds"].get(name)
    if cpu is not None:
        took += f", {cpu:.1f} s CPU" if cpu >= 1 else f", {cpu * 1000:.0f} ms CPU"
    return took if name == PYTHON else f"{took} ({multiple(result, name):.1f} p)"


def multiple(result: dict[str, Any], name: str) -> float:
    """Return how many times an empty Python something takes: in processor seconds, which other programs disturb less.

    A recall from the watcher is measured by the clock, because two processes work on it.
    """
    if name in result["multiples"]:
        return float(result["multiples"][name])
    kind = "cpu_seconds" if name in result["cpu_seconds"] else "seconds"
    return float(result[kind][name] / result[kind][PYTHON])


def missed(result: dict[str, Any]) -> Iterator[str]:
    """Yield what took longer than it may."""
    index_directory = min(2, sum(result["notes"] > notes for notes in (1_000, 2_000)))
    for name, bars in BARS.items():
        if multiple(result, name) > bars[index_directory]:
            yield f"{name}: {multiple(result, name):.1f} p, at most {bars[index_directory]:g} p"
    if result["fragments_per_second"] < FRAGMENTS_PER_SECOND:
        yield f"{FULL}: {result['fragments_per_second']:.0f} fragments per second"


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--sizes", default="1k,10k", help="fragments (10k), notes of a vault as found (found:6500), or a folder"
    )
    parser.add_argument("--rounds", type=int, default=15, help="how often each command is run")
    given = parser.parse_args()
    before = machine()
    results = [measure(size, given.rounds) for size in given.sizes.split(",")]
    print(f"{before['processor']}, {before['cores']} cores, {before['system']}, Python {before['python']}.\n")
    print("\n".join(table(results)))
    print("\n" + json.dumps({"machine": {**before, "load_after": os.getloadavg()[0]}, "sizes": results}))
    failures = [line for each in results for line in missed(each)]
    for line in failures:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
