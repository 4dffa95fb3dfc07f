"""The constants of relevance, in one table: how BM25 becomes a probability of being about the query.

    relevance = odds / (1 + odds)
    odds      = 1.8 * evidence ** 3.1
    evidence  = self + 0.7 * coverage ** 8 * max(0, 1 - self)

self       BM25 divided by what the query's words are worth in all (Σ idf, unseen words included); 0..k1+1
coverage   0..1, the share of Σ idf that belongs to words which the note has

A word of the title has a `self` of about 2.25 and relevance .96; one mention in a section of usual length 1 and .64,
and a note that has every word of the query no less than .37, however long it is. Of five words one alone is next to
nothing. The title is the anchor; `tests/benchmarks/calibrate.py` fits the steepness to tell what is related from
what is off-topic.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# A note that is called exactly what was asked has relevance 1; its odds are taken as those of .9999.
MOST_CERTAIN_GAP = 1e-4


class Calibration(NamedTuple):
    """The curve from the sum of BM25 to 0..1: a straight line in logarithms of both."""

    odds_at_one: float = 1.8
    steepness: float = 3.1
    complete: float = 0.7
    completeness: float = 8.0

    def relevance(self, bm25_share: float, coverage: float) -> float:
        """Return relevance 0..1 for BM25 ÷ Σ idf (0..k1+1) and the matched share of Σ idf (0..1)."""
        return self.lifted_relevance(bm25_share, self.lift(coverage))

    def lifted_relevance(self, bm25_share: float, lift: float) -> float:
        """Return relevance 0..1 for BM25 ÷ Σ idf and the lift of a coverage, which many notes share."""
        odds: float = self.odds_at_one * self.lifted(bm25_share, lift) ** self.steepness
        return odds / (1.0 + odds)

    def lifted_relevances(self, shares: Iterable[tuple[int, float, float]]) -> dict[int, float]:
        """Return the `lifted_relevance` of many notes, each given by its id, BM25 ÷ Σ idf, and lift."""
        odds_at_one, steepness = self.odds_at_one, self.steepness
        found: dict[int, float] = {}
        # This loop is as `lifted_relevance` and `lifted`, without their calls.
        for note_id, share, lift in shares:
            odds = odds_at_one * (share if share >= 1.0 else share + lift * (1.0 - share)) ** steepness
            found[note_id] = odds / (1.0 + odds)
        return found

    def lifted(self, bm25_share: float, lift: float) -> float:
        """Return BM25 ÷ Σ idf, raised where it is low although hardly a word is missing."""
        return bm25_share if bm25_share >= 1.0 else bm25_share + lift * (1.0 - bm25_share)

    def lift(self, coverage: float) -> float:
        """Return how far low evidence is raised where this share of Σ idf (0..1) is matched."""
        lift: float = self.complete * coverage**self.completeness
        return lift

    def raised(self, relevance: float, by: float) -> float:
        """Return the relevance with more evidence; it stays below 1, which only an exact name has."""
        odds: float = self.odds_at_one * (self.evidence_of(relevance) + by) ** self.steepness
        return odds / (1.0 + odds)

    def evidence_of(self, relevance: float) -> float:
        """Return the evidence (0..k1+1) behind a relevance; a relevance of 1 stands for the most there is."""
        odds = relevance / max(1.0 - relevance, MOST_CERTAIN_GAP)
        evidence: float = (odds / self.odds_at_one) ** (1 / self.steepness)
        return evidence


LEXICAL = Calibration()
# Notes below this relevance are left out, whatever their other factors say.
MINIMUM_RELEVANCE = 0.01
ARCHIVE_MINIMUM_RELEVANCE = 0.30
