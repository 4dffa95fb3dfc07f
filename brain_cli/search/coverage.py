"""Measure the share of a query that a note has, and the share that no note has.

    coverage = Σ weight of the words in the note / Σ idf of all words of the query

Both sums run over the distinct content words. A word that no note has counts only in the lower sum, with the highest
possible idf, so it lowers every coverage; a corrected word counts half (search/relevance.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import reduce
from heapq import nlargest
from operator import or_
from typing import NamedTuple

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm
from brain_cli.vault.analyzer import terms

# A passage is a few lines of a section, at most this many characters; a longer line is a passage of its own.
PASSAGE_CHARS = 420
# Passages are looked for in this many sections of a note, and in the beginning of a long one.
MAX_SECTIONS = 4
MAX_CHARS_READ = 20_000


class SectionLines(NamedTuple):
    """The terms of a section's headings, its lines that are not blank, and the distinct terms of each."""

    headings: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    lines: tuple[frozenset[str], ...] = ()

    def end(self, first: int) -> int:
        """Return the line after the last one of the passage that begins with a line."""
        length, last = len(self.texts[first]), first + 1
        while last < len(self.texts) and length + len(self.texts[last]) <= PASSAGE_CHARS:
            length, last = length + len(self.texts[last]), last + 1
        return last

    def cut(self, first: int, last: int) -> SectionLines:
        return SectionLines(self.headings, self.texts[first:last], self.lines[first:last])


_NOTHING = SectionLines()


class Passage(NamedTuple):
    """The passage of a note with most of the query: its text, its terms with those of the headings, and its coverage.

    The coverage (0..1) includes the note's names, tags and path.
    """

    coverage: float = 0.0
    text: str = ""
    terms: frozenset[str] = frozenset()


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

    def best_passage(self, note_id: int) -> Passage:
        """Return the passage of a note with most of the query, by idf; of equal ones the first."""
        bits = {variant: 1 << place for place, term in enumerate(self.terms) for variant in term.word.variants}
        shares: dict[int, float] = {}
        about = sum(1 << place for place, term in enumerate(self.terms) if note_id in term.scores.about)
        most = self._share(self._in_note(note_id))
        best, chosen = self._share_of(about, shares), _NOTHING
        for number in nlargest(MAX_SECTIONS, self._snapshot.numbers_of(note_id), key=self._weight_in):
            section = self._read(number, note_id) if self._weight_in(number) else _NOTHING
            headed = about | _bits_in(section.headings, bits)
            found = [0 if line.isdisjoint(bits) else _bits_in(line, bits) for line in section.lines]
            # A passage begins with a word of the query; the first one is taken where no line has any.
            for first in filter(found.__getitem__, range(len(found))) if any(found) else range(min(1, len(found))):
                covered, last = headed, section.end(first)
                for each in found[first:last]:
                    covered |= each
                share = self._share_of(covered, shares)
                if share > best or not chosen.lines:
                    best, chosen = max(best, share), section.cut(first, last)
            if chosen.lines and best >= most:
                break
        return Passage(best, "\n".join(chosen.texts), chosen.headings.union(*chosen.lines))

    def _share_of(self, covered: int, shares: dict[int, float]) -> float:
        """Return the share of some words, given as bits; shares that were computed before are in `shares`."""
        if covered not in shares:
            shares[covered] = self._share(term for place, term in enumerate(self.terms) if covered >> place & 1)
        return shares[covered]

    def _read(self, number: int, note_id: int) -> SectionLines:
        def read() -> SectionLines:
            fragment, language = self._snapshot.index.fragment(number), self._snapshot.language(note_id)
            lines = tuple(filter(str.strip, fragment.text[:MAX_CHARS_READ].splitlines()))
            headings = frozenset(terms(" ".join(fragment.trail), language))
            return SectionLines(headings, lines, tuple(frozenset(terms(line, language)) for line in lines))

        return self._snapshot.cache.get(("lines", number), read, lambda section: sum(map(len, section.lines)) + 1)

    def _weight_in(self, number: int) -> float:
        return sum(term.weight * term.scores.sections.get(number, 0.0) for term in self.terms)

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


def _bits_in(found: frozenset[str], bits: Mapping[str, int]) -> int:
    """Return the bits of the query's words that are among some terms."""
    return reduce(or_, (bits[term] for term in bits.keys() & found), 0)
