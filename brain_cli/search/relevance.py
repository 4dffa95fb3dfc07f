"""Compute the relevance of notes to the words of a query, on an absolute scale of 0..1.

The weights of the query's words (search/bm25.py), unseen ones included, are summed twice, for the section and for the
whole note, and the two sums are averaged: the section alone underrates notes that spread their subject over many
sections, the whole note alone underrates notes with many subjects. How well a note's names fit the query
(search/name_similarity.py), and how near each other its words stand (search/proximity.py), is added for the most
relevant notes. `search/calibration.py` turns the sum into a probability.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from heapq import nlargest
from typing import NamedTuple

from brain_cli.index.note_names import descriptive_names_of
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm, look_up
from brain_cli.search.bm25_sum import Bm25Sum
from brain_cli.search.calibration import LEXICAL, MINIMUM_RELEVANCE, Calibration
from brain_cli.search.expansion import as_written, corrected
from brain_cli.search.literal_paths import evidence_of_paths
from brain_cli.search.name_similarity import AskedLetters, is_named, likeness, name_coverage, name_match, similar_names
from brain_cli.search.proximity import Proximity
from brain_cli.search.unknown_words import typo_correction
from brain_cli.types import Evidence
from brain_cli.vault.analyzer import Word
from brain_cli.vault.folding import same_name

# A word that was corrected counts for half, and only where the words as typed lead nowhere.
CORRECTED_SHARE = 0.5
LEADS_SOMEWHERE = 0.35
MAX_FUZZY = 0.3
# Several notes may have the name that is asked for: the relevance of those with fewer links to them.
LESS_LINKED_NAMESAKE = 0.998
# Names are compared with the query for these; they cannot lift a note from farther below to the top.
MAX_COMPARED_NAMES = 100
# Sections are read for these.
MAX_READ = 10
# A shared memory is asked once for all that are likely to be shown.
MAX_SHOWN = 25


class Matches(NamedTuple):
    """The notes that have words of the query: relevance (0..1) by note id; what each term is worth (its idf).

    `fuzzy` notes match only by a corrected word: such a note never outranks one with a word as typed.
    `sections` ranks some fragments of a note, `evidence` tells how one note matches. `corrections` pairs each word that
    the vault does not have with the one that was taken for it; `terms` are the words of the query as looked up.
    """

    relevances: dict[int, float]
    term_weights: dict[str, float]
    sections: Callable[[Iterable[int]], list[tuple[int, float]]]
    evidence: Callable[[int], Evidence]
    fuzzy: frozenset[int] = frozenset()
    corrections: tuple[tuple[str, str], ...] = ()
    terms: tuple[ScoredTerm, ...] = ()


def matches(snapshot: Snapshot, query: str, words: Iterable[Word], calibration: Calibration = LEXICAL) -> Matches:
    """Return every note that has a word of the query. A note that is called exactly so has relevance 1."""
    # An optional word that no note has is not missed: its parts are words of the query too.
    found = [each for word in words if (each := look_up(snapshot, word)).scores.frequency or not word.optional]
    summed = Bm25Sum(snapshot, calibration, found)
    relevances = _raised_relevances(snapshot, summed, found)
    for note_id, more in evidence_of_paths(snapshot, query, found, relevances).items():
        relevances[note_id] = calibration.raised(relevances[note_id], more)
    exactly_named = frozenset(_named(snapshot, query, found))
    relevances |= _exact_name_relevances(snapshot, exactly_named, found)
    evidence = _evidence(snapshot, summed, found, exactly_named)
    exact = Matches(relevances, _term_weights(found), summed.sections, evidence, terms=tuple(found))
    if max(relevances.values(), default=0.0) >= LEADS_SOMEWHERE:
        return _with_typos_corrected(snapshot, exact, exactly_named, calibration)
    return _with_corrections(snapshot, found, exact, calibration)


def every_note(snapshot: Snapshot) -> Matches:
    """Return all notes as equally relevant: what a query without a word to rank by finds."""
    return Matches(dict.fromkeys(snapshot.note_table.rows, 1.0), {}, lambda _: [], lambda _: Evidence())


def _term_weights(found: Iterable[ScoredTerm]) -> dict[str, float]:
    return {variant: each.idf for each in found for variant in each.word.variants}


def _with_typos_corrected(
    snapshot: Snapshot, exact: Matches, exactly_named: frozenset[int], calibration: Calibration
) -> Matches:
    """Raise the notes that have a word as typed by the corrected words that they have too."""
    unknown = (each.word for each in exact.terms if not each.scores.frequency and not each.word.optional)
    typos = {word.text: near for word in unknown if (near := typo_correction(snapshot, word))}
    if not typos:
        return exact
    taken = [_half_weighted(each, typos[each.word.text]) if each.word.text in typos else each for each in exact.terms]
    summed = Bm25Sum(snapshot, calibration, taken)
    raised = _raised_relevances(snapshot, summed, taken)
    return exact._replace(
        relevances={each: max(relevance, raised[each]) for each, relevance in exact.relevances.items()},
        term_weights=_term_weights(taken),
        sections=summed.sections,
        evidence=_evidence(snapshot, summed, taken, exactly_named),
        corrections=tuple((typed, near.word.text) for typed, near in typos.items()),
        terms=tuple(taken),
    )


def _with_corrections(snapshot: Snapshot, found: list[ScoredTerm], exact: Matches, calibration: Calibration) -> Matches:
    instead = {
        each.word.text: near for each in found if not each.scores.frequency and (near := corrected(snapshot, each.word))
    }
    if not instead:
        return exact if exact.relevances else _with_similar_names(snapshot, exact)
    taken = [_half_weighted(each, instead[each.word.text]) if each.word.text in instead else each for each in found]
    summed = Bm25Sum(snapshot, calibration, taken)
    relevances = _raised_relevances(snapshot, summed, taken)
    fuzzy = frozenset(relevances.keys() - exact.relevances.keys())
    for note_id, relevance in relevances.items():
        # A guess is at most a weak match, and whatever has a word as typed is shown, before all guesses.
        relevances[note_id] = min(relevance, MAX_FUZZY) if note_id in fuzzy else max(relevance, MINIMUM_RELEVANCE)
    corrections = tuple((typed, as_written(snapshot, near)) for typed, near in instead.items())
    evidence = _evidence(snapshot, summed, taken, frozenset())
    merged = {**exact.relevances, **relevances}
    return Matches(merged, _term_weights(taken), summed.sections, evidence, fuzzy, corrections, tuple(taken))


def _raised_relevances(snapshot: Snapshot, summed: Bm25Sum, found: Iterable[ScoredTerm]) -> dict[int, float]:
    """Return the relevances by BM25, raised for names like the query and for words of it that stand near each other."""
    relevances = _with_names(snapshot, found, summed.relevances(), summed.calibration)
    return _with_near_words(snapshot, summed, relevances)


def _with_names(
    snapshot: Snapshot, found: Iterable[ScoredTerm], relevances: dict[int, float], calibration: Calibration
) -> dict[int, float]:
    """Raise the most relevant notes by how much the query says of their names."""
    asked = AskedLetters(each.word for each in found)
    for note_id in nlargest(MAX_COMPARED_NAMES, relevances, key=relevances.__getitem__):
        if more := likeness(snapshot, note_id, asked):
            relevances[note_id] = calibration.raised(relevances[note_id], more)
    return relevances


def _with_near_words(snapshot: Snapshot, summed: Bm25Sum, relevances: dict[int, float]) -> dict[int, float]:
    """Raise the most relevant notes by how near each other the words of the query stand."""
    proximity = Proximity(snapshot, summed.found)
    likely = nlargest(MAX_SHOWN, relevances, key=relevances.__getitem__)
    snapshot.read_ahead(likely)
    for note_id in likely[:MAX_READ]:
        if more := proximity.of(note_id, summed.best_section(note_id), summed.worth):
            relevances[note_id] = summed.calibration.raised(relevances[note_id], more)
    return relevances


def _with_similar_names(snapshot: Snapshot, exact: Matches) -> Matches:
    """Offer the notes with similar names where no note has a word of the query."""
    similar = similar_names(snapshot, (each.word for each in exact.terms))
    relevances = {note_id: MAX_FUZZY * alike for note_id, alike in similar.items()}
    return exact._replace(relevances=relevances, fuzzy=frozenset(relevances))


def _evidence(
    snapshot: Snapshot, summed: Bm25Sum, found: list[ScoredTerm], exactly_named: Collection[int]
) -> Callable[[int], Evidence]:
    asked = [(each.word.variants, each.weight / summed.worth) for each in found]
    variants = {variant for each in found for variant in each.word.variants}

    def evidence(note_id: int) -> Evidence:
        matched = [each for each in found if note_id in each.scores.notes]
        weight = sum(each.weight for each in matched)
        names, language = descriptive_names_of(snapshot.note_table.metadata(note_id)), snapshot.language(note_id)
        return Evidence(
            match=summed.match(note_id),
            coverage=weight / summed.worth,
            only_in_links=sum(each.weight for each in matched if note_id in each.scores.linked) / (weight or 1.0),
            name_coverage=name_coverage(names, variants, language),
            name_match=name_match(names, asked, language),
            exact_name=note_id in exactly_named,
        )

    return evidence


def _half_weighted(unknown: ScoredTerm, near: ScoredTerm) -> ScoredTerm:
    """Return the near word in place of the unknown one, with half the weight of that one."""
    return ScoredTerm(near.word, unknown.idf, near.scores, CORRECTED_SHARE)


def _exact_name_relevances(
    snapshot: Snapshot, exactly_named: Collection[int], found: Iterable[ScoredTerm]
) -> dict[int, float]:
    """Return 1 for a note that has the name asked for; of several, for those that most others link to by its words."""
    if len(exactly_named) <= 1:
        return dict.fromkeys(exactly_named, 1.0)
    anchors = [snapshot.note_table.anchors.links(variant) for each in found for variant in each.word.variants]
    links = {note_id: sum(each.get(note_id, 0) for each in anchors) for note_id in exactly_named}
    most = max(links.values())
    return {note_id: 1.0 if count == most else LESS_LINKED_NAMESAKE for note_id, count in links.items()}


def _named(snapshot: Snapshot, query: str, found: list[ScoredTerm]) -> list[int]:
    """Return the notes that are called exactly what was asked, in any case and with any accents."""
    wanted = name_asked(query)
    if not wanted:
        return []
    # Such a note has every word of the query in its title; only a name of stop words has none to go by.
    fewest_first = sorted((word.scores.about for word in found), key=len)
    likely: Iterable[int] = fewest_first[0] if fewest_first else snapshot.note_table.rows
    if snapshot.notes_called is not None:
        likely = [note_id for note_id in likely if note_id in snapshot.notes_called]
    for about in fewest_first[1:]:
        likely = [note_id for note_id in likely if note_id in about]
    return [note_id for note_id in likely if is_named(snapshot.note_table.metadata(note_id), wanted)]


def name_asked(query: str) -> str:
    """Return the name that a query may be, in the form in which names are compared."""
    return same_name(query.strip().strip("\"'“”?!. "))
