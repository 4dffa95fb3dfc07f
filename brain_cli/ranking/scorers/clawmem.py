"""The composite score: relevance, recency and confidence blended, then five multipliers and a pin.

    total = (w_search * relevance + w_recency * recency + w_confidence * confidence)
            * quality * co_activation * length * frequency, then pin

relevance      0..1
recency        0..1, 0.5 ** (age_days / half_life), half-life by kind and up to 3x longer with
               accesses
confidence     0..1, from the note's frontmatter, adjusted by feedback, supersession and disuse
quality        0.7..1.3, 0.7 + 0.6 * quality of the note's structure
co_activation  1..1.15, 1 + min(n / 10, 0.15), n recalls shared with another candidate
length         0.3..1, max(0.3, 1 / (1 + 0.5 * log2(max(body_chars / 500, 1))))
frequency      1..1.1, 1 + min(0.10, 0.03 * ln(1 + s)),
               s = max(0, 2 * (revisions - 1) + (duplicates - 1))
pin            max(x, min(1, x + 0.3)): as published, min(1, x + 0.3), a pin would lower a score
               above 1

The total can exceed 1, the share cannot. Weights are .50 .25 .25, or .10 .70 .20 when the words of
the query ask for recent notes.

Publication: "ClawMem: Composite Scoring".
"""

from __future__ import annotations

from math import inf, log1p, log2
from typing import TYPE_CHECKING, ClassVar

from brain_cli.ranking.scorers import (
    Formula,
    Score,
    adjusted_confidence,
    days,
    days_by_kind,
    share,
    weight,
)
from brain_cli.types import finite, unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from brain_cli.types import Signals

EVERGREEN = ("decision", "deductive", "preference", "hub", "antipattern")  # clawdbot's too
HALF_LIVES: dict[str, float] = {
    **dict.fromkeys(EVERGREEN, inf),
    "project": 120.0,
    "research": 90.0,
    "problem": 60.0,
    "milestone": 60.0,
    "note": 60.0,
    "conversation": 45.0,
    "progress": 45.0,
    "handoff": 30.0,
}

REINFORCED_AT_MOST = 3.0
REINFORCEMENT = 0.3
REINFORCED_WITHIN_DAYS = 90.0

USUAL_BODY_CHARS = 500.0
LENGTH_SLOPE = 0.5
REVISION_WEIGHT = 2.0
FREQUENCY_SLOPE = 0.03
CO_RECALL_GAIN = 0.1


def reinforced_half_life(half_life_days: float, accesses: float, idle_days: float) -> float:
    """Return a half-life extended by accesses, up to threefold; the extension fades over 90 idle
    days.
    """
    fresh = max(0.0, 1 - finite(idle_days) / REINFORCED_WITHIN_DAYS)
    factor = 1 + REINFORCEMENT * log1p(finite(accesses) * fresh)
    return half_life_days * min(REINFORCED_AT_MOST, factor)


def repetition(signals: Signals) -> float:
    """Return how often the content was repeated: a revision counts twice as much as a duplicate."""
    return max(
        0.0, REVISION_WEIGHT * (finite(signals.revisions) - 1) + finite(signals.duplicates) - 1
    )


class ClawMem(Formula):
    """The formula above with its constants."""

    name: ClassVar[str] = "clawmem"
    search: float = weight(0.50, "relevance")
    recency: float = weight(0.25)
    confidence: float = weight(0.25)
    recent_search: float = weight(0.10, "recent_relevance")
    recent_recency: float = weight(0.70)
    recent_confidence: float = weight(0.20)
    half_lives: Mapping[str, float] = days_by_kind(HALF_LIVES)
    half_life_days: float = days(60.0)  # of every other kind
    quality_base: float = share(0.7)
    quality_span: float = share(0.6)
    co_activation_cap: float = share(0.15)
    length_floor: float = share(0.3)
    frequency_cap: float = share(0.10)
    pin_boost: float = share(0.3)

    def score(self, signals: Signals) -> Score:
        search, recency, confidence = self._weights(signals)
        ledger = (
            Score()
            .plus("relevance", unit(signals.relevance), search)
            .plus("recency", self._recency(signals), recency)
            .plus("confidence", adjusted_confidence(signals), confidence)
            .times("quality", self.quality_base + self.quality_span * unit(signals.quality))
            .times(
                "co_activation",
                1 + min(self.co_activation_cap, CO_RECALL_GAIN * finite(signals.co_recalls)),
            )
            .times("length", self._length(signals))
            .times(
                "frequency",
                1 + min(self.frequency_cap, FREQUENCY_SLOPE * log1p(repetition(signals))),
            )
        )
        if not signals.pinned:
            return ledger
        return ledger.at_least("pin", min(1.0, ledger.total + self.pin_boost))

    def _weights(self, signals: Signals) -> tuple[float, float, float]:
        if signals.recent_intent:
            return self.recent_search, self.recent_recency, self.recent_confidence
        return self.search, self.recency, self.confidence

    def _recency(self, signals: Signals) -> float:
        half_life = self.half_lives.get(signals.kind.lower(), self.half_life_days)
        reinforced = reinforced_half_life(half_life, signals.accesses, signals.idle)
        remaining: float = 0.5 ** (finite(signals.age_days) / reinforced)
        return remaining

    def _length(self, signals: Signals) -> float:
        doublings = log2(max(finite(signals.body_chars) / USUAL_BODY_CHARS, 1))
        return max(self.length_floor, 1 / (1 + LENGTH_SLOPE * doublings))
