"""Compare a query with a note's name by letters, so that other forms and misspellings of the name
match too.

    likeness = 0.55 * cosine(letter 4-grams of the query's words, letter 4-grams of the name's
    words)

A note's names are its title, its aliases and its file name, or its folder's if the file is a
README; the best one counts. `callout` is near `Callouts`, and a name that the query contains
completely is nearer than a longer one. The likeness is added to the evidence of BM25
(search/relevance.py), in which a word of the title gives about 1.8.

The sections with the words of a path are read, because the index has only its words: `/var` would
match every `/var/log/…`. A note with the path exactly as written gets more evidence, by the path's
share of the query:

    evidence + 1.5 * Σ idf of the path's words / Σ idf of the query
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import chain, islice, pairwise
from math import sqrt

from brain_cli.index.note_names import Letters, letters_of, names_of
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm
from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import Word, same_name, stemmer, words_of

NAME_WEIGHT = 0.55
# If nothing else is found, names with at least this cosine are offered.
MIN_COSINE = 0.45
# Such names share at least this part of the query's letters, because one word is not the subject of
# a sentence.
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


def likeness(snapshot: Snapshot, note_id: int, asked: QueryLetters) -> float:
    """Return the evidence from the names of a note, 0..0.55."""
    return NAME_WEIGHT * best_cosine(snapshot, note_id, asked)


def best_cosine(snapshot: Snapshot, note_id: int, asked: QueryLetters) -> float:
    """Return how alike the query and the nearest name of a note are, 0..1.

    This is the number of shared 4-grams ÷ the geometric mean of the numbers that both have.
    """
    letters = asked.stemmed(snapshot.language(note_id))
    shared = snapshot.note_table.name_terms(note_id).shared(letters)
    return max((both / sqrt(len(letters) * size) for both, size in shared), default=0.0)


def similar_names(snapshot: Snapshot, words: Iterable[Word]) -> dict[int, float]:
    """Return the notes whose names share most letters with a query, each with its cosine
    (0.45..1).
    """
    asked = QueryLetters(words)
    found = {
        note_id: best_cosine(snapshot, note_id, asked) for note_id in snapshot.note_table.rows
    }
    return {
        note_id: found[note_id]
        for note_id in nlargest(MAX_OFFERED, found, key=found.__getitem__)
        if found[note_id] >= MIN_COSINE and _has_half(snapshot, note_id, asked)
    }


def _has_half(snapshot: Snapshot, note_id: int, asked: QueryLetters) -> bool:
    """Return whether a name has enough of the query's letters."""
    letters = asked.stemmed(snapshot.language(note_id))
    shared = snapshot.note_table.name_terms(note_id).shared(letters)
    return max(both for both, _ in shared) >= MIN_QUERY_SHARE * len(letters)


def compared_names(metadata: NoteMetadata) -> Iterator[str]:
    """Yield a note's names and its path in the form of `same_name`."""
    return map(same_name, (*names_of(metadata), metadata.path))


def name_coverage(names: Iterable[frozenset[str]], query_terms: Collection[str]) -> float:
    """Return the largest share (0..1) of one name's distinct words that the query has."""
    return max(
        (len(each.intersection(query_terms)) / len(each) for each in names if each), default=0.0
    )


def name_match(
    names: Iterable[frozenset[str]], asked: Collection[tuple[Collection[str], float]]
) -> float:
    """Return how well the best name fits the query, 0..1.

    This is the share of the name's words that the query has, times (1 + s) / 2, where s is the
    share of the query that the name has. `asked` are the words of the query, each with its variants
    and its share of the query.
    """
    variants = {variant for word, _ in asked for variant in word}
    matches = [0.0]
    for words in filter(None, names):
        covered = sum(share for word, share in asked if not words.isdisjoint(word))
        matches.append(len(words & variants) / len(words) * (1 + covered) / 2)
    return max(matches)


def missing_number(asked: Iterable[Word], names: Iterable[str]) -> str:
    """Return a word of a query with its number if one of a note's names has another number behind
    the word, and none has this one: “line 4” for a note “Line 3”; else an empty string.
    """
    of_names = list(map(words_of, names))
    known = set(chain.from_iterable(of_names))
    pairs = chain.from_iterable(map(pairwise, of_names))
    numbered = {word for word, number in pairs if word.isalpha() and number.isdecimal()}
    missing = (
        f"{word} {number}"
        for word, number in pairwise(each.text for each in asked)
        if word in numbered and number.isdecimal() and number not in known
    )
    return next(missing, "")


WRITTEN_PATH_WEIGHT = 1.5
# Reading takes time, so only this many sections, of the most relevant notes, are read.
MAX_SECTIONS = 200
MAX_PATHS = 3
# A path begins with `/`, `./`, `~/` or `.`; `and/or` and `v1.2` are not paths.
_PATH = (
    r"""(?:^|(?<=[\s"'`“„«(]))(?:~|\.{1,2})?[/.]\.?[^\W_][\w.@+-]{0,100}(?:/[\w.@+-]{1,100})"""
    r"""{0,20}"""
)


def paths_in(query: str) -> tuple[str, ...]:
    """Return the paths in a query, without a final dot."""
    if "/" not in query and "." not in query:
        return ()
    return tuple(path.rstrip(".-") for path in islice(re.findall(_PATH, query), MAX_PATHS))


def evidence_of_paths(
    snapshot: Snapshot,
    paths: Iterable[str],
    terms: Sequence[ScoredTerm],
    relevances: Mapping[int, float],
) -> dict[int, float]:
    """Return the evidence that the paths of a query add to some notes, by note id."""
    worth = sum(term.idf for term in terms) or 1.0
    found: dict[int, float] = {}
    for path in paths:
        words = set(words_of(path))
        path_terms = [
            term for term in terms if term.word.text in words and not term.word.optional
        ]
        if not path_terms:
            continue
        evidence = WRITTEN_PATH_WEIGHT * sum(term.idf for term in path_terms) / worth
        for note_id in _notes_with(snapshot, path, path_terms, relevances):
            found[note_id] = found.get(note_id, 0.0) + evidence
    return found


def _notes_with(
    snapshot: Snapshot, path: str, terms: Iterable[ScoredTerm], relevances: Mapping[int, float]
) -> set[int]:
    note_ids = snapshot.index.note_ids
    numbers = frozenset.intersection(*(frozenset(term.scores.sections) for term in terms))
    best = sorted(numbers, key=lambda number: (-relevances.get(note_ids[number], 0.0), number))
    # The complete path; `.deb` may follow a file name.
    before = "" if path.startswith(".") else r"(?<![\w/.~-])"
    written = re.compile(rf"{before}{re.escape(path)}/?(?![\w/]|[.-]\w)")
    found: set[int] = set()
    for number in best[:MAX_SECTIONS]:
        fragment = snapshot.index.fragment(number)
        if any(map(written.search, (fragment.text, *fragment.trail))):
            found.add(note_ids[number])
    return found
