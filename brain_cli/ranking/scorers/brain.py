"""The six-factor recall score.

    score = 0.38 relevance + 0.18 decayed_strength + 0.08 recency
          + 0.14 spreading + 0.14 context + 0.08 salience

relevance         0..1, how well the note answers the query
decayed_strength  0..1, strength * decay_rate ** idle_days; a pinned note does not decay
recency           0..1, max(0, 1 - idle_days / 365)
spreading         0..1, activation from linked candidates, or absent
context           0..1, same project, topics and task as the session, or absent
salience          0..1, from the note's frontmatter

Absent factors add no step, and the weights of the others are rescaled to sum to 1; otherwise a
perfect match in a vault without links, asked outside any project, could never be a strong one.

`decayed_strength` is computed in `history/usage.py`, by the strength and decay rate of each kind.

Publication: "Scoring Formula" of /brain:remember.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from brain_cli.history.usage import decayed_strength
from brain_cli.ranking.scorers import Formula, Score, days, weight
from brain_cli.types import finite, unit

if TYPE_CHECKING:
    from brain_cli.types import Signals


class Brain(Formula):
    """The formula above with its constants."""

    name: ClassVar[str] = "brain"
    relevance: float = weight(0.38)
    decayed_strength: float = weight(0.18)
    recency: float = weight(0.08)
    spreading: float = weight(0.14)
    context: float = weight(0.14)
    salience: float = weight(0.08)
    recency_days: float = days(365.0)

    def score(self, signals: Signals) -> Score:
        spreading = None if signals.spreading is None else unit(signals.spreading)
        context = None if signals.context is None else unit(signals.context)
        whole = self._weight_in_use(spreading, context)
        return (
            Score()
            .plus("relevance", unit(signals.relevance), self.relevance / whole)
            .plus("decayed_strength", decayed_strength(signals), self.decayed_strength / whole)
            .plus(
                "recency",
                max(0.0, 1 - finite(signals.idle) / self.recency_days),
                self.recency / whole,
            )
            .plus("spreading", spreading, self.spreading / whole)
            .plus("context", context, self.context / whole)
            .plus("salience", unit(signals.salience), self.salience / whole)
        )

    def _weight_in_use(self, spreading: float | None, context: float | None) -> float:
        """Return the divisor of the weights: 1 with all six factors, which is the published sum,
        literally.
        """
        if spreading is not None and context is not None:
            return 1.0
        always = self.relevance + self.decayed_strength + self.recency + self.salience
        in_use = (
            always
            + self.spreading * (spreading is not None)
            + self.context * (context is not None)
        )
        return in_use or 1.0  # every weight in use may have been set to 0
