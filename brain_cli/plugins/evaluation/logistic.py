"""Fit a logistic regression by Newton's method: features → the probability that an answer is right.

    minimize  Σ weight * -ln P(what happened)  +  ridge / 2 * Σ (coefficient - start)²

The intercept is not penalized. The ridge keeps the other coefficients near `start` if there are few samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import NamedTuple

STEPS = 50
CONVERGED = 1e-7
# Beyond this z a probability is practically 0 or 1.
MAX_Z = 30.0


class Sample(NamedTuple):
    """One answer: its features, whether it was right, and its weight."""

    values: tuple[float, ...]
    right: bool
    weight: float = 1.0


def fit(samples: Sequence[Sample], start: Sequence[float], ridge: float) -> list[float]:
    """Return the fitted intercept and coefficients; `start` has the same length."""
    found = list(start)
    for _ in range(STEPS):
        gradient, curvature = _derivatives(samples, found, start, ridge)
        step = _solve(curvature, gradient)
        found = [value + change for value, change in zip(found, step, strict=True)]
        if max(map(abs, step)) < CONVERGED:
            break
    return found


def probability(coefficients: Sequence[float], values: Sequence[float]) -> float:
    """Return the probability (0..1) that an answer with these features is right."""
    z = coefficients[0] + sum(map(float.__mul__, coefficients[1:], values))
    return 1 / (1 + exp(-max(-MAX_Z, min(MAX_Z, z))))


def log_loss(coefficients: Sequence[float], sample: Sample) -> float:
    """Return -ln of the probability predicted for the outcome."""
    p = probability(coefficients, sample.values)
    return -log(p if sample.right else 1 - p)


def _derivatives(
    samples: Sequence[Sample], found: Sequence[float], start: Sequence[float], ridge: float
) -> tuple[list[float], list[list[float]]]:
    """Return the gradient, and the curvature as a positive definite matrix."""
    size = len(found)
    pulls = [1e-9, *(ridge for _ in found[1:])]
    gradient = [pull * (initial - value) for pull, initial, value in zip(pulls, start, found, strict=True)]
    curvature = [[pulls[row] if row == column else 0.0 for column in range(size)] for row in range(size)]
    for sample in samples:
        p = probability(found, sample.values)
        row_values = (1.0, *sample.values)
        error, spread = sample.weight * (sample.right - p), sample.weight * p * (1 - p)
        for row, value in enumerate(row_values):
            gradient[row] += error * value
            for column in range(row + 1):
                curvature[row][column] += spread * value * row_values[column]
    return gradient, [[curvature[max(r, c)][min(r, c)] for c in range(size)] for r in range(size)]


def _solve(matrix: Sequence[Sequence[float]], right_side: Sequence[float]) -> list[float]:
    """Solve a linear system by Gaussian elimination with pivoting."""
    rows = [[*row, value] for row, value in zip(matrix, right_side, strict=True)]
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column and rows[row][column]:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return [row[-1] / row[index] for index, row in enumerate(rows)]
