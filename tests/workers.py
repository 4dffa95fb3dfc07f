"""Share the work between the processes that run the tests (pytest-xdist)."""

from __future__ import annotations

import os

import pytest

# The tests of these folders take long, because they start processes, servers and daemons. They run first: a long test
# at the end would leave all other processes without work.
FIRST = ("docs", "agents", "exchange", "team", "daemon", "cli", "meaning", "index", "memory", "torture")


def number_of_workers() -> int:
    """Return two processes for each core: many tests wait for other processes."""
    return 2 * (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1))


def run_long_tests_first(items: list[pytest.Item]) -> None:
    """Bring the tests into the same order in every process: folders with long tests first."""
    items.sort(key=_order)


def _order(item: pytest.Item) -> tuple[int, str]:
    folder, name = item.path.parent.name, str(item.path)
    return (FIRST.index(folder) if folder in FIRST else len(FIRST)), name
