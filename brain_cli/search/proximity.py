"""Measure how near each other the words of a query are in the best section of a note.

    proximity       = 0.55 * min(0.4, Σ nearness)
    nearness        = min(weight of one word, weight of the other) / Σ idf / sqrt(distance)

The sum runs over the pairs of words at most 8 words apart, without stop words; the least distance of a pair counts. Two
words in links to the note count as 3 words apart. The proximity is added to the evidence of BM25 (search/relevance.py),
which ignores positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm
from brain_cli.vault.analyzer import terms

PROXIMITY_WEIGHT = 0.55
MAX_NEARNESS = 0.4
MAX_WORDS_APART = 8
LINK_WORDS_APART = 3
# Reading takes time, so a section is cut at this length, which few exceed.
MAX_CHARS_READ = 6000

# Two words of a query, by their indexes in it → their distance in words.
Distances = Mapping[tuple[int, int], int]


class Proximity:
    """Measures how near each other the words of one query are in notes."""

    def __init__(self, snapshot: Snapshot, found: Iterable[ScoredTerm]) -> None:
        self._snapshot = snapshot
        # A compound is left out, because its parts count.
        self._found = [each for each in found if each.scores.frequency and not each.word.optional]
        self._indexes = {variant: index for index, each in enumerate(self._found) for variant in each.word.variants}

    def of(self, note_id: int, section: int | None, worth: float) -> float:
        """Return the proximity of the words in a note, 0..0.22; `worth` is the Σ idf of the query."""
        linked = [index for index, each in enumerate(self._found) if note_id in each.scores.anchored]
        pairs = ((a, b) for index, a in enumerate(linked) for b in linked[index + 1 :])
        distances = dict.fromkeys(pairs, LINK_WORDS_APART)
        for pair, distance in self._in_section(section).items():
            distances[pair] = min(distance, distances.get(pair, distance))
        nearness = sum(self._lesser_weight(pair) / sqrt(distance) for pair, distance in distances.items())
        return PROXIMITY_WEIGHT * min(MAX_NEARNESS, nearness / worth)

    def _lesser_weight(self, pair: tuple[int, int]) -> float:
        return min(self._found[index].weight for index in pair)

    def _in_section(self, section: int | None) -> Distances:
        if section is None or sum(section in each.scores.sections for each in self._found) < 2:
            return {}
        return distances_in(_terms_of(self._snapshot, section), self._indexes)


def distances_in(text: Sequence[str], indexes: Mapping[str, int]) -> Distances:
    """Return the least distance of each two words near each other; `indexes` maps terms to words of the query."""
    last: dict[int, int] = {}
    found: dict[tuple[int, int], int] = {}
    for position, term in enumerate(text):
        index = indexes.get(term)
        if index is None:
            continue
        for other, before in last.items():
            if other != index and position - before <= MAX_WORDS_APART:
                pair = (min(other, index), max(other, index))
                found[pair] = min(position - before, found.get(pair, MAX_WORDS_APART))
        last[index] = position
    return found


def _terms_of(snapshot: Snapshot, section: int) -> tuple[str, ...]:
    """Return the terms of a section, computed once for each generation of the index."""

    def cut() -> tuple[str, ...]:
        language = snapshot.language(snapshot.index.note_ids[section])
        return tuple(terms(snapshot.index.fragment(section).text[:MAX_CHARS_READ], language))

    return snapshot.cache.get(("terms", section), cut)
