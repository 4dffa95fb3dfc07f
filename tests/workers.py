"""Share the work between the processes that run the tests (pytest-xdist)."""

from __future__ import annotations

import os
from typing import TypeVar

import pytest

Collected = TypeVar("Collected", bound=pytest.Item | pytest.Collector)

# The tests of these folders take long, because they start processes, servers and daemons. They run
# first: a long test at the end would leave all other processes without work.
FIRST = (
    "docs",
    "agents",
    "exchange",
    "team",
    "daemon",
    "cli",
    "meaning",
    "index",
    "contracts",
    "torture",
)


def number_of_workers() -> int:
    """Return three processes for two cores: many tests wait for other processes, but each worker
    imports all tests.
    """
    cores = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else (os.cpu_count() or 1)
    )
    return cores + (cores + 1) // 2


def begin_elsewhere(files: list[Collected]) -> list[Collected]:
    """Let each process begin to collect at another file of a folder.

    The first to import a test compiles it; all others wait for nothing and find it compiled. The
    order of the tests is made alike afterwards.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = worker * len(files) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return files[first:] + files[:first]


def run_long_tests_first(items: list[pytest.Item]) -> None:
    """Bring the tests into the same order in every process: folders with long tests first."""
    items.sort(key=_order)


def _order(item: pytest.Item) -> tuple[int, str]:
    folder, name = item.path.parent.name, str(item.path)
    return (FIRST.index(folder) if folder in FIRST else len(FIRST)), name
