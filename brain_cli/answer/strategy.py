"""Which of the four answers is shown, from the shares and relevances of the candidates alone.

Source: the six-factor recall score, "Response Strategies"; the relevance conditions are ours, because by the
published thresholds alone every note of a fresh clone is "related" (scoring.md, section 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from brain_cli.types import Strategy

STRONG_SHARE = 0.7
STRONG_RELEVANCE = 0.6
RELATED_SHARE = 0.4
RELATED_RELEVANCE = 0.35


class Standing(NamedTuple):
    """What decides a candidate's standing: its share of the score, and its relevance, both 0..1."""

    share: float
    relevance: float

    @property
    def strong(self) -> bool:
        return self.share > STRONG_SHARE and self.relevance >= STRONG_RELEVANCE

    @property
    def related(self) -> bool:
        return self.share > RELATED_SHARE and self.relevance >= RELATED_RELEVANCE

    @property
    def counts(self) -> bool:
        """Whether the candidate has a say in a synthesis."""
        return self.strong or self.related


def choose(standings: Sequence[Standing]) -> Strategy:
    """Return the strategy for any list of candidates, also an empty one."""
    if not standings:
        return Strategy.ARCHIVE_FALLBACK
    strong = sum(standing.strong for standing in standings)
    if strong == 1:
        return Strategy.SINGLE_STRONG
    if any(standing.counts for standing in standings):
        return Strategy.SYNTHESIZE
    return Strategy.MANY_WEAK
