"""Compare a query with a note's name by letters, so that other forms and misspellings of the name match too.

    likeness = 0.55 * cosine(letter 4-grams of the query's words, letter 4-grams of the name's words)

A note's names are its title, its aliases and its file name, or its folder's if the file is a README; the best one
counts. `callout` is near `Callouts`, and a name that the query contains completely is nearer than a longer one. The
likeness is added to the evidence of BM25 (search/relevance.py), in which a word of the title gives about 2.25.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from heapq import nlargest
from math import sqrt

from brain_cli.index.note_names import Letters, descriptive_names_of, letters_of, names_of
from brain_cli.index.snapshot import Snapshot
from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import Word, stemmer, terms
from brain_cli.vault.folding import same_name

NAME_WEIGHT = 0.55
# If nothing else is found, names with at least this cosine are offered.
MIN_COSINE = 0.45
# Such names share at least this part of the query's letters, because one word is not the subject of a sentence.
MIN_QUERY_SHARE = 0.5
MAX_OFFERED = 20


class QueryLetters:
    """The letters of a query's words, stemmed as the words of a note in each language are."""

    def __init__(self, words: Iterable[Word]) -> None:
        # The letters of a compound are in its parts already.
        self._words = [word.text for word in words if not word.optional]
        self._by_language: dict[str, Letters] = {}

    def stemmed(self, language: str) -> Letters:
        if language not in self._by_language:
            self._by_language[language] = letters_of(map(stemmer(language), self._words))
        return self._by_language[language]


def cosine(asked: Letters, name: Letters) -> float:
    """Return the cosine of two sets of 4-grams, 0..1: the shared ones ÷ the geometric mean of their sizes."""
    shared = len(asked & name)
    return shared / sqrt(len(asked) * len(name)) if shared else 0.0


def likeness(snapshot: Snapshot, note_id: int, asked: QueryLetters) -> float:
    """Return the evidence from the names of a note, 0..0.55."""
    return NAME_WEIGHT * best_cosine(snapshot, note_id, asked)


def best_cosine(snapshot: Snapshot, note_id: int, asked: QueryLetters) -> float:
    """Return the cosine of the query and the nearest name of a note, 0..1."""
    letters = asked.stemmed(snapshot.language(note_id))
    return max((cosine(letters, name) for name in _letters_of_names(snapshot, note_id)), default=0.0)


def _letters_of_names(snapshot: Snapshot, note_id: int) -> tuple[Letters, ...]:
    """Return the letters of each name of a note, computed once for each generation of the index."""

    def cut() -> tuple[Letters, ...]:
        names, language = descriptive_names_of(snapshot.note_table.metadata(note_id)), snapshot.language(note_id)
        return tuple(letters_of(terms(name, language)) for name in names)

    return snapshot.cache.get(("names", note_id), cut, _size)


def _size(names: tuple[Letters, ...]) -> int:
    return sum(map(len, names))


def similar_names(snapshot: Snapshot, words: Iterable[Word]) -> dict[int, float]:
    """Return the notes whose names share most letters with a query, each with its cosine (0.45..1)."""
    asked = QueryLetters(words)
    found = {note_id: best_cosine(snapshot, note_id, asked) for note_id in snapshot.note_table.rows}
    best = [note_id for note_id in nlargest(MAX_OFFERED, found, key=found.__getitem__) if found[note_id]]
    return {note_id: found[note_id] for note_id in best if _is_like(snapshot, note_id, asked, found[note_id])}


def _is_like(snapshot: Snapshot, note_id: int, asked: QueryLetters, cosine: float) -> bool:
    letters = asked.stemmed(snapshot.language(note_id))
    shared = max(len(letters & name) for name in _letters_of_names(snapshot, note_id))
    return cosine >= MIN_COSINE and shared >= MIN_QUERY_SHARE * len(letters)


def is_named(metadata: NoteMetadata, wanted: str) -> bool:
    """Return whether a note has exactly this name or path; `wanted` is in the form of `same_name`."""
    return any(same_name(name) == wanted for name in (*names_of(metadata), metadata.path))


def name_coverage(names: Iterable[str], query_terms: Collection[str], language: str) -> float:
    """Return the largest share (0..1) of one name's distinct words that the query has."""
    words = [frozenset(terms(name, language)) for name in names]
    return max((len(each.intersection(query_terms)) / len(each) for each in words if each), default=0.0)


def name_match(names: Iterable[str], asked: Collection[tuple[Collection[str], float]], language: str) -> float:
    """Return how well the best name fits the query, 0..1.

    This is the share of the name's words that the query has, times (1 + s) / 2, where s is the share of the query that
    the name has. `asked` are the words of the query, each with its variants and its share of the query.
    """
    variants = {variant for word, _ in asked for variant in word}
    matches = [0.0]
    for words in filter(None, (frozenset(terms(name, language)) for name in names)):
        covered = sum(share for word, share in asked if not words.isdisjoint(word))
        matches.append(len(words & variants) / len(words) * (1 + covered) / 2)
    return max(matches)
