"""Compute the relevance of notes to the words of a query, on an absolute scale of 0..1.

The weights of the query's words (search/bm25.py), including unknown ones, are summed for the best
section and for the whole note, and the two sums are averaged: the section alone underrates notes
that spread their subject over many sections, the whole note alone underrates notes with many
subjects. For the most relevant notes, the similarity of their names to the query (search/names.py)
and the proximity of its words are added, and 0.3 to 0.6 if every word is in title, aliases, tags,
path or anchor text. `search/bm25.py` converts the sum to a probability.

The proximity of the words in the best section of a note:

    proximity       = 0.55 * min(0.4, Σ nearness)
    nearness        = min(weight of one word, weight of the other) / Σ idf / sqrt(distance)

The sum runs over the pairs of words at most 8 words apart, without stop words; the least distance
of a pair counts.

The user's weights of folders and kinds multiply the relevance:

    [weights]
    "archive/**" = 0.5        every note below this folder
    "type:meeting" = 0.8      every note of this kind

Of several weights for a note, the smallest counts. A note that is asked for by its exact name keeps
relevance 1.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from fnmatch import fnmatchcase
from heapq import nlargest
from itertools import chain, repeat
from math import sqrt
from operator import contains
from typing import NamedTuple

from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import LEXICAL, Bm25Sum, ScoredTerm, look_up
from brain_cli.search.names import (
    QueryLetters,
    compared_names,
    evidence_of_paths,
    likeness,
    name_coverage,
    name_match,
    similar_names,
)
from brain_cli.search.words import corrected
from brain_cli.types import MINIMUM_RELEVANCE, Evidence
from brain_cli.vault.analyzer import Word, same_name, terms

PROXIMITY_WEIGHT = 0.55
MAX_NEARNESS = 0.4
MAX_WORDS_APART = 8
MAX_CHARS_READ = 6_000

# Two words of a query, by their indexes in it → their distance in words.
Distances = Mapping[tuple[int, int], int]


class Proximity:
    """Measures how near each other the words of one query are in notes."""

    def __init__(self, snapshot: Snapshot, found: Iterable[ScoredTerm]) -> None:
        self._snapshot = snapshot
        # A compound is left out, because its parts count.
        self._found = [
            each for each in found if each.scores.frequency and not each.word.optional
        ]
        self._indexes = {
            variant: index
            for index, each in enumerate(self._found)
            for variant in each.word.variants
        }

    def of(self, section: int | None, worth: float) -> float:
        """Return the proximity of the words in a section, 0..0.22; `worth` is the Σ idf of
        the query.
        """
        if section is None or sum(section in each.scores.sections for each in self._found) < 2:
            return 0.0
        lines = terms_of_lines(self._snapshot, section)
        nearness = sum(
            min(self._found[a].weight, self._found[b].weight) / sqrt(distance)
            for (a, b), distance in distances_in(
                chain.from_iterable(lines), self._indexes
            ).items()
        )
        return PROXIMITY_WEIGHT * min(MAX_NEARNESS, nearness / worth)


def distances_in(text: Iterable[str], indexes: Mapping[str, int]) -> Distances:
    """Return the least distance of each two words near each other; `indexes` maps terms to words of
    the query.
    """
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


def lines_read(text: str) -> list[str]:
    """Return the lines of a section, which is cut at a length that few exceed."""
    return text[:MAX_CHARS_READ].split("\n")


def terms_of_lines(snapshot: Snapshot, section: int) -> tuple[list[str], ...]:
    """Return the terms of each line of a section, computed once for each generation of the
    index.
    """

    def cut() -> tuple[list[str], ...]:
        language = snapshot.language(snapshot.index.note_ids[section])
        lines = lines_read(snapshot.index.fragment(section).text)
        return tuple(terms(line, language) for line in lines)

    return snapshot.cache.get(("terms", section), cut, lambda lines: sum(map(len, lines)) + 1)


# A corrected word counts half.
CORRECTED_SHARE = 0.5
# The evidence added for a note with every word of the query in title, aliases, tags, path or anchor
# text; up to twice as much if one name has them all, and no other.
COMPLETE_NAME = 0.3
# If a note reaches this relevance by the words as typed, no note is added for corrected words
# alone.
MIN_BEST_RELEVANCE = 0.35
# Notes that have only corrected words have this share of their relevance.
MAX_FUZZY = 0.3
# Names are compared for this many notes; they cannot lift a lower note to the top.
MAX_COMPARED_NAMES = 100
# Sections are read for this many notes.
MAX_READ = 10


class Matches(NamedTuple):
    """The notes that have words of the query: relevance (0..1) by note id.

    `fuzzy` notes match only by a corrected word; such a note never outranks one with a word as
    typed. `sections` ranks the fragments of a note, `evidence` returns how it matches.
    `corrections` are pairs of an unknown word and the word used instead; `terms` are the words of
    the query as looked up.
    """

    relevances: dict[int, float]
    sections: Callable[[int], list[tuple[int, float]]]
    evidence: Callable[[int], Evidence]
    fuzzy: frozenset[int] = frozenset()
    corrections: tuple[tuple[str, str], ...] = ()
    terms: tuple[ScoredTerm, ...] = ()

    @property
    def term_weights(self) -> dict[str, float]:
        """The idf of each term by which a word of the query may be found."""
        return {variant: each.idf for each in self.terms for variant in each.word.found_by}


def matches(
    snapshot: Snapshot, words: Iterable[Word], name: str = "", paths: Iterable[str] = ()
) -> Matches:
    """Return every note that has a word of the query. A note with exactly this name has relevance
    1.

    `name` is the text of the query in the form of `same_name`, `paths` are the paths in it.
    """
    # An optional word that no note has is left out, because its parts are words of the query too.
    found = [
        each
        for word in words
        if (each := look_up(snapshot, word)).scores.frequency or not word.optional
    ]
    summed = Bm25Sum(snapshot, found)
    relevances = _raised_relevances(snapshot, summed)
    for note_id, more in evidence_of_paths(snapshot, paths, found, relevances).items():
        relevances[note_id] = LEXICAL.raised(relevances[note_id], more)
    exactly_named = frozenset(_named(snapshot, name, found))
    relevances |= dict.fromkeys(exactly_named, 1.0)
    evidence = _evidence(snapshot, summed, exactly_named)
    exact = Matches(relevances, summed.sections, evidence, terms=tuple(found))
    return _with_corrections(snapshot, exact, exactly_named)


def every_note(snapshot: Snapshot) -> Matches:
    """Return all notes with relevance 1: the matches of a query without a word to rank by."""
    return Matches(
        dict.fromkeys(snapshot.note_table.rows, 1.0), lambda _: [], lambda _: Evidence()
    )


def _with_corrections(
    snapshot: Snapshot, exact: Matches, exactly_named: frozenset[int]
) -> Matches:
    """Raise the relevance of notes with the words that unknown ones misspell.

    If the words as typed find little, notes with only corrected words are weak matches, below all
    others.
    """
    is_found = max(exact.relevances.values(), default=0.0) >= MIN_BEST_RELEVANCE
    corrected_terms = [
        each
        if each.scores.frequency or each.word.optional
        else _corrected(snapshot, each, found_little=not is_found)
        for each in exact.terms
    ]
    corrections = [
        (each.word.text, meant.word.text)
        for each, meant in zip(exact.terms, corrected_terms, strict=True)
        if each is not meant
    ]
    if not corrections:
        return exact if exact.relevances else _with_similar_names(snapshot, exact)
    summed = Bm25Sum(snapshot, corrected_terms)
    raised = _raised_relevances(snapshot, summed)
    # A note with a word as typed stays in the results, even if corrected words outweigh it.
    least = 0.0 if is_found else MINIMUM_RELEVANCE
    relevances = {
        each: max(least, relevance, raised[each])
        for each, relevance in exact.relevances.items()
    }
    fuzzy = frozenset() if is_found else frozenset(raised.keys() - relevances.keys())
    return Matches(
        relevances | {note_id: MAX_FUZZY * raised[note_id] for note_id in fuzzy},
        summed.sections,
        _evidence(snapshot, summed, exactly_named),
        fuzzy,
        tuple(corrections),
        tuple(corrected_terms),
    )


def _corrected(snapshot: Snapshot, unknown: ScoredTerm, *, found_little: bool) -> ScoredTerm:
    """Return the word that an unknown one misspells, with half of its weight; the unknown word
    itself if there is none.
    """
    near = corrected(snapshot, unknown.word, found_little=found_little)
    return ScoredTerm(near.word, unknown.idf, near.scores, CORRECTED_SHARE) if near else unknown


def _raised_relevances(snapshot: Snapshot, summed: Bm25Sum) -> dict[int, float]:
    """Return the relevances by BM25, raised for names similar to the query and for words near each
    other.
    """
    return _with_near_words(snapshot, summed, _with_names(snapshot, summed))


def _with_names(snapshot: Snapshot, summed: Bm25Sum) -> dict[int, float]:
    """Return the relevances by BM25; those of the best notes are raised by the similarity of their
    names to the query, and for names with every word of it.
    """
    relevances = summed.relevances()
    asked = QueryLetters(each.word for each in summed.found)
    complete = _completely_named(summed.found)
    for note_id in nlargest(MAX_COMPARED_NAMES, relevances, key=relevances.__getitem__):
        more = likeness(snapshot, note_id, asked)
        if note_id in complete:
            names = snapshot.note_table.name_terms(note_id).of_each
            more += COMPLETE_NAME * (1 + name_match(names, _shares(summed)))
        if more:
            relevances[note_id] = LEXICAL.raised(relevances[note_id], more)
    return relevances


def _completely_named(found: Iterable[ScoredTerm]) -> Set[int]:
    """Return the notes with every word of the query in title, aliases, tags, path or
    anchor text.
    """
    named = [each.scores.about.keys() for each in found if not each.word.optional]
    return frozenset.intersection(*map(frozenset, named)) if named else frozenset()


def _shares(summed: Bm25Sum) -> list[tuple[tuple[str, ...], float]]:
    """Return the variants of each word of the query with its share of the query."""
    return [(each.word.found_by, each.weight / summed.worth) for each in summed.found]


def _with_near_words(
    snapshot: Snapshot, summed: Bm25Sum, relevances: dict[int, float]
) -> dict[int, float]:
    """Raise the relevance of the best notes by the proximity of the query's words."""
    proximity = Proximity(snapshot, summed.found)
    for note_id in nlargest(MAX_READ, relevances, key=relevances.__getitem__):
        if more := proximity.of(summed.best_section(note_id), summed.worth):
            relevances[note_id] = LEXICAL.raised(relevances[note_id], more)
    return relevances


def _with_similar_names(snapshot: Snapshot, exact: Matches) -> Matches:
    """Return the notes with similar names, for a query of which no note has a word."""
    similar = similar_names(snapshot, (each.word for each in exact.terms))
    relevances = {note_id: MAX_FUZZY * alike for note_id, alike in similar.items()}
    return exact._replace(relevances=relevances, fuzzy=frozenset(relevances))


def _evidence(
    snapshot: Snapshot, summed: Bm25Sum, exactly_named: Collection[int]
) -> Callable[[int], Evidence]:
    asked = _shares(summed)
    variants = {variant for found_by, _ in asked for variant in found_by}
    required = [each.word.found_by for each in summed.found if not each.word.optional]

    def evidence(note_id: int) -> Evidence:
        matched = [each for each in summed.found if note_id in each.scores.notes]
        weight = sum(each.weight for each in matched) or 1.0
        in_links = sum(each.weight for each in matched if note_id in each.scores.linked)
        names = snapshot.note_table.name_terms(note_id).of_each
        return Evidence(
            match=summed.match(note_id),
            only_in_links=in_links / weight,
            name_coverage=name_coverage(names, variants),
            name_match=name_match(names, asked),
            exact_name=note_id in exactly_named,
            named=any(not any(map(words.isdisjoint, required)) for words in names),
        )

    return evidence


def _named(snapshot: Snapshot, wanted: str, found: list[ScoredTerm]) -> list[int]:
    """Return the notes that have a name, regardless of case and accents."""
    if not wanted:
        return []
    # Such a note has every word of the query in its title; for a name of stop words, all notes are
    # compared.
    named: list[Mapping[int, object]] = sorted((word.scores.about for word in found), key=len)
    fewest, *others = named or [snapshot.note_table.rows]
    likely = (each for each in fewest if all(map(contains, others, repeat(each))))
    metadata = snapshot.note_table.metadata
    return [each for each in likely if wanted in compared_names(metadata(each))]


def matches_of_known_words(
    snapshot: Snapshot, words: Sequence[Word], name: str = "", paths: Iterable[str] = ()
) -> Matches:
    """Return the matches of a query; if its unknown words leave none, the weak matches of its known
    words.
    """
    found = matches(snapshot, words, name, paths)
    if max(found.relevances.values(), default=0.0) >= MINIMUM_RELEVANCE:
        return found
    known = [word for word in words if look_up(snapshot, word).scores.frequency]
    if not known or all(word in known for word in words if not word.optional):
        return found
    weak = matches(snapshot, known).relevances
    relevances = {
        note_id: max(MINIMUM_RELEVANCE, MAX_FUZZY * relevance)
        for note_id, relevance in weak.items()
    }
    return found._replace(relevances=relevances)


KIND = "type:"


def weight_of(
    note_id: int, relevance: float, weights: Mapping[str, float], note_table: NoteTable
) -> float:
    """Return the weight (0..1) of a note by the patterns of a configuration; 1 for a note with the
    exact name.
    """
    if not weights or relevance >= 1.0:
        return 1.0
    path = same_name(note_table.value("path", note_id))
    kind = same_name(f"{KIND}{note_table.value('kind', note_id)}")
    named = ((same_name(pattern), weight) for pattern, weight in weights.items())
    fitting = (
        weight for pattern, weight in named if pattern == kind or fnmatchcase(path, pattern)
    )
    return min(fitting, default=1.0)


def weighted(
    relevances: Mapping[int, float], weights: Mapping[str, float], note_table: NoteTable
) -> dict[int, float]:
    """Return the relevances (0..1) by note id with the weights of folders and kinds applied."""
    return {
        note_id: relevance * weight_of(note_id, relevance, weights, note_table)
        for note_id, relevance in relevances.items()
    }
