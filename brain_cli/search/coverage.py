"""Measure the share of a query that a note has, and the share that no note has.

    coverage = Σ weight of the words in the note / Σ idf of all words of the query

Both sums run over the distinct content words. A word that no note has counts only in the lower sum, with the highest
possible idf, so it lowers every coverage; a corrected word counts half (search/relevance.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm


class QueryCoverage:
    """The words of one query, looked up in one snapshot; every share is 0..1, and 0 for a query without words."""

    def __init__(self, snapshot: Snapshot, terms: Collection[ScoredTerm]) -> None:
        self.terms = terms
        self._snapshot = snapshot
        self._whole = sum(term.idf for term in terms)

    @property
    def unknown_share(self) -> float:
        return 1.0 - self._share(term for term in self.terms if term.scores.frequency) if self._whole else 0.0

    def of_best_section(self, note_id: int) -> float:
        """Return the largest share that one section has, together with the names, tags and path of its note."""
        in_note = list(self._in_note(note_id))
        everywhere = self._share(term for term in in_note if note_id in term.scores.about)
        in_bodies = [term for term in in_note if note_id not in term.scores.about]
        if not in_bodies:
            return everywhere
        numbers = self._snapshot.numbers_of(note_id)
        return everywhere + max(self._share(t for t in in_bodies if n in t.scores.sections) for n in numbers)

    def anchor_share(self, note_id: int) -> float | None:
        """Return the share of the anchor text with words of the query that belongs to a note; None without any."""
        anchored = [(term.weight, term.scores.anchored) for term in self.terms if term.scores.anchored]
        whole = sum(weight * sum(weights.values()) for weight, weights in anchored)
        return sum(weight * weights.get(note_id, 0.0) for weight, weights in anchored) / whole if whole else None

    def words_in(self, note_id: int) -> tuple[str, ...]:
        """Return the words of the query that a note has, as typed."""
        return tuple(term.word.text for term in self._in_note(note_id))

    def _in_note(self, note_id: int) -> Iterable[ScoredTerm]:
        return (term for term in self.terms if note_id in term.scores.notes)

    def _share(self, terms: Iterable[ScoredTerm]) -> float:
        return sum(term.weight for term in terms) / self._whole if self._whole else 0.0
