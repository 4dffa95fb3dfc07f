"""What every formula promises, whatever it computes: one class that each registered scorer passes."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.history.usage import STRENGTHS
from brain_cli.ranking.scorers import (
    SCORERS,
    Formula,
    Step,
    load_scorer,
)
from brain_cli.ranking.scorers.claude_mem import TYPES
from brain_cli.ranking.scorers.clawmem import HALF_LIVES
from brain_cli.types import Signals

# A formula may lose the last bits to rounding, but no more.
ROUNDING = 1e-9

# Any number at all: the formulas, not their callers, bring signals into range.
wild = st.floats(allow_nan=True, allow_infinity=True)
share = st.floats(0, 1) | wild
days = st.floats(0, 1000) | wild
count = st.integers(0, 50).map(float) | wild
kinds = st.sampled_from(sorted({*STRENGTHS, *HALF_LIVES, *TYPES, "mystery", "Decision", ""}))

any_signals = st.builds(
    Signals,
    relevance=share,
    age_days=days,
    idle_days=st.none() | days,
    accesses=count,
    kind=kinds,
    quality=share,
    confidence=share,
    useful=count,
    wrong=count,
    superseded=st.booleans(),
    strength=st.none() | share,
    decay_rate=st.none() | share,
    salience=share,
    spreading=st.none() | share,
    context=st.none() | share,
    body_chars=st.floats(0, 20_000) | wild,
    revisions=count,
    duplicates=count,
    co_recalls=count,
    pinned=st.booleans(),
    same_project=st.booleans(),
    file_overlap=share,
    concept_overlap=share,
    recent_intent=st.booleans(),
    runner_up=share,
    successor=st.none() | share,
)

FOLDS: dict[str, Callable[[float, Step], float]] = {
    "+": lambda total, step: total + (step.weight or 0.0) * step.value,
    "*": lambda total, step: total * step.value,
    "max": lambda total, step: max(total, step.value),
    "min": lambda total, step: min(total, step.value),
}


# Drawing signals takes longer than scoring them, so all formulas are tried on the same ones.
EVERY = [load_scorer(name) for name in SCORERS]
BOUNDED = [(scorer, bound) for scorer in EVERY if (bound := scorer.upper_bound) is not None]


@pytest.fixture(scope="module", params=SCORERS)
def scorer(request: pytest.FixtureRequest) -> Formula:
    return load_scorer(request.param)


def never_better(scorer: Formula, signals: Signals, **worse: Any) -> None:
    assert (
        scorer.score(signals._replace(**worse)).total <= scorer.score(signals).total + ROUNDING
    ), scorer.name


class TestEveryScorer:
    @examples(200)
    @given(signals=any_signals)
    def test_folding_the_steps_gives_the_total_exactly(self, signals: Signals) -> None:
        for scorer in EVERY:
            score = scorer.score(signals)
            total = 0.0
            for step in score.steps:
                total = FOLDS[step.op](total, step)
                assert total == step.total, scorer.name
                assert (step.weight is not None) == (step.op == "+"), scorer.name
            assert total == score.total, scorer.name

    @examples(200)
    @given(signals=any_signals)
    def test_every_number_is_finite_and_the_share_is_within_0_and_1(
        self, signals: Signals
    ) -> None:
        for scorer in EVERY:
            score = scorer.score(signals)
            assert all(
                math.isfinite(step.value) and math.isfinite(step.total) for step in score.steps
            ), scorer.name
            assert score.total >= 0.0, scorer.name
            assert 0.0 <= score.share <= 1.0, scorer.name

    @given(signals=any_signals)
    def test_the_same_signals_give_the_same_score(self, signals: Signals) -> None:
        for scorer in EVERY:
            assert scorer.score(signals) == load_scorer(scorer.name).score(
                signals._replace()
            ), scorer.name

    @examples(200)
    @given(signals=any_signals, more=st.floats(0, 1), less=st.floats(0, 1))
    def test_more_relevant_is_never_worse(
        self, signals: Signals, more: float, less: float
    ) -> None:
        more, less = max(more, less), min(more, less)
        for scorer in EVERY:
            never_better(scorer, signals._replace(relevance=more), relevance=less)

    @examples(400)
    @given(signals=any_signals)
    def test_no_signals_score_more_than_the_ideal_ones_of_the_formula(
        self, signals: Signals
    ) -> None:
        given_alike = {
            name: getattr(signals, name) for name in ("relevance", "recent_intent", "runner_up")
        }
        for scorer, bound in BOUNDED:
            never_better(scorer, bound._replace(**given_alike), **signals._asdict())

    @examples(400)
    @given(signals=any_signals)
    def test_less_activation_than_the_ideal_is_never_better(self, signals: Signals) -> None:
        for scorer, bound in BOUNDED:
            never_better(
                scorer, signals._replace(spreading=bound.spreading), spreading=signals.spreading
            )

    def test_no_single_signal_makes_the_ideal_better(self) -> None:
        names = sorted(
            set(Signals._fields) - {"relevance", "recent_intent", "runner_up", "kind"}
        )
        for (scorer, bound), relevance, recent in product(
            BOUNDED, (0.1, 0.5, 0.9), (False, True)
        ):
            best = bound._replace(relevance=relevance, recent_intent=recent)
            for name, value in product(names, (0.0, 0.5, 1.0, 30.0)):
                never_better(scorer, best, **{name: value})

    @examples(200)
    @given(signals=any_signals, young=st.floats(0, 2000), older_by=st.floats(0, 2000))
    def test_older_is_never_better(
        self, signals: Signals, young: float, older_by: float
    ) -> None:
        for scorer in EVERY:
            never_better(scorer, signals._replace(age_days=young), age_days=young + older_by)

    @examples(200)
    @given(signals=any_signals, idle=st.floats(0, 2000), longer_by=st.floats(0, 2000))
    def test_idle_for_longer_is_never_better(
        self, signals: Signals, idle: float, longer_by: float
    ) -> None:
        for scorer in EVERY:
            never_better(scorer, signals._replace(idle_days=idle), idle_days=idle + longer_by)

    @examples(200)
    @given(signals=any_signals)
    def test_pinned_is_never_worse(self, signals: Signals) -> None:
        for scorer in EVERY:
            never_better(scorer, signals._replace(pinned=True), pinned=False)

    @given(signals=any_signals)
    def test_a_date_in_the_future_counts_as_today(self, signals: Signals) -> None:
        future, today = (signals._replace(age_days=age, idle_days=age) for age in (-3.0, 0.0))
        for scorer in EVERY:
            assert scorer.score(future) == scorer.score(today), scorer.name

    def test_a_number_that_is_none_counts_as_0(self, scorer: Formula) -> None:
        numbers = (
            "relevance",
            "age_days",
            "idle_days",
            "quality",
            "confidence",
            "salience",
            "spreading",
        )
        nan, zero = (Signals(**dict.fromkeys(numbers, value)) for value in (math.nan, 0.0))  # type: ignore[arg-type]
        assert scorer.score(nan) == scorer.score(zero)

    @pytest.mark.parametrize("age_days", [1e4, 1e9, 1e300, math.inf])
    def test_an_age_beyond_all_bounds_is_only_very_old(
        self, scorer: Formula, age_days: float
    ) -> None:
        old = scorer.score(Signals(relevance=0.5, age_days=age_days))
        assert old.total == pytest.approx(
            scorer.score(Signals(relevance=0.5, age_days=1e5)).total
        )

    def test_kinds_are_compared_without_regard_to_case(self, scorer: Formula) -> None:
        assert scorer.score(Signals(kind="HandOff", age_days=9)) == scorer.score(
            Signals(kind="handoff", age_days=9)
        )


def test_only_formulas_that_say_so_are_bounded_and_calibrated() -> None:
    bounded = {name for name in SCORERS if load_scorer(name).upper_bound}
    calibrated = {name for name in SCORERS if load_scorer(name).calibrated}
    assert "blend" in bounded & calibrated
    assert calibrated == {"blend"}


@pytest.mark.parametrize("name", SCORERS)
def test_the_best_signals_of_a_formula_are_signals_that_a_note_can_have(name: str) -> None:
    bound = load_scorer(name).upper_bound or Signals()
    shares = ("strength", "spreading", "context", "salience", "confidence", "quality")
    assert all(0 <= (getattr(bound, share) or 0.0) <= 1 for share in shares)
