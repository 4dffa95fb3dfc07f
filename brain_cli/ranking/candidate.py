"""A candidate: one relevant note with its signals, its score, and how sure that makes the answer."""

from __future__ import annotations

from typing import NamedTuple

from brain_cli.ranking.scorers import Score
from brain_cli.types import NoteMetadata, Signals, Usage

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


class Candidate(NamedTuple):
    """A note that matched: what was measured, and the score that came of it.

    `guessed`: only a word that was taken for one of the query stands in it.
    """

    note_id: int
    content_hash: str
    metadata: NoteMetadata
    signals: Signals
    score: Score
    usage: Usage
    fuzzy: bool = False

    @property
    def standing(self) -> Standing:
        return Standing(self.score.share, self.signals.relevance)
