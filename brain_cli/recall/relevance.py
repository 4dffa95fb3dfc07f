"""Words → relevance of notes, on an absolute 0..1 scale: BM25 summed over the index's postings.

    tf(t)   = about(t) + body(t) / (1 - b + b * length / average length)
    bm25    = Σ idf(t) * tf(t) * (k1 + 1) / (tf(t) + k1)     over the query's words, unseen ones included

`about` counts a word in title, aliases, tags and path, `body` in the section and its headings, both weighted
(index/bag.py). The sum is taken twice, for the section and for the whole note, and the two are averaged: a
section alone drowns in notes that spread their subject, a whole note in those with many subjects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from brain_cli.index.snapshot import Snapshot
from brain_cli.notes.folding import same_name
from brain_cli.notes.links import stem
from brain_cli.notes.words import Word
from brain_cli.recall.calibration import LEXICAL, MINIMUM_RELEVANCE, Calibration
from brain_cli.recall.occurrences import Found, as_written, corrected, look_up
from brain_cli.types import Facts

# A word that was corrected counts for half, and only where the words as typed lead nowhere.
CORRECTED_SHARE = 0.5
LEADS_SOMEWHERE = 0.35
MOST_GUESSED = 0.3


class Matches(NamedTuple):
    """The notes that have words of the query: relevance (0..1) by note id; what each term is worth (its idf).

    `guessed` have only a word that was corrected: such a note never outranks one with a word as typed.
    `corrections` pairs each word that the vault does not have with the one that was taken for it.
    """

    relevances: dict[int, float]
    worths: dict[str, float]
    sections: Callable[[Iterable[int]], list[tuple[int, float]]]
    guessed: frozenset[int] = frozenset()
    corrections: tuple[tuple[str, str], ...] = ()


def matches(snapshot: Snapshot, query: str, words: Iterable[Word], calibration: Calibration = LEXICAL) -> Matches:
    """Return every note that has a word of the query. Whose title, alias or file name it is exactly, has 1."""
    # An optional word that stands nowhere is no gap: its parts are words of the query too.
    found = [each for word in words if (each := look_up(snapshot, word)).frequency or not word.optional]
    summed = _Sum(snapshot, calibration, found)
    relevances = summed.relevances()
    relevances |= dict.fromkeys(_named(snapshot, query, found), 1.0)
    exact = Matches(relevances, _worths(found), summed.sections)
    if max(relevances.values(), default=0.0) >= LEADS_SOMEWHERE:
        return exact
    return _with_corrections(snapshot, found, exact, calibration)


def every_note(snapshot: Snapshot) -> Matches:
    """Return all notes as equally relevant: what a query without a word to rank by finds."""
    return Matches(dict.fromkeys(snapshot.catalogue.rows, 1.0), {}, lambda _: [])


def _worths(found: Iterable[Found]) -> dict[str, float]:
    return {variant: each.idf for each in found for variant in each.word.variants}


def _with_corrections(snapshot: Snapshot, found: list[Found], exact: Matches, calibration: Calibration) -> Matches:
    instead = {
        each.word.text: near for each in found if not each.frequency and (near := corrected(snapshot, each.word))
    }
    if not instead:
        return exact
    taken = [_taken_for(each, instead[each.word.text]) if each.word.text in instead else each for each in found]
    summed = _Sum(snapshot, calibration, taken)
    relevances = summed.relevances()
    guessed = frozenset(relevances.keys() - exact.relevances.keys())
    for note_id, relevance in relevances.items():
        # A guess is at most a weak match, and whatever has a word as typed is shown, before all guesses.
        relevances[note_id] = min(relevance, MOST_GUESSED) if note_id in guessed else max(relevance, MINIMUM_RELEVANCE)
    corrections = tuple((typed, as_written(snapshot, near)) for typed, near in instead.items())
    return Matches({**exact.relevances, **relevances}, _worths(taken), summed.sections, guessed, corrections)


def _taken_for(unknown: Found, near: Found) -> Found:
    """The near word in the place of the unknown one, for half of what that would be worth."""
    return Found(near.word, unknown.idf, near.body, near.about, CORRECTED_SHARE)


class _Sum:
    """BM25 of every fragment and note that has a word, and what becomes of it."""

    def __init__(self, snapshot: Snapshot, calibration: Calibration, found: list[Found]) -> None:
        catalogue = snapshot.catalogue
        self._rows = catalogue.rows
        self._index = snapshot.index
        self._calibration = calibration
        words = catalogue.length
        self._per_fragment = calibration.b * catalogue.fragments / max(1, words)
        self._per_note = calibration.b * len(catalogue.rows) / max(1, words)
        # What a fragment gains over its note's `about` words; what those give a note; what it has in all; which words.
        self._gains: dict[int, float] = {}
        self._bases: dict[int, float] = {}
        self._wholes: dict[int, float] = {}
        self._covered: dict[int, float] = {}
        self._worth = sum(word.idf for word in found) or 1.0
        for word in found:
            self._add_fragments(word)
            self._add_notes(word)

    def relevances(self) -> dict[int, float]:
        """Return the relevance of each note that has a word: that of its best section."""
        note_ids = self._index.note_ids
        best: dict[int, float] = {}
        for number, gain in self._gains.items():
            note_id = note_ids[number]
            if gain > best.get(note_id, 0.0):
                best[note_id] = gain
        return {note_id: self._relevance(note_id, best.get(note_id, 0.0)) for note_id in self._wholes}

    def sections(self, numbers: Iterable[int]) -> list[tuple[int, float]]:
        """Return those of a note's fragments that have a word, with their relevance, best first."""
        gains, note_ids = self._gains, self._index.note_ids
        found = [(each, self._relevance(note_ids[each], gains[each])) for each in numbers if each in gains]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def _relevance(self, note_id: int, gain: float) -> float:
        """Return the relevance of a section that gains so much over its note's title, tags and path."""
        section = (self._bases.get(note_id, 0.0) + gain + self._wholes[note_id]) / 2 / self._worth
        return self._calibration.relevance(section, self._covered[note_id] / self._worth)

    def _add_fragments(self, word: Found) -> None:
        k1, flat, slope = self._calibration.k1, 1 - self._calibration.b, self._per_fragment
        note_ids, lengths, gains, about = self._index.note_ids, self._index.lengths, self._gains, word.about
        top = word.idf * word.certainty * (k1 + 1)
        for note_id, weight in about.items():
            self._bases[note_id] = self._bases.get(note_id, 0.0) + top * weight / (weight + k1)
        for number, weight in word.body.items():
            tf = weight / (flat + slope * lengths[number])
            gain = top * tf / (tf + k1)
            own = about.get(note_ids[number])
            if own:
                gain = top * ((own + tf) / (own + tf + k1) - own / (own + k1))
            gains[number] = gains.get(number, 0.0) + gain

    def _add_notes(self, word: Found) -> None:
        k1, flat, slope = self._calibration.k1, 1 - self._calibration.b, self._per_note
        note_ids, rows = self._index.note_ids, self._rows
        top = word.idf * word.certainty * (k1 + 1)
        in_bodies: dict[int, float] = dict.fromkeys(word.about, 0.0)
        for number, weight in word.body.items():
            note_id = note_ids[number]
            in_bodies[note_id] = in_bodies.get(note_id, 0.0) + weight
        for note_id, weight in in_bodies.items():
            tf = word.about.get(note_id, 0.0) + weight / (flat + slope * rows[note_id].length)
            self._wholes[note_id] = self._wholes.get(note_id, 0.0) + top * tf / (tf + k1)
            self._covered[note_id] = self._covered.get(note_id, 0.0) + word.idf * word.certainty


def _named(snapshot: Snapshot, query: str, found: list[Found]) -> list[int]:
    """Return the notes that are called exactly what was asked, in any case and with any accents."""
    wanted = same_name(query.strip().strip("\"'“”?!. "))
    if not wanted:
        return []
    # Such a note has every word of the query in its title; only a name of stop words has none to go by.
    likely: Iterable[int] = snapshot.catalogue.rows
    for word in found:
        likely = [note_id for note_id in likely if note_id in word.about]
    return [note_id for note_id in likely if wanted in names(snapshot.catalogue.facts(note_id))]


def names(facts: Facts) -> set[str]:
    """Return what a note is called, in the form in which names are compared."""
    return {same_name(name) for name in (facts.title, *facts.aliases, stem(facts.path), facts.path)}
