"""Our own formula: relevance decides, the other signals break ties, and age counts if the query
asks for the newest.

For an ordinary question:

    score = relevance + room * (0.1 strength + 0.3 spreading + 0.3 context
                                + 0.1 salience + 0.1 confidence + 0.03 quality)
    room  = relevance * (1.0001 - relevance)

and then, where it applies:

    score = score + 0.9 * score * (1 - score)     for a pinned note
    score = score - 0.2 * score * (1 - score)     for an index, a template, or a note that agents
                                                  were shown three times and did not use

relevance     0..1, how well the note answers the query, times the weight of the note's folder or
              kind, if it has one
room          0..0.25, largest at relevance 0.5: the other signals matter most for medium matches;
              they neither lift a note that does not match nor lower one that surely does. Their
              weights sum to less than 1, so the more relevant of two otherwise equal notes is ahead
strength      -1..1, 2 * decayed strength - 1, as in `brain`: it includes kind, disuse and every
              recall
spreading     0..1, activation from linked candidates, or absent
context       0..1, same project, topics and task as the session, or absent
salience      -1..1, 2 * salience - 1, from the note's frontmatter
confidence    -1..1, 2 * confidence - 1, with feedback, as in `clawmem`
quality       -1..1, 2 * quality - 1, of the note's structure
pinned        moves a note up unless its score is near 0 or 1, but never over a note with the exact
              name in the query
form          an index (mostly links) or a template (with placeholders) has little content

For a question that asks for the newest:

    score = best * (0.7 + 0.21 * freshness + 0.09 * nearness)   with >= 0.7 of the best relevance
    score = relevance                                           with less, so after all of those

best          the highest relevance of all candidates
freshness     0..1, 1 - ln(1 + age_days) / ln(1 + 36 500): logarithmic, so that weeks count even
              after years
nearness      0..1, the note's relevance between 0.7 of the best relevance and the best itself

A superseded note ranks below the one that supersedes it. The score is not the probability that the
first note is right, which ranking/certainty.py computes.
"""

from __future__ import annotations

from math import log1p
from typing import ClassVar

from brain_cli.history.usage import decayed_strength
from brain_cli.ranking.scorers import Formula, Score, adjusted_confidence, share
from brain_cli.types import Signals, finite, unit

A_CENTURY_DAYS = 36_500.0
BEHIND_SUCCESSOR = 0.99
TIE_ROOM = 0.0001


class Blend(Formula):
    """The formula above with its constants."""

    name: ClassVar[str] = "blend"
    calibrated: ClassVar[bool] = True
    upper_bound: ClassVar[Signals | None] = Signals(
        pinned=True,
        strength=1.0,
        spreading=1.0,
        context=1.0,
        salience=1.0,
        confidence=1.0,
        quality=1.0,
    )
    strength: float = share(0.10)
    spreading: float = share(0.30)
    context: float = share(0.30)
    salience: float = share(0.10)
    confidence: float = share(0.10)
    quality: float = share(0.03)
    pin: float = share(0.9)
    form: float = share(0.2)
    leading: float = share(0.7)
    newest: float = share(0.7)

    def score(self, signals: Signals) -> Score:
        ledger = self._recent(signals) if signals.recent_intent else self._ordinary(signals)
        if signals.successor is None:
            return ledger
        return ledger.at_most("superseded", BEHIND_SUCCESSOR * unit(signals.successor))

    def _ordinary(self, signals: Signals) -> Score:
        ledger = self._summed(signals)
        if signals.pinned:
            ledger = ledger.plus("pin", _open(ledger.total), self.pin)
        if signals.form:
            ledger = ledger.plus(signals.form, -_open(ledger.total), self.form)
        return ledger

    def _summed(self, signals: Signals) -> Score:
        relevance = unit(signals.relevance)
        room = relevance * (1 + TIE_ROOM - relevance)
        return (
            _relevance(signals)
            .plus("strength", _centred(decayed_strength(signals)), self.strength * room)
            .plus("spreading", _known(signals.spreading), self.spreading * room)
            .plus("context", _known(signals.context), self.context * room)
            .plus("salience", _centred(unit(signals.salience)), self.salience * room)
            .plus("confidence", _centred(adjusted_confidence(signals)), self.confidence * room)
            .plus("quality", _centred(unit(signals.quality)), self.quality * room)
        )

    def _recent(self, signals: Signals) -> Score:
        relevance = unit(signals.relevance)
        best = max(relevance, unit(signals.runner_up))
        least = self.leading * best
        if relevance < least or not best:
            return Score().plus("relevance", relevance)
        freshness = max(0.0, 1 - log1p(finite(signals.age_days)) / log1p(A_CENTURY_DAYS))
        nearness = (relevance - least) / (best - least) if best > least else 1.0
        return (
            Score()
            .plus("relevance", best, self.leading)
            .plus("recency", freshness, self.newest * (best - least))
            .plus("nearness", unit(nearness), (1 - self.newest) * (best - least))
        )


def _relevance(signals: Signals) -> Score:
    """Begin a ledger with the relevance; a weight of the folder or kind is a separate step."""
    relevance = unit(signals.relevance)
    weight = unit(signals.weight)
    if weight in (0.0, 1.0) or relevance > weight:
        return Score().plus("relevance", relevance)
    return Score().plus("relevance", relevance / weight).times("weight", weight)


def _open(total: float) -> float:
    """Return the product of a score's distances from 0 and 1, 0..0.25."""
    return unit(total) * (1 - unit(total))


def _known(value: float | None) -> float | None:
    """Clamp a factor to 0..1; None, for an absent factor, adds no step."""
    return None if value is None else unit(value)


def _centred(value: float) -> float:
    """Map 0..1 to -1..1, so that a medium value has no effect."""
    return 2 * value - 1
