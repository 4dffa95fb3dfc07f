"""Words → relevance of notes, on an absolute 0..1 scale.

What the query's words are worth (search/bm25.py), unseen ones included, is summed twice, for the section and for
the whole note, and the two are averaged: a section alone drowns in notes that spread their subject, a whole note in
those with many subjects. What the query says of a note's names (search/names.py), and how near each other its words
stand (search/proximity.py), is added for the most relevant notes, and `search/calibration.py` makes a probability
of the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from heapq import nlargest
from typing import NamedTuple

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm, look_up
from brain_cli.search.calibration import LEXICAL, MINIMUM_RELEVANCE, Calibration
from brain_cli.search.expansion import as_written, corrected
from brain_cli.search.names import AskedLetters, is_named, likeness, name_coverage, names_of, similar_names
from brain_cli.search.proximity import Proximity
from brain_cli.types import Evidence
from brain_cli.vault.analyzer import Word
from brain_cli.vault.folding import same_name

# A word that was corrected counts for half, and only where the words as typed lead nowhere.
CORRECTED_SHARE = 0.5
LEADS_SOMEWHERE = 0.35
MOST_GUESSED = 0.3
# Names are compared with the query for these; they cannot lift a note from farther below to the top.
MOST_COMPARED_NAMES = 100
# Sections are read for these.
MOST_READ = 10


class Matches(NamedTuple):
    """The notes that have words of the query: relevance (0..1) by note id; what each term is worth (its idf).

    `guessed` have only a word that was corrected: such a note never outranks one with a word as typed.
    `sections` ranks some fragments of a note, `evidence` tells how one note matches. `corrections` pairs each word that
    the vault does not have with the one that was taken for it; `terms` are the words of the query as looked up.
    """

    relevances: dict[int, float]
    worths: dict[str, float]
    sections: Callable[[Iterable[int]], list[tuple[int, float]]]
    evidence: Callable[[int], Evidence]
    fuzzy: frozenset[int] = frozenset()
    corrections: tuple[tuple[str, str], ...] = ()
    terms: tuple[ScoredTerm, ...] = ()


def matches(snapshot: Snapshot, query: str, words: Iterable[Word], calibration: Calibration = LEXICAL) -> Matches:
    """Return every note that has a word of the query. Whose title, alias or file name it is exactly, has 1."""
    # An optional word that no note has is not missed: its parts are words of the query too.
    found = [each for word in words if (each := look_up(snapshot, word)).places.frequency or not word.optional]
    summed = _Sum(snapshot, calibration, found)
    relevances = _with_near_words(snapshot, summed, _with_names(snapshot, found, summed.relevances(), calibration))
    exactly_named = frozenset(_named(snapshot, query, found))
    relevances |= dict.fromkeys(exactly_named, 1.0)
    evidence = _evidence(snapshot, summed, found, exactly_named)
    exact = Matches(relevances, _worths(found), summed.sections, evidence, terms=tuple(found))
    if max(relevances.values(), default=0.0) >= LEADS_SOMEWHERE:
        return exact
    return _with_corrections(snapshot, found, exact, calibration)


def every_note(snapshot: Snapshot) -> Matches:
    """Return all notes as equally relevant: what a query without a word to rank by finds."""
    return Matches(dict.fromkeys(snapshot.note_table.rows, 1.0), {}, lambda _: [], lambda _: Evidence())


def _worths(found: Iterable[ScoredTerm]) -> dict[str, float]:
    return {variant: each.idf for each in found for variant in each.word.variants}


def _with_corrections(snapshot: Snapshot, found: list[ScoredTerm], exact: Matches, calibration: Calibration) -> Matches:
    instead = {
        each.word.text: near for each in found if not each.places.frequency and (near := corrected(snapshot, each.word))
    }
    if not instead:
        return exact if exact.relevances else _with_similar_names(snapshot, exact)
    taken = [_taken_for(each, instead[each.word.text]) if each.word.text in instead else each for each in found]
    summed = _Sum(snapshot, calibration, taken)
    relevances = _with_near_words(snapshot, summed, _with_names(snapshot, taken, summed.relevances(), calibration))
    fuzzy = frozenset(relevances.keys() - exact.relevances.keys())
    for note_id, relevance in relevances.items():
        # A guess is at most a weak match, and whatever has a word as typed is shown, before all guesses.
        relevances[note_id] = min(relevance, MOST_GUESSED) if note_id in fuzzy else max(relevance, MINIMUM_RELEVANCE)
    corrections = tuple((typed, as_written(snapshot, near)) for typed, near in instead.items())
    evidence = _evidence(snapshot, summed, taken, frozenset())
    merged = {**exact.relevances, **relevances}
    return Matches(merged, _worths(taken), summed.sections, evidence, fuzzy, corrections, tuple(taken))


def _with_names(
    snapshot: Snapshot, found: Iterable[ScoredTerm], relevances: dict[int, float], calibration: Calibration
) -> dict[int, float]:
    """Raise the most relevant notes by how much the query says of their names."""
    asked = AskedLetters(each.word for each in found)
    for note_id in nlargest(MOST_COMPARED_NAMES, relevances, key=relevances.__getitem__):
        if more := likeness(snapshot, note_id, asked):
            relevances[note_id] = calibration.raised(relevances[note_id], more)
    return relevances


def _with_near_words(snapshot: Snapshot, summed: _Sum, relevances: dict[int, float]) -> dict[int, float]:
    """Raise the most relevant notes by how near each other the words of the query stand."""
    proximity = Proximity(snapshot, summed.found)
    for note_id in nlargest(MOST_READ, relevances, key=relevances.__getitem__):
        if more := proximity.of(note_id, summed.best_section(note_id), summed.worth):
            relevances[note_id] = summed.calibration.raised(relevances[note_id], more)
    return relevances


def _with_similar_names(snapshot: Snapshot, exact: Matches) -> Matches:
    """Offer the notes with similar names where no note has a word of the query."""
    similar = similar_names(snapshot, (each.word for each in exact.terms))
    relevances = {note_id: MOST_GUESSED * alike for note_id, alike in similar.items()}
    return exact._replace(relevances=relevances, fuzzy=frozenset(relevances))


def _evidence(
    snapshot: Snapshot, summed: _Sum, found: list[ScoredTerm], exactly_named: Collection[int]
) -> Callable[[int], Evidence]:
    asked = {variant for each in found for variant in each.word.variants}

    def evidence(note_id: int) -> Evidence:
        matched = [each for each in found if note_id in each.places.notes]
        weight = sum(each.weight for each in matched)
        metadata = snapshot.note_table.metadata(note_id)
        return Evidence(
            match=summed.match(note_id),
            coverage=weight / summed.worth,
            only_in_links=sum(each.weight for each in matched if note_id in each.places.linked) / (weight or 1.0),
            name_coverage=name_coverage(names_of(metadata), asked, snapshot.language(note_id)),
            exact_name=note_id in exactly_named,
        )

    return evidence


def _taken_for(unknown: ScoredTerm, near: ScoredTerm) -> ScoredTerm:
    """The near word in the place of the unknown one, for half of what that would be worth."""
    return ScoredTerm(near.word, unknown.idf, near.places, CORRECTED_SHARE)


class _Sum:
    """BM25 of every fragment and note that has a word, and what becomes of it."""

    def __init__(self, snapshot: Snapshot, calibration: Calibration, found: list[ScoredTerm]) -> None:
        self._snapshot, self._note_ids = snapshot, snapshot.index.note_ids
        self.calibration = calibration
        self.worth = sum(word.idf for word in found) or 1.0
        self.found = found
        # By note: what its title, tags and path give; what all of it gives; which share of the query it has.
        self._about: dict[int, float] = {}
        self._wholes: dict[int, float] = {}
        self._covered: dict[int, float] = {}
        for word in found:
            self._add(word)

    def _add(self, word: ScoredTerm) -> None:
        weight, places = word.weight, word.places
        about, wholes, covered = self._about, self._wholes, self._covered
        for note_id, saturation in places.about.items():
            about[note_id] = about.get(note_id, 0.0) + weight * saturation
        for note_id, saturation in places.notes.items():
            wholes[note_id] = wholes.get(note_id, 0.0) + weight * saturation
            covered[note_id] = covered.get(note_id, 0.0) + weight

    def relevances(self) -> dict[int, float]:
        """Return the relevance of each note that has a word: that of its best section."""
        best = self._best()
        return {note_id: self._relevance(note_id, best.get(note_id, 0.0)) for note_id in self._wholes}

    def _best(self) -> dict[int, float]:
        """Return what the best section of each note adds to its title, tags and path."""
        best: dict[int, float] = {}
        several: set[int] = set()
        for word in self.found:
            weight, most = word.weight, word.places.most
            several |= best.keys() & most.keys()
            best.update((note_id, weight * gain) for note_id, gain in most.items())
        # Where one section has several of the words, they add up there.
        best.update(dict.fromkeys(several, 0.0))
        for number, gain in self._sums(several).items():
            note_id = self._note_ids[number]
            if gain > best[note_id]:
                best[note_id] = gain
        return best

    def _sums(self, notes: Collection[int]) -> dict[int, float]:
        """Return the gains of the sections of some notes."""
        note_ids = self._note_ids
        gains: dict[int, float] = {}
        for word in self.found if notes else ():
            weight = word.weight
            for number, gain in word.places.sections.items():
                if note_ids[number] in notes:
                    gains[number] = gains.get(number, 0.0) + weight * gain
        return gains

    def sections(self, numbers: Iterable[int]) -> list[tuple[int, float]]:
        """Return those of a note's fragments that have a word, with their relevance, best first."""
        found = [(each, gain) for each in numbers if (gain := self._gain(each))]
        relevances = ((each, self._relevance(self._note_ids[each], gain)) for each, gain in found)
        return sorted(relevances, key=lambda hit: (-hit[1], hit[0]))

    def best_section(self, note_id: int) -> int | None:
        """Return the section of a note that gains most; None where only its title, tags or path have a word."""
        best = max(self._snapshot.numbers_of(note_id), key=self._gain, default=None)
        return best if best is not None and self._gain(best) else None

    def _gain(self, number: int) -> float:
        return sum(word.weight * word.places.sections.get(number, 0.0) for word in self.found)

    def _relevance(self, note_id: int, gain: float) -> float:
        """Return the relevance of a section that gains so much over its note's title, tags and path."""
        return self.calibration.relevance(self._match(note_id, gain), self._covered[note_id] / self.worth)

    def _match(self, note_id: int, gain: float) -> float:
        """Return the mean BM25 of a section and its note ÷ Σ idf."""
        return (self._about.get(note_id, 0.0) + gain + self._wholes[note_id]) / 2 / self.worth

    def match(self, note_id: int) -> float:
        """Return the mean BM25 of a note and of its best section ÷ Σ idf; 0 for a note without a word of the query."""
        numbers = self._snapshot.numbers_of(note_id)
        return self._match(note_id, max(map(self._gain, numbers), default=0.0)) if note_id in self._wholes else 0.0


def _named(snapshot: Snapshot, query: str, found: list[ScoredTerm]) -> list[int]:
    """Return the notes that are called exactly what was asked, in any case and with any accents."""
    wanted = same_name(query.strip().strip("\"'“”?!. "))
    if not wanted:
        return []
    # Such a note has every word of the query in its title; only a name of stop words has none to go by.
    likely: Iterable[int] = snapshot.note_table.rows
    for word in found:
        likely = [note_id for note_id in likely if note_id in word.places.about]
    return [note_id for note_id in likely if is_named(snapshot.note_table.metadata(note_id), wanted)]
