"""What a recall adds to a memory: the vectors of the specification, and what must hold for every number."""

from __future__ import annotations

import pytest

from brain_cli.memory.strength import boost, reinforced_rate, reinforced_strength


@pytest.mark.parametrize(
    ("days", "accesses", "gain"),
    [
        (0, 0, 0.05),
        (1, 0, 0.10),
        (3, 0, 0.15),
        (30, 0, 0.15),
        (0, 10, 0.025),
        (1, 5, 0.066667),
        (7, 3, 0.115385),
    ],
)
def test_a_recall_strengthens_more_after_a_pause_and_less_each_time(days: float, accesses: float, gain: float) -> None:
    assert boost(days, accesses) == pytest.approx(gain, abs=1e-6)


def test_strength_never_exceeds_1() -> None:
    assert reinforced_strength(0.99, boost(30, 0)) == 1.0


def test_a_recall_slows_the_decay_by_a_tenth_of_the_way_to_the_goal() -> None:
    assert reinforced_rate(0.989, 1) == pytest.approx(0.990)
    assert reinforced_rate(0.989, 2) == pytest.approx(reinforced_rate(reinforced_rate(0.989, 1), 1))


def test_a_decay_rate_never_falls() -> None:
    assert reinforced_rate(0.9995, 3) == 0.9995
