"""The six-factor recall score, against its published numbers."""

from __future__ import annotations

from typing import Any

import pytest

from brain_cli.history.usage import decayed_strength
from brain_cli.ranking.scorers import Score, load_scorer
from brain_cli.types import Signals

ALL_FACTORS = Signals(relevance=0.9, kind="decision", idle_days=30, spreading=0.2, context=0.7)


def brain(signals: Signals) -> Score:
    return load_scorer("brain").score(signals)


def value(score: Score, name: str) -> float:
    return next(step.value for step in score.steps if step.name == name)


@pytest.mark.parametrize(
    ("idle_days", "recency"),
    [(0, 1.00), (30, 0.92), (90, 0.75), (180, 0.51), (270, 0.26), (365, 0.00), (400, 0.0)],
)
def test_recency_fades_to_nothing_within_a_year(idle_days: float, recency: float) -> None:
    assert value(brain(Signals(idle_days=idle_days)), "recency") == pytest.approx(
        recency, abs=0.005
    )


def test_with_all_six_factors_the_weights_are_the_published_ones() -> None:
    weights = {step.name: step.weight for step in brain(ALL_FACTORS).steps}
    assert weights == {
        "relevance": 0.38,
        "decayed_strength": 0.18,
        "recency": 0.08,
        "spreading": 0.14,
        "context": 0.14,
        "salience": 0.08,
    }


@pytest.mark.parametrize("absent", [("spreading",), ("context",), ("spreading", "context")])
def test_without_a_factor_the_weights_of_the_others_sum_to_1(absent: tuple[str, ...]) -> None:
    given: dict[str, Any] = {"spreading": 0.5, "context": 0.5} | dict.fromkeys(absent)
    steps = brain(Signals(**given)).steps
    assert not {step.name for step in steps} & set(absent)
    assert sum(step.weight or 0.0 for step in steps) == pytest.approx(1.0)


def test_a_factor_of_0_is_present_and_lowers_the_score() -> None:
    assert brain(Signals(relevance=1, context=0)).total < brain(Signals(relevance=1)).total


def test_a_perfect_match_in_a_vault_without_links_can_be_strong() -> None:
    assert brain(Signals(relevance=1)).share > 0.7


def test_strength_decays_by_its_rate_each_idle_day() -> None:
    assert decayed_strength(Signals(kind="observation", idle_days=2)) == pytest.approx(
        0.40 * 0.95**2
    )


def test_a_notes_own_strength_and_rate_win_over_its_kinds() -> None:
    own = Signals(kind="observation", strength=0.8, decay_rate=0.5, idle_days=1)
    assert decayed_strength(own) == pytest.approx(0.4)


def test_a_pinned_note_does_not_decay() -> None:
    assert decayed_strength(Signals(kind="observation", idle_days=900, pinned=True)) == 0.40


def test_a_note_never_recalled_has_been_idle_since_its_timestamp() -> None:
    assert decayed_strength(Signals(age_days=9)) == decayed_strength(Signals(idle_days=9))
