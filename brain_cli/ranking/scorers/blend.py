"""Ours: relevance decides, what else is known of a note breaks ties, and the words say which question it is.

An ordinary question:

    score = relevance + room * Σ weight * prior, then less doubt

room          relevance * (1.0001 - relevance): the priors move a note where relevance leaves it open, and neither
              lift what does not match nor sink what surely does, beyond choosing between two exact titles; as
              the weights sum to less than 1, the more relevant of two notes that are alike otherwise is ahead
strength      -1..1, 2 * decayed strength - 1, as in `brain`: the kind, disuse and every recall are in it
spreading     0..1, activation from linked candidates
context       0..1, same project, topics and task as the session
salience      -1..1, as the note says of itself; likewise confidence (with feedback) and quality of structure
doubt         0.6 of what the score has above 0.4, as far as another note rivals it: all of that at equal
              relevance, nothing at 1.4 times the rival's or where the note was asked for by its name. So only
              a note that clearly leads is a strong match

What is recent (the words ask for it):

    score = best * (0.7 + 0.21 * freshness + 0.09 * nearness)   with at least 0.7 of the best relevance
    score = relevance                                           with less, so behind all of those

freshness     0..1, 1 - ln(1 + age_days) / ln(1 + 36 500): on a logarithm, a week still counts after years
nearness      0..1, where between 0.7 of the best relevance and the best itself the note stands

A superseded note stays below the one that supersedes it, whatever the words say.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from typing import ClassVar

from brain_cli.ranking.scorers import Score
from brain_cli.ranking.scorers._bounds import elapsed, unit
from brain_cli.ranking.scorers._settings import share
from brain_cli.ranking.scorers.brain import decayed_strength
from brain_cli.ranking.scorers.clawmem import adjusted_confidence
from brain_cli.types import Signals

A_CENTURY_DAYS = 36_500.0
BEHIND_SUCCESSOR = 0.99
TIE_ROOM = 0.0001


@dataclass(frozen=True, slots=True)
class Blend:
    name: ClassVar[str] = "blend"
    upper_bound: ClassVar[Signals] = Signals(
        pinned=True, strength=1.0, spreading=1.0, context=1.0, salience=1.0, confidence=1.0, quality=1.0
    )
    strength: float = share(0.10)
    spreading: float = share(0.30)
    context: float = share(0.30)
    salience: float = share(0.10)
    confidence: float = share(0.10)
    quality: float = share(0.03)
    doubt: float = share(0.6)
    sure_up_to: float = share(0.4)
    clear_lead: float = share(0.4)
    leading: float = share(0.7)
    newest: float = share(0.7)

    def score(self, signals: Signals) -> Score:
        ledger = self._recent(signals) if signals.recent_intent else self._ordinary(signals)
        if signals.successor is None:
            return ledger
        return ledger.at_most("superseded", BEHIND_SUCCESSOR * unit(signals.successor))

    def _ordinary(self, signals: Signals) -> Score:
        relevance = unit(signals.relevance)
        room = relevance * (1 + TIE_ROOM - relevance)
        ledger = (
            Score()
            .plus("relevance", relevance)
            .plus("strength", _centred(decayed_strength(signals)), self.strength * room)
            .plus("spreading", _known(signals.spreading), self.spreading * room)
            .plus("context", _known(signals.context), self.context * room)
            .plus("salience", _centred(unit(signals.salience)), self.salience * room)
            .plus("confidence", _centred(adjusted_confidence(signals)), self.confidence * room)
            .plus("quality", _centred(unit(signals.quality)), self.quality * room)
        )
        doubtful = max(0.0, ledger.total - self.sure_up_to)
        return ledger.plus("rival", self._rivalled(relevance, unit(signals.runner_up)), -self.doubt * doubtful)

    def _rivalled(self, relevance: float, runner_up: float) -> float:
        """How far the best of the other notes rivals this one: 1 at equal relevance, 0 behind a clear lead."""
        if relevance == 1.0 > runner_up:
            return 0.0
        lead = relevance / runner_up - 1 if runner_up else self.clear_lead
        return 1 - unit(lead / self.clear_lead) if self.clear_lead else float(lead < 0)

    def _recent(self, signals: Signals) -> Score:
        relevance = unit(signals.relevance)
        best = max(relevance, unit(signals.runner_up))
        least = self.leading * best
        if relevance < least or not best:
            return Score().plus("relevance", relevance)
        freshness = max(0.0, 1 - log1p(elapsed(signals.age_days)) / log1p(A_CENTURY_DAYS))
        nearness = (relevance - least) / (best - least) if best > least else 1.0
        return (
            Score()
            .plus("relevance", best, self.leading)
            .plus("recency", freshness, self.newest * (best - least))
            .plus("nearness", unit(nearness), (1 - self.newest) * (best - least))
        )


def _known(value: float | None) -> float | None:
    """A factor that may be absent, and then leaves no step."""
    return None if value is None else unit(value)


def _centred(value: float) -> float:
    return 2 * value - 1
