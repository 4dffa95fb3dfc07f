"""Our own formula: relevance decides, the other signals break ties, and the words say when age
matters.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.top_k import successors_first
from brain_cli.types import Signals

if TYPE_CHECKING:
    from conftest import Vault

unit = st.floats(0, 1)
days = st.floats(0, 5000)

WORST: dict[str, Any] = {
    "kind": "observation",
    "idle_days": 5000.0,
    "salience": 0.0,
    "confidence": 0.0,
    "wrong": 9.0,
    "quality": 0.0,
}
BEST: dict[str, Any] = {
    "kind": "insight",
    "pinned": True,
    "salience": 1.0,
    "confidence": 1.0,
    "quality": 1.0,
    "spreading": 1.0,
    "context": 1.0,
}


def share(**signals: Any) -> float:
    return load_scorer("blend").score(Signals(**signals)).share


def test_the_other_signals_neither_lift_a_note_that_does_not_match_nor_sink_a_perfect_match() -> (
    None
):
    assert share(relevance=0.0, **BEST) == 0.0
    assert share(relevance=1.0, **WORST) > 0.9999


def test_the_other_signals_break_ties_and_overcome_only_small_differences_of_relevance() -> (
    None
):
    assert share(relevance=0.60, **BEST) > share(relevance=0.60, **WORST)
    assert share(relevance=0.57, **BEST) > share(relevance=0.60, **WORST)
    # A pin alone moves a note farther.
    assert share(relevance=0.30, **(BEST | {"pinned": False})) < share(relevance=0.60, **WORST)


@pytest.mark.parametrize(
    "signal", ["spreading", "context", "salience", "confidence", "quality", "strength"]
)
def test_more_of_any_other_signal_raises_the_score(signal: str) -> None:
    values = [share(relevance=0.5, **{signal: value}) for value in (0.0, 0.5, 1.0)]
    assert values == sorted(set(values))


def test_another_note_as_relevant_does_not_change_the_score_of_a_note() -> None:
    assert share(relevance=0.9, runner_up=0.9) == share(relevance=0.9, runner_up=0.1)


@given(ages=st.lists(days, min_size=2, max_size=6))
def test_of_equally_relevant_notes_the_newer_is_first_when_the_words_ask_for_the_newest(
    ages: list[float],
) -> None:
    ages.sort()
    shares = [
        share(relevance=0.8, runner_up=0.8, age_days=age, recent_intent=True) for age in ages
    ]
    assert shares == sorted(shares, reverse=True)


def test_a_week_makes_a_difference_even_after_years() -> None:
    newer, older = (
        share(relevance=0.8, runner_up=0.8, age_days=age, recent_intent=True)
        for age in (2000, 2007)
    )
    assert newer - older > 1e-5


def test_the_newest_comes_first_only_among_matches_near_the_best() -> None:
    best = share(relevance=0.9, runner_up=0.8, age_days=200, recent_intent=True)
    newest = share(relevance=0.75, runner_up=0.9, age_days=1, recent_intent=True)
    beside_the_point = share(relevance=0.6, runner_up=0.9, age_days=0, recent_intent=True)
    assert newest > best > beside_the_point


def test_age_hardly_matters_for_an_ordinary_question() -> None:
    assert share(relevance=0.7, age_days=0) - share(relevance=0.7, age_days=3000) < 0.05


@given(successor=unit, relevance=unit, recent=st.booleans())
def test_a_superseded_note_stays_below_its_successor(
    successor: float, relevance: float, recent: bool
) -> None:
    signals: dict[str, Any] = {"relevance": relevance, "recent_intent": recent, **BEST}
    assert share(successor=successor, **signals) <= successor
    assert share(successor=None, **signals) >= share(successor=successor, **signals)


def test_a_note_is_scored_after_all_that_supersede_it_even_in_a_long_chain_or_a_circle() -> (
    None
):
    chain = {note: [note + 1] for note in range(5000)}
    assert list(successors_first(range(5001), lambda note: chain.get(note, []))) == list(
        range(5000, -1, -1)
    )
    assert set(successors_first([1, 2, 3], {1: [2], 2: [3], 3: [1]}.__getitem__)) == {1, 2, 3}


def test_a_superseded_note_never_ranks_above_its_successor(vault: Vault) -> None:
    vault.note(
        "rest.md",
        "# REST for the public API\n\nREST for the public API, REST throughout.\n",
        pinned=True,
    )
    vault.note("grpc.md", "# gRPC\n\nWe left REST for the public API.\n", supersedes=["rest"])
    vault.note(
        "graphql.md",
        "# GraphQL\n\nThe public API again: not REST but a graph.\n",
        supersedes=["grpc"],
    )
    for query in ("REST for the public API", "rest", "latest REST API"):
        orders = {
            scorer: vault.order(query, "--scorer", scorer) for scorer in ("blend", "clawdbot")
        }
        assert orders["blend"] == ["graphql", "grpc", "rest"], query
        assert orders["clawdbot"][0] == "rest", query


def test_totals_never_rise_with_the_rank(sample: Vault) -> None:
    for query in ("kafka", "why did we choose the outbox", "latest decision about events"):
        found = sample.remember(query, "--scorer", "blend")["results"]
        assert all(better["total"] >= worse["total"] for better, worse in pairwise(found)), (
            query
        )


def test_certainty_was_fitted_on_this_formula_alone() -> None:
    assert load_scorer("blend").calibrated
    assert not any(
        load_scorer(name).calibrated for name in ("brain", "clawmem", "claude-mem", "clawdbot")
    )


@pytest.mark.parametrize(
    ("age_days", "freshness"),
    [(0, 1.0), (1, 0.934018), (36_499, 0.0000026), (36_500, 0.0), (1e9, 0.0)],
)
def test_freshness_falls_to_nothing_within_a_century(age_days: float, freshness: float) -> None:
    steps = (
        load_scorer("blend")
        .score(Signals(relevance=1.0, recent_intent=True, age_days=age_days))
        .steps
    )
    assert {step.name: step.value for step in steps}["recency"] == pytest.approx(
        freshness, abs=1e-7
    )


def test_the_usual_weights_are_the_documented_ones() -> None:
    usual = load_scorer("blend")
    assert vars(usual) == {
        "strength": 0.10,
        "spreading": 0.30,
        "context": 0.30,
        "salience": 0.10,
        "confidence": 0.10,
        "quality": 0.03,
        "pin": 0.9,
        "form": 0.2,
        "leading": 0.7,
        "newest": 0.7,
    }


def test_a_superseded_note_has_a_step_of_its_own() -> None:
    last = load_scorer("blend").score(Signals(relevance=0.9, successor=0.5)).steps[-1]
    assert (last.name, last.op) == ("superseded", "min")
    assert last.total == pytest.approx(0.495)


def test_the_other_signals_break_the_tie_of_two_perfect_matches() -> None:
    formula = load_scorer("blend")
    linked, alone = (
        formula.score(Signals(relevance=1.0, spreading=value)) for value in (1.0, 0.0)
    )
    assert linked.total > alone.total


def test_a_pinned_note_has_a_step_of_its_own() -> None:
    names = [
        step.name
        for step in load_scorer("blend").score(Signals(relevance=0.5, pinned=True)).steps
    ]
    assert names[-1] == "pin"


def test_the_newest_of_the_relevant_notes_is_scored_as_the_formula_says() -> None:
    asked: dict[str, Any] = {"recent_intent": True, "runner_up": 1.0, "age_days": 0.0}
    score = load_scorer("blend").score(Signals(relevance=0.8, **asked))
    assert [step.name for step in score.steps] == ["relevance", "recency", "nearness"]
    assert score.total == pytest.approx(0.7 + 0.21 + 0.09 * (0.8 - 0.7) / (1.0 - 0.7))
    best = load_scorer("blend").score(Signals(relevance=1.0, **asked))
    assert best.total == pytest.approx(1.0)
    # With all of the best relevance asked for, the best note alone is near enough.
    alone = load_scorer("blend", {"leading": 1.0}).score(Signals(relevance=1.0, **asked))
    assert alone.total == pytest.approx(1.0)


def test_an_ordinary_score_is_the_relevance_and_six_small_steps_around_the_middle() -> None:
    signals = Signals(
        relevance=0.6, spreading=0.25, context=0.75, salience=0.2, confidence=0.9, quality=0.4
    )
    score = load_scorer("blend").score(signals)
    room = 0.6 * (1 + 0.0001 - 0.6)
    expected = {
        "spreading": (0.25, 0.30),
        "context": (0.75, 0.30),
        "salience": (2 * 0.2 - 1, 0.10),
        "confidence": (2 * 0.9 - 1, 0.10),
        "quality": (2 * 0.4 - 1, 0.03),
    }
    steps = {step.name: step for step in score.steps}
    assert [*steps] == ["relevance", "strength", *expected]
    for name, (value, weight) in expected.items():
        assert steps[name].value == pytest.approx(value), name
        assert steps[name].weight == pytest.approx(weight * room), name
    assert steps["strength"].weight == pytest.approx(0.10 * room)


def test_the_weight_of_a_folder_is_a_step_of_its_own() -> None:
    plain = load_scorer("blend").score(Signals(relevance=0.3))
    weighted = load_scorer("blend").score(Signals(relevance=0.3, weight=0.5))
    assert [(step.name, step.op) for step in weighted.steps[:2]] == [
        ("relevance", "+"),
        ("weight", "*"),
    ]
    assert [step.value for step in weighted.steps[:2]] == [pytest.approx(0.6), 0.5]
    assert weighted.total == pytest.approx(plain.total)
    assert [step.name for step in weighted.steps[2:]] == [step.name for step in plain.steps[1:]]


@pytest.mark.parametrize(("relevance", "weight"), [(0.3, 1.0), (0.3, 0.0), (0.6, 0.5)])
def test_a_weight_that_changes_nothing_or_cannot_be_divided_out_leaves_no_step(
    relevance: float, weight: float
) -> None:
    first, second, *_ = (
        load_scorer("blend").score(Signals(relevance=relevance, weight=weight)).steps
    )
    assert (first.name, first.value, second.name) == ("relevance", relevance, "strength")


def test_a_note_as_relevant_as_its_folder_allows_was_a_full_match() -> None:
    first, second, *_ = load_scorer("blend").score(Signals(relevance=0.5, weight=0.5)).steps
    assert [(first.name, first.value), (second.name, second.value)] == [
        ("relevance", 1.0),
        ("weight", 0.5),
    ]


@pytest.mark.parametrize(
    ("signals", "sign", "constant"), [({"pinned": True}, 1, 0.9), ({"form": "index"}, -1, 0.2)]
)
def test_a_pin_and_a_form_move_a_score_by_its_distance_from_both_ends(
    signals: dict[str, Any], sign: int, constant: float
) -> None:
    before = load_scorer("blend").score(Signals(relevance=0.6)).total
    last = load_scorer("blend").score(Signals(relevance=0.6, **signals)).steps[-1]
    assert last.value == pytest.approx(sign * before * (1 - before))
    assert last.weight == constant


def test_a_match_far_from_the_best_is_scored_by_its_relevance_when_the_words_ask_for_the_newest() -> (
    None
):
    score = load_scorer("blend").score(
        Signals(relevance=0.69, runner_up=1.0, recent_intent=True)
    )
    assert [(step.name, step.total) for step in score.steps] == [("relevance", 0.69)]
    near_enough = load_scorer("blend").score(
        Signals(relevance=0.7, runner_up=1.0, recent_intent=True)
    )
    assert len(near_enough.steps) == 3
