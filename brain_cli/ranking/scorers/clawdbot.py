"""Relevance that fades with age, down to a floor and no further.

    score = relevance * max(floor, weight(age_days))

relevance   0..1
weight      0..1, according to `curve`:
            halving     0.5 ** (age_days / half_life), as the parameter is described ("days until
                        memory weight halves"), and the default
            as-written  exp(-age_days / half_life), as the formula is written: .368 after a
                        "half-life"
half_life   30 days
floor       0.1: old notes stay retrievable

Pinned notes and the kinds that never decay in `clawmem` have weight 1.

Publication: "PRD: Memory Recency Weighting".
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, ClassVar

from brain_cli.ranking.scorers import Formula, Score, days, one_of, share
from brain_cli.ranking.scorers.clawmem import EVERGREEN
from brain_cli.types import finite, unit

if TYPE_CHECKING:
    from brain_cli.types import Signals


class Clawdbot(Formula):
    """The formula above with its constants."""

    name: ClassVar[str] = "clawdbot"
    half_life_days: float = days(30.0)
    floor: float = share(0.1)
    curve: str = one_of("halving", "as-written")

    def score(self, signals: Signals) -> Score:
        return (
            Score()
            .plus("relevance", unit(signals.relevance))
            .times("recency_weight", self._weight(signals))
        )

    def _weight(self, signals: Signals) -> float:
        if signals.pinned or signals.kind.lower() in EVERGREEN:
            return 1.0
        half_lives = finite(signals.age_days) / self.half_life_days
        return max(self.floor, 0.5**half_lives if self.curve == "halving" else exp(-half_lives))
