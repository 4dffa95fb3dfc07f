"""The one way in which a test may look at time: how it grows with the input, in one run on one
machine.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

Input = TypeVar("Input")
DOUBLED = 2.5
# Below this, the clock measures chance.
MIN_SECONDS = 0.1
ATTEMPTS = 6


def assert_linear(
    work: Callable[[Input], object], make: Callable[[int], Input], size: int
) -> None:
    """Fail if twice the input takes more than 2.5 times the processor time, in every one of six
    measurements.

    Other work on the machine may disturb some of them; a function that grows with the square fails
    all.
    """
    grown = []
    for _ in range(ATTEMPTS):
        # Four times the input shows a square where twice might be chance. What disturbs the small one could
        # hide that; what disturbs the large one costs another attempt.
        small, large = _seconds(work, make(size), 3), _seconds(work, make(4 * size), 1)
        if large <= max(MIN_SECONDS, DOUBLED**2 * small):
            return
        grown.append((small, large))
    pytest.fail(f"seconds for an input and for four times as much: {grown}")


def _seconds(work: Callable[[Input], object], argument: Input, runs: int) -> float:
    """Return the least processor time of some runs; one run is enough for what the clock cannot
    tell.
    """
    least = float("inf")
    gc.disable()  # how often it runs depends on the tests before
    try:
        for _ in range(runs):
            started = time.process_time()
            work(argument)
            least = min(least, time.process_time() - started)
            if least < MIN_SECONDS / 20:
                break
    finally:
        gc.enable()
    return least
