"""The threshold for what is shown unasked: near the best, if the best is worth it."""

from __future__ import annotations

import pytest

from brain_cli.ranking.threshold import THRESHOLDS, surfaced


@pytest.mark.parametrize(
    ("profile", "ratio", "floor"),
    [("speed", 0.65, 0.24), ("balanced", 0.55, 0.20), ("deep", 0.45, 0.16)],
)
def test_each_profile_keeps_what_is_near_enough_to_the_best(
    profile: str, ratio: float, floor: float
) -> None:
    threshold = THRESHOLDS[profile]
    assert surfaced([0.8, 0.8 * ratio + 0.01, 0.8 * ratio - 0.01], threshold) == [0, 1]
    assert surfaced([floor], threshold) == [0]
    assert surfaced([floor - 0.01], threshold) == []


def test_a_score_at_the_ratio_exactly_is_kept() -> None:
    assert surfaced([0.8, 0.44], THRESHOLDS["balanced"]) == [0, 1]


def test_the_floor_asks_about_the_best_only() -> None:
    assert surfaced([0.21, 0.15], THRESHOLDS["balanced"]) == [0, 1]


def test_the_order_given_is_kept() -> None:
    assert surfaced([0.5, 0.1, 0.8], THRESHOLDS["balanced"]) == [0, 2]


def test_of_nothing_nothing_is_shown() -> None:
    assert surfaced([], THRESHOLDS["deep"]) == []
