"""The composite score, against its published numbers."""

from __future__ import annotations

import math

import pytest

from brain_cli.ranking.scorers import Score, adjusted_confidence, load_scorer
from brain_cli.ranking.scorers.clawmem import EVERGREEN, HALF_LIVES, reinforced_half_life
from brain_cli.types import Signals


def clawmem(signals: Signals) -> Score:
    return load_scorer("clawmem").score(signals)


def value(score: Score, name: str) -> float:
    return next(step.value for step in score.steps if step.name == name)


@pytest.mark.parametrize(
    ("kind", "half_life"),
    [
        ("project", 120),
        ("research", 90),
        ("problem", 60),
        ("milestone", 60),
        ("note", 60),
        ("mystery", 60),
        ("conversation", 45),
        ("progress", 45),
        ("handoff", 30),
    ],
)
def test_a_note_has_lost_half_its_recency_after_its_kinds_half_life(
    kind: str, half_life: float
) -> None:
    assert value(clawmem(Signals(kind=kind, age_days=half_life)), "recency") == pytest.approx(
        0.5
    )


@pytest.mark.parametrize("kind", ["decision", "deductive", "preference", "hub", "antipattern"])
def test_some_kinds_never_age(kind: str) -> None:
    assert kind in EVERGREEN
    assert HALF_LIVES[kind] == math.inf
    assert value(clawmem(Signals(kind=kind, age_days=math.inf, accesses=3)), "recency") == 1.0


@pytest.mark.parametrize(
    ("accesses", "idle_days", "half_life"),
    [
        (0, 0, 60),
        (1, 0, 72.476649),
        (5, 0, 92.251670),
        (20, 0, 114.801404),
        (20, 45, 103.162115),
        (20, 90, 60),
        (785, 0, 180),
        (1e12, 0, 180),
    ],
)
def test_accesses_stretch_the_half_life_up_to_threefold(
    accesses: float, idle_days: float, half_life: float
) -> None:
    assert reinforced_half_life(60, accesses, idle_days) == pytest.approx(half_life, abs=1e-6)


@pytest.mark.parametrize(
    ("signals", "confidence"),
    [
        (Signals(), 0.5),
        (Signals(useful=1), 0.55),
        (Signals(useful=9), 0.75),
        (Signals(wrong=1), 0.40),
        (Signals(wrong=9), 0.0),
        (Signals(confidence=0.9, useful=9), 1.0),
        (Signals(superseded=True), 0.25),
        (Signals(confidence=0.3, superseded=True), 0.2),
        (Signals(confidence=0.1, superseded=True), 0.2),
        (Signals(kind="handoff", idle_days=70), 0.5),
        (Signals(kind="handoff", idle_days=7, accesses=1), 0.475),
        (Signals(kind="handoff", idle_days=700, accesses=1), 0.25),
        (Signals(kind="decision", idle_days=700, accesses=1), 0.5),
        (Signals(kind="mystery", idle_days=700, accesses=1), 0.5),
    ],
)
def test_confidence_follows_feedback_supersession_and_disuse(
    signals: Signals, confidence: float
) -> None:
    assert adjusted_confidence(signals) == pytest.approx(confidence)


@pytest.mark.parametrize(("quality", "multiplier"), [(0, 0.7), (0.5, 1.0), (1, 1.3)])
def test_quality_multiplies_by_0_7_to_1_3(quality: float, multiplier: float) -> None:
    assert value(clawmem(Signals(quality=quality)), "quality") == pytest.approx(multiplier)


@pytest.mark.parametrize(
    ("co_recalls", "multiplier"), [(0, 1.0), (1, 1.1), (2, 1.15), (90, 1.15)]
)
def test_being_recalled_together_adds_at_most_15_percent(
    co_recalls: float, multiplier: float
) -> None:
    assert value(clawmem(Signals(co_recalls=co_recalls)), "co_activation") == pytest.approx(
        multiplier
    )


@pytest.mark.parametrize(
    ("body_chars", "multiplier"),
    [
        (0, 1.0),
        (500, 1.0),
        (1000, 1 / 1.5),
        (1500, 0.557886),
        (8000, 1 / 3),
        (1e9, 0.3),
        (math.inf, 0.3),
    ],
)
def test_long_notes_are_taken_down_to_no_less_than_30_percent(
    body_chars: float, multiplier: float
) -> None:
    assert value(clawmem(Signals(body_chars=body_chars)), "length") == pytest.approx(
        multiplier, abs=1e-6
    )


@pytest.mark.parametrize(
    ("revisions", "duplicates", "multiplier"),
    [
        (0, 0, 1.0),
        (1, 1, 1.0),
        (2, 1, 1 + 0.03 * math.log(3)),
        (1, 2, 1 + 0.03 * math.log(2)),
        (2, 2, 1.041589),
        (99, 1, 1.10),
    ],
)
def test_repetition_adds_at_most_10_percent(
    revisions: float, duplicates: float, multiplier: float
) -> None:
    frequency = value(clawmem(Signals(revisions=revisions, duplicates=duplicates)), "frequency")
    assert frequency == pytest.approx(multiplier, abs=1e-6)


def test_a_pin_adds_0_3() -> None:
    signals = Signals(relevance=0.2, age_days=60)
    pinned = clawmem(Signals(relevance=0.2, age_days=60, pinned=True))
    assert pinned.total == pytest.approx(clawmem(signals).total + 0.3)
    assert pinned.steps[-1].name == "pin"
    assert pinned.steps[-1].op == "max"


def test_a_pin_lifts_no_further_than_1() -> None:
    assert clawmem(Signals(relevance=1, pinned=True)).total == 1.0


def test_a_pin_does_not_lower_what_is_above_1_already() -> None:
    best = Signals(relevance=1, quality=1, kind="decision", confidence=0.85)
    pinned = Signals(relevance=1, quality=1, kind="decision", confidence=0.85, pinned=True)
    assert clawmem(pinned).total == clawmem(best).total == pytest.approx(1.25125)
    assert clawmem(pinned).share == 1.0


def test_a_note_that_is_not_pinned_has_no_such_step() -> None:
    assert "pin" not in [step.name for step in clawmem(Signals()).steps]


def test_a_question_for_what_is_recent_weighs_recency_most() -> None:
    weights = [
        step.weight for step in clawmem(Signals(recent_intent=True)).steps if step.op == "+"
    ]
    assert weights == [0.10, 0.70, 0.20]


@pytest.mark.parametrize("kind", ["handoff", "progress", "conversation", "note", "project"])
def test_the_trust_in_passing_kinds_fades_by_5_percent_a_week_without_use(kind: str) -> None:
    used = Signals(kind=kind, accesses=1, idle_days=14.0)
    assert adjusted_confidence(used) == pytest.approx(
        adjusted_confidence(used._replace(idle_days=0.0)) * 0.95**2
    )


def test_the_weights_of_a_question_for_what_is_recent_can_be_set() -> None:
    asked = Signals(relevance=1.0, recent_intent=True)
    weighted = load_scorer("clawmem", {"weights": {"recent_relevance": 0.0}}).score(asked)
    assert weighted.total < load_scorer("clawmem").score(asked).total
