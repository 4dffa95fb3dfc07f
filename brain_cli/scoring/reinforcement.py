"""What being recalled does to a note's strength and to its daily decay rate.

    strength' = min(1, strength + 0.05 * min(3, 1 + log2(1 + d)) / (1 + 0.1 * n))
    rate'     = max(rate, rate + 0.1 * (0.999 - rate))

d   days since the access before, 0..∞: a recall after a pause teaches more, up to threefold
n   accesses before this one, 0..∞: each further recall teaches less
`strength` and `rate` are 0..1. Folded over the history in time order.

Publication: the `brain` scoring formula, "Strength & Decay"; the boost and its bounds are ours.
"""

from __future__ import annotations

from math import log2

from brain_cli.scoring.bounds import count, elapsed, unit

BOOST = 0.05
SPACING_CAP = 3.0
FATIGUE = 0.1
RATE_GAIN = 0.1
RATE_GOAL = 0.999


def reinforced_strength(strength: float, days_since_access: float, accesses_before: float) -> float:
    spacing = min(SPACING_CAP, 1 + log2(1 + elapsed(days_since_access)))
    return unit(unit(strength) + BOOST * spacing / (1 + FATIGUE * count(accesses_before)))


def reinforced_rate(rate: float) -> float:
    """Never lower than before: a rate above the goal stays as it is."""
    rate = unit(rate)
    return max(rate, rate + RATE_GAIN * (RATE_GOAL - rate))
