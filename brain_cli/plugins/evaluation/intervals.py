"""Estimate the uncertainty of a mean and of a difference of means by resampling, for any distribution of values.

Both draw from a seeded generator, so the same outcomes give the same numbers.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

RESAMPLES = 1_000
FLIPS = 5_000
CONFIDENCE = 0.95
SEED = 20_240_607


class Estimate(NamedTuple):
    """A mean and its 95 % confidence interval."""

    mean: float
    low: float
    high: float


class Difference(NamedTuple):
    """The difference between a mean and the baseline's, and the probability of so large a difference by chance."""

    mean: float
    p: float


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 if there are no values."""
    return sum(values) / len(values) if values else 0.0


def estimate(values: Sequence[float]) -> Estimate:
    """Estimate a mean by the percentile bootstrap (Efron 1979): quantiles of the means of resamples."""
    if not values:
        return Estimate(0.0, 0.0, 0.0)
    draw = random.Random(SEED)
    means = [mean(draw.choices(values, k=len(values))) for _ in range(RESAMPLES)]
    tail = (1 - CONFIDENCE) / 2
    return Estimate(mean(values), percentile(means, tail), percentile(means, 1 - tail))


def difference(values: Sequence[float], baseline: Sequence[float]) -> Difference:
    """Compare pairs by Fisher's randomisation test: without a real difference, each sign is equally likely."""
    differences = [value - other for value, other in zip(values, baseline, strict=True)]
    moved = [each for each in differences if each]
    observed = abs(sum(moved))
    draw = random.Random(SEED)
    # The tolerance covers rounding errors of the same sum in another order.
    as_extreme = sum(abs(_flipped(moved, draw)) >= observed - 1e-9 for _ in range(FLIPS))
    return Difference(mean(differences), (as_extreme + 1) / (FLIPS + 1))


def _flipped(differences: Sequence[float], draw: random.Random) -> float:
    signs = draw.choices((1.0, -1.0), k=len(differences))
    return sum(map(float.__mul__, differences, signs))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share (0..1) of the values lies, by linear interpolation."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
