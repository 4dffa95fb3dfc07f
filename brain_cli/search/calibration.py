"""The constants of relevance in one table: they convert BM25 to the probability that a note is about the query.

    relevance = odds / (1 + odds)
    odds      = 1.8 * evidence ** 3.1
    evidence  = bm25_share + 0.7 * coverage ** 8 * max(0, 1 - bm25_share)

bm25_share  BM25 divided by the total weight of the query's words (Σ idf, including words in no note); 0..k1+1
coverage    0..1, the share of Σ idf that belongs to words in the note

A word in the title gives a bm25_share of about 2.25 and a relevance of .96; one mention in a section of average length
gives 1 and .64. A note with every word of the query has at least .37, however long it is. One word out of five gives
almost nothing. The title is the fixed point; `tests/benchmarks/calibrate.py` fits the steepness that separates related
notes from unrelated ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# A note whose name is exactly the query has relevance 1; its odds are computed as those of .9999.
MAX_CERTAIN_GAP = 1e-4


class Calibration(NamedTuple):
    """The curve from the sum of BM25 to 0..1: log odds are linear in the logarithm of the evidence."""

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

    def lifted_relevances(
        self, note_ids: Iterable[int], shares: Iterable[float], lifts: Iterable[float]
    ) -> dict[int, float]:
        """Return the `lifted_relevance` of many notes, each by its BM25 ÷ Σ idf and its lift."""
        # This loop is as `lifted_relevance` and `lifted`, without their calls.
        odds_at_one, steepness = self.odds_at_one, self.steepness
        odds = [
            odds_at_one * (share if share >= 1.0 else share + lift * (1.0 - share)) ** steepness
            for share, lift in zip(shares, lifts, strict=True)
        ]
        return {note_id: each / (1.0 + each) for note_id, each in zip(note_ids, odds, strict=True)}

    def lifted(self, bm25_share: float, lift: float) -> float:
        """Return BM25 ÷ Σ idf, raised if it is low although almost no word is missing."""
        return bm25_share if bm25_share >= 1.0 else bm25_share + lift * (1.0 - bm25_share)

    def lift(self, coverage: float) -> float:
        """Return how far low evidence is raised if this share of Σ idf (0..1) is matched."""
        lift: float = self.complete * coverage**self.completeness
        return lift

    def raised(self, relevance: float, by: float) -> float:
        """Return the relevance with more evidence; it stays below 1, which only an exact name has."""
        odds: float = self.odds_at_one * (self.evidence_of(relevance) + by) ** self.steepness
        return odds / (1.0 + odds)

    def evidence_of(self, relevance: float) -> float:
        """Return the evidence (0..k1+1) behind a relevance; a relevance of 1 counts as .9999."""
        odds = relevance / max(1.0 - relevance, MAX_CERTAIN_GAP)
        evidence: float = (odds / self.odds_at_one) ** (1 / self.steepness)
        return evidence


LEXICAL = Calibration()
# Notes below this relevance are left out, whatever their other factors are.
MINIMUM_RELEVANCE = 0.01
ARCHIVE_MINIMUM_RELEVANCE = 0.30
