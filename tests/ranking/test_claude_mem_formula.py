"""The sum of five, against its published numbers."""

from __future__ import annotations

import math

import pytest

from brain_cli.ranking.scorers import Score, load_scorer
from brain_cli.types import Signals


def claude_mem(signals: Signals) -> Score:
    return load_scorer("claude-mem").score(signals)


def value(score: Score, name: str) -> float:
    return next(step.value for step in score.steps if step.name == name)


def test_recency_halves_in_two_days_to_three_digits() -> None:
    assert value(claude_mem(Signals(age_days=2)), "recency") == pytest.approx(math.exp(-0.693))


@pytest.mark.parametrize(
    ("kind", "importance"),
    [
        ("decision", 0.8),
        ("bugfix", 0.7),
        ("discovery", 0.6),
        ("feature", 0.5),
        ("refactor", 0.4),
        ("change", 0.3),
        ("poem", 0.3),
    ],
)
def test_importance_comes_from_the_kind(kind: str, importance: float) -> None:
    assert value(claude_mem(Signals(kind=kind)), "type") == importance


def test_shared_concepts_count_half_as_much_as_relevance() -> None:
    assert value(claude_mem(Signals(relevance=1, concept_overlap=1)), "similarity") == 1.5


def test_the_share_is_the_part_of_4_4() -> None:
    best = Signals(
        relevance=1,
        concept_overlap=1,
        file_overlap=1,
        same_project=True,
        kind="decision",
        age_days=0,
    )
    assert claude_mem(best).total == pytest.approx(4.4)
    assert claude_mem(best).share == pytest.approx(1.0)


def test_the_upstream_example_comes_to_2_6() -> None:
    example = Signals(
        relevance=0.5,
        concept_overlap=0.4,
        file_overlap=0.5,
        same_project=True,
        kind="decision",
        age_days=2,
    )
    assert claude_mem(example).total == pytest.approx(2.6, abs=1e-4)


def test_a_note_of_another_project_only_lacks_the_bonus() -> None:
    ours, theirs = (
        claude_mem(Signals(relevance=0.5, same_project=same)) for same in (True, False)
    )
    assert ours.total - theirs.total == pytest.approx(0.1)
