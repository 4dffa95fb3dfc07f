"""Choose one of the four answers, from the shares and relevances of the candidates alone.

Source: the six-factor recall score, "Response Strategies"; the relevance conditions are ours, because by the
published thresholds alone every note of a fresh clone is "related" (docs/scoring.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from brain_cli.ranking.candidate import Standing
from brain_cli.types import Strategy


def choose(standings: Sequence[Standing]) -> Strategy:
    """Return the strategy for a list of candidates, which may be empty."""
    if not standings:
        return Strategy.ARCHIVE_FALLBACK
    strong = sum(standing.strong for standing in standings)
    if strong == 1:
        return Strategy.SINGLE_STRONG
    if any(standing.in_synthesis for standing in standings):
        return Strategy.SYNTHESIZE
    return Strategy.MANY_WEAK


def choose_shown(standings: Sequence[Standing], limit: int) -> Strategy:
    """Choose by all candidates; if the one strong match ranks too low to be shown, by the shown ones only."""
    strategy = choose(standings)
    return choose(standings[:limit]) if strategy is Strategy.SINGLE_STRONG else strategy
