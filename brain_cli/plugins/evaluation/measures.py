"""Compute nDCG@10, Recall@5 and MRR@10 of each question's ranking, and how uncertain their means are.

The measures are those of trec_eval (tests compare them):

nDCG@10    gains are the grades, discounted by log2(rank + 1), over the best possible order
Recall@5   share of the right notes that are among the first five
MRR@10     1 / rank of the first right note, 0 beyond the tenth

The uncertainty of a mean, and of a difference of means, is estimated by resampling, for any distribution of values.
Both draw from a seeded generator, so the same outcomes give the same numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from math import log2
from typing import NamedTuple

from brain_cli.plugins.evaluation.judged import Grades

NEWEST_RANKS = 3
NEWEST_GRADE = 2
RECENCY_CATEGORY = "recency-intent"
RESAMPLES = 1_000
FLIPS = 5_000
CONFIDENCE = 0.95
SEED = 20_240_607

# Measure → question id → value, 0..1.
Values = dict[str, dict[str, float]]


def values(rankings: Mapping[str, Sequence[str]], grades: Grades) -> Values:
    """Measure each question's ranking (paths, best first); an empty ranking has 0."""
    found: Values = {name: {} for name in MEASURES}
    for qid, paths in rankings.items():
        right = {path: grade for path, grade in grades[qid].items() if grade > 0}
        gains = [right.get(path, 0) for path in paths]
        for name, measure in MEASURES.items():
            found[name][qid] = measure(gains, right) if right else 0.0
    return found


def _ndcg_10(gains: Sequence[int], right: Mapping[str, int]) -> float:
    return _discounted(gains[:10]) / _discounted(sorted(right.values(), reverse=True)[:10])


def _recall_5(gains: Sequence[int], right: Mapping[str, int]) -> float:
    return sum(gain > 0 for gain in gains[:5]) / len(right)


def _mrr_10(gains: Sequence[int], right: Mapping[str, int]) -> float:
    return next((1 / rank for rank, gain in enumerate(gains[:10], 1) if gain), 0.0)


def _discounted(gains: Iterable[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


MEASURES = {"nDCG@10": _ndcg_10, "Recall@5": _recall_5, "MRR@10": _mrr_10}


def newest_on_top(ranking: Sequence[str], grades: Mapping[str, int]) -> bool:
    """Return whether the newest of the right notes (grade 2) is among the first three."""
    return any(grades.get(path, 0) >= NEWEST_GRADE for path in ranking[:NEWEST_RANKS])


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
    flipped = (map(float.__mul__, moved, draw.choices((1.0, -1.0), k=len(moved))) for _ in range(FLIPS))
    as_extreme = sum(abs(sum(each)) >= observed - 1e-9 for each in flipped)
    return Difference(mean(differences), (as_extreme + 1) / (FLIPS + 1))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share (0..1) of the values lies, by linear interpolation."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
