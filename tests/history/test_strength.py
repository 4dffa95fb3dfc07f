"""What a recall adds to a memory: the vectors of the specification, and what must hold for every
number.
"""

from __future__ import annotations

import pytest

from brain_cli.history.usage import (
    base_strength,
    boost,
    configured_kinds,
    never_decays,
    reinforced_rate,
    reinforced_strength,
)


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
def test_a_recall_strengthens_more_after_a_pause_and_less_each_time(
    days: float, accesses: float, gain: float
) -> None:
    assert boost(days, accesses) == pytest.approx(gain, abs=1e-6)


def test_strength_never_exceeds_1() -> None:
    assert reinforced_strength(0.99, boost(30, 0)) == 1.0


def test_a_recall_slows_the_decay_by_a_tenth_of_the_way_to_the_goal() -> None:
    assert reinforced_rate(0.989, 1) == pytest.approx(0.990)
    assert reinforced_rate(0.989, 2) == pytest.approx(
        reinforced_rate(reinforced_rate(0.989, 1), 1)
    )


def test_a_decay_rate_never_falls() -> None:
    assert reinforced_rate(0.9995, 3) == 0.9995


@pytest.mark.parametrize(
    ("kind", "strength", "decay_rate"),
    [
        ("insight", 0.90, 0.997),
        ("decision", 0.85, 0.995),
        ("goal", 0.80, 0.993),
        ("experience", 0.75, 0.985),
        ("learning", 0.70, 0.990),
        ("relationship", 0.70, 0.997),
        ("preference", 0.60, 0.998),
        ("observation", 0.40, 0.950),
        ("project", 0.75, 0.993),
        ("handoff", 0.55, 0.970),
        ("conversation", 0.50, 0.980),
        ("progress", 0.50, 0.980),
        ("any other", 0.70, 0.990),
    ],
)
def test_each_kind_begins_with_its_own_strength_and_decay(
    kind: str, strength: float, decay_rate: float
) -> None:
    assert base_strength(kind) == base_strength(kind.upper()) == (strength, decay_rate)


def test_the_configuration_changes_a_kind_or_adds_one() -> None:
    kinds = configured_kinds(
        {"Goal": {"strength": 0.1}, "recipe": {"decay_rate": 0.5}, "x": {}}
    )
    assert kinds == {"goal": (0.1, 0.993), "recipe": (0.70, 0.5), "x": (0.70, 0.990)}


@pytest.mark.parametrize(
    "kind", ["decision", "deductive", "preference", "hub", "antipattern", "Decision"]
)
def test_some_kinds_never_decay(kind: str) -> None:
    assert never_decays(kind)
    assert not never_decays(f"{kind}s")


def test_impossible_numbers_count_as_zero() -> None:
    assert boost(-5, -5) == boost(0, 0)
    assert boost(1e300, 0) == pytest.approx(0.15)


def test_strengths_add_up_below_1() -> None:
    assert reinforced_strength(0.5, 0.25) == 0.75
