"""Relevance that fades with age, against its published numbers, on both of its curves."""

from __future__ import annotations

import pytest

from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.scorers.clawmem import EVERGREEN
from brain_cli.types import Signals


def weight(signals: Signals, **settings: object) -> float:
    return load_scorer("clawdbot", settings).score(signals).steps[-1].value


@pytest.mark.parametrize(
    ("age_days", "halving", "as_written"),
    [
        (0, 1.0, 1.0),
        (7, 0.850667, 0.791890),
        (30, 0.5, 0.367879),
        (90, 0.125, 0.1),
        (5000, 0.1, 0.1),
    ],
)
def test_the_weight_falls_with_age_on_either_curve(
    age_days: float, halving: float, as_written: float
) -> None:
    signals = Signals(age_days=age_days)
    assert weight(signals) == pytest.approx(halving, abs=1e-6)
    assert weight(signals, curve="halving") == weight(signals)
    assert weight(signals, curve="as-written") == pytest.approx(as_written, abs=1e-6)


@pytest.mark.parametrize(("curve", "reached"), [("halving", 99.66), ("as-written", 69.08)])
def test_the_floor_is_reached_at_its_day_and_not_before(curve: str, reached: float) -> None:
    assert weight(Signals(age_days=reached), curve=curve) == pytest.approx(0.1, abs=1e-6)
    assert weight(Signals(age_days=reached - 1), curve=curve) > 0.102
    assert weight(Signals(age_days=reached + 1), curve=curve) == 0.1


@pytest.mark.parametrize("kind", sorted(EVERGREEN))
def test_the_kinds_that_never_decay_keep_their_weight(kind: str) -> None:
    assert weight(Signals(age_days=4000, kind=kind)) == 1.0


def test_pinned_notes_keep_their_weight() -> None:
    assert weight(Signals(age_days=4000, pinned=True)) == 1.0


def test_the_weight_multiplies_the_relevance() -> None:
    assert load_scorer("clawdbot").score(
        Signals(relevance=0.8, age_days=30)
    ).total == pytest.approx(0.4)


def test_half_life_and_floor_can_be_set() -> None:
    assert weight(Signals(age_days=7), half_life_days=7) == pytest.approx(0.5)
    assert weight(Signals(age_days=3000), floor=0) == pytest.approx(0.0, abs=1e-12)
