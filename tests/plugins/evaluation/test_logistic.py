"""Logistic regression: it finds what the samples were made with, and stays where it was told
without samples.
"""

from __future__ import annotations

import random

import pytest

from brain_cli.plugins.evaluation.tune import Sample, fit, log_loss, probability

TRUE = (-1.0, 2.0, -3.0)


def samples(count: int) -> list[Sample]:
    draw = random.Random(11)
    drawn = [(draw.random(), draw.random()) for _ in range(count)]
    return [Sample(values, draw.random() < probability(TRUE, values)) for values in drawn]


@pytest.mark.exhaustive
def test_the_coefficients_that_made_the_samples_are_found() -> None:
    assert fit(samples(20_000), (0.0, 0.0, 0.0), ridge=0.01) == pytest.approx(TRUE, abs=0.2)


def test_no_other_coefficients_fit_better() -> None:
    drawn = samples(500)
    best = fit(drawn, (0.0, 0.0, 0.0), ridge=0.0)
    loss = sum(log_loss(best, each) for each in drawn)
    for place in range(3):
        for change in (-0.1, 0.1):
            other = [value + change * (index == place) for index, value in enumerate(best)]
            assert sum(log_loss(other, each) for each in drawn) > loss


def test_a_large_ridge_keeps_the_start() -> None:
    start = (0.3, 0.5, -0.5)
    assert fit(samples(50), start, ridge=1e9)[1:] == pytest.approx(start[1:], abs=1e-3)


def test_twice_the_weight_counts_like_two_samples() -> None:
    once = samples(40)
    twice = [sample._replace(weight=2.0) for sample in once]
    assert fit(twice, (0.0,) * 3, ridge=1.0) == pytest.approx(
        fit([*once, *once], (0.0,) * 3, ridge=1.0)
    )
