"""The one place where signals are brought into their ranges; NaN counts as 0 everywhere.

`max(0.0, value)` keeps its first argument when `value` is NaN: the order of the arguments is the NaN rule.
"""

from __future__ import annotations

# Larger than any vault or lifetime; finite, so that no formula meets infinity times zero.
MOST = 1e12


def unit(value: float) -> float:
    """Return a share, clamped to 0..1."""
    return min(1.0, max(0.0, value))


def elapsed(value: float) -> float:
    """Return an age or an idle time that is never negative (the future counts as today) and never infinite."""
    return min(MOST, max(0.0, value))


def count(value: float) -> float:
    """Return a count that is never negative and never infinite."""
    return min(MOST, max(0.0, value))
