"""The constants of relevance, in one table: how BM25 becomes a probability of being about the query.

    relevance = σ(1.7 self + 2.3 coverage - 3.0)

`self` is BM25 divided by what the query's words are worth in all, `coverage` the share of them that matched.
Fitted so that a question about something else entirely stays near .1, the right notes of judged questions lie
around .6, one passing mention in a long note reaches .75 at most, and a word of the title .95 at least.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Calibration(NamedTuple):
    """BM25's two constants, and the logistic curve from its sum to 0..1. All slopes are positive."""

    k1: float = 2.0
    b: float = 0.75
    self_slope: float = 1.7
    coverage_slope: float = 2.3
    offset: float = -3.0

    def relevance(self, bm25_share: float, coverage: float) -> float:
        """Return relevance 0..1 for BM25 ÷ Σ idf (0..k1+1) and the matched share of Σ idf (0..1)."""
        return 1.0 / (1.0 + math.exp(-(self.self_slope * bm25_share + self.coverage_slope * coverage + self.offset)))


LEXICAL = Calibration()
# Notes below this relevance are no candidates, whatever their other factors say.
MINIMUM_RELEVANCE = 0.10
ARCHIVE_MINIMUM_RELEVANCE = 0.30
