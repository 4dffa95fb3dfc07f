"""The sum of five factors: recency, type, similarity, overlap of files, and same project.

    score = recency + type + similarity + file_overlap + same_project

recency       0..1, exp(-0.693 * age_days / half_life), half-life 2 days
type          0.3..0.8, by kind; any other kind 0.3
similarity    0..1.5, 1.0 * relevance + 0.5 * concept_overlap
file_overlap  0..1, share of the note's files that exist under the working folder
same_project  0.1 for a note of the session's project, else 0

Each part has a weight, published as 1. The share is score / 4.4, the sum of the upper ends times
their weights. Pins, links and accesses do not count.

Publication: claude-mem, "Smarter Memory Retrieval", phase 2b.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, ClassVar

from brain_cli.ranking.scorers import Formula, Score, days, share, shares_by_kind, weight
from brain_cli.types import finite, unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from brain_cli.types import Signals

TYPES: dict[str, float] = {
    "decision": 0.8,
    "bugfix": 0.7,
    "discovery": 0.6,
    "feature": 0.5,
    "refactor": 0.4,
    "change": 0.3,
}
LN_2 = 0.693  # as published, to three digits


class ClaudeMem(Formula):
    """The formula above with its constants."""

    name: ClassVar[str] = "claude-mem"
    recency: float = weight(1.0)
    type: float = weight(1.0)
    similarity: float = weight(1.0)
    file_overlap: float = weight(1.0)
    half_life_days: float = days(2.0)
    types: Mapping[str, float] = shares_by_kind(TYPES)
    other_type: float = share(0.3)
    concept_overlap: float = share(0.5)
    same_project: float = share(0.1)

    def score(self, signals: Signals) -> Score:
        similarity = unit(signals.relevance) + self.concept_overlap * unit(
            signals.concept_overlap
        )
        return (
            Score()
            .plus(
                "recency",
                exp(-LN_2 * finite(signals.age_days) / self.half_life_days),
                self.recency,
            )
            .plus("type", self.types.get(signals.kind.lower(), self.other_type), self.type)
            .plus("similarity", similarity, self.similarity)
            .plus("file_overlap", unit(signals.file_overlap), self.file_overlap)
            .plus("same_project", self.same_project if signals.same_project else 0.0)
            .out_of(self._highest)
        )

    @property
    def _highest(self) -> float:
        """The sum of the upper ends: 4.4 by the published weights."""
        similarity = self.similarity * (1 + self.concept_overlap)
        # Rounded, because the sum of the published ends is not quite 4.4 in binary.
        return (
            round(
                self.recency
                + self.type * max(TYPES.values())
                + similarity
                + self.file_overlap
                + self.same_project,
                12,
            )
            or 1.0
        )
