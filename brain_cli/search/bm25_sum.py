"""Sum the BM25 of a query's words over sections and whole notes: the evidence behind relevance."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm
from brain_cli.search.calibration import Calibration


class Bm25Sum:
    """The summed BM25 of every fragment and note that has a word of the query, and the relevances computed from it."""

    def __init__(self, snapshot: Snapshot, calibration: Calibration, found: list[ScoredTerm]) -> None:
        self._snapshot, self._note_ids = snapshot, snapshot.index.note_ids
        self.calibration = calibration
        self.worth = sum(word.idf for word in found) or 1.0
        self.found = found
        # By note: the sum of title, tags and path; the sum of the whole note; the matched weight of the query.
        self._about: dict[int, float] = {}
        self._wholes: dict[int, float] = {}
        self._covered: dict[int, float] = {}
        # The most frequent word first: to begin with its notes is faster than to add them.
        for word in sorted(found, key=_notes_with, reverse=True):
            self._add(word)

    def _add(self, word: ScoredTerm) -> None:
        weight, scores = word.weight, word.scores
        about, wholes, covered = self._about, self._wholes, self._covered
        for note_id, saturation in scores.about.items():
            about[note_id] = about.get(note_id, 0.0) + weight * saturation
        if not wholes:
            wholes.update({note_id: weight * saturation for note_id, saturation in scores.notes.items()})
            covered.update(dict.fromkeys(scores.notes, weight))
            return
        for note_id, saturation in scores.notes.items():
            wholes[note_id] = wholes.get(note_id, 0.0) + weight * saturation
            covered[note_id] = covered.get(note_id, 0.0) + weight

    def relevances(self) -> dict[int, float]:
        """Return the relevance of each note that has a word: that of its best section."""
        wholes, covered, worth = self._wholes, self._covered, self.worth
        abouts = map(self._about.get, wholes, repeat(0.0))
        bests = map(self._best().get, wholes, repeat(0.0))
        # Most notes have the same words of the query as others.
        lifts = {weight: self.calibration.lift(weight / worth) for weight in set(covered.values())}
        matches = [
            (about + best + whole) / 2 / worth
            for about, best, whole in zip(abouts, bests, wholes.values(), strict=True)
        ]
        return self.calibration.lifted_relevances(wholes, matches, map(lifts.__getitem__, covered.values()))

    def _best(self) -> dict[int, float]:
        """Return what the best section of each note adds to its title, tags and path."""
        frequent, *others = sorted(self.found, key=_sections_with, reverse=True) or (None,)
        if frequent is None:
            return {}
        weight, sections, note_ids = frequent.weight, frequent.scores.sections, self._note_ids
        # Of the sections with the most frequent word alone, each note's best is known already.
        best = {note_id: weight * gain for note_id, gain in frequent.scores.most.items()}
        for number, gain in _gains(others).items():
            note_id = note_ids[number]
            if number in sections:
                gain += weight * sections[number]
            if gain > best.get(note_id, 0.0):
                best[note_id] = gain
        return best

    def sections(self, numbers: Iterable[int]) -> list[tuple[int, float]]:
        """Return the fragments of a note that have a word, with their relevance, best first."""
        found = [(each, gain) for each in numbers if (gain := self._gain(each))]
        relevances = ((each, self._relevance(self._note_ids[each], gain)) for each, gain in found)
        return sorted(relevances, key=lambda hit: (-hit[1], hit[0]))

    def best_section(self, note_id: int) -> int | None:
        """Return the section of a note with the largest gain; None if only its title, tags or path have a word."""
        best = max(self._snapshot.numbers_of(note_id), key=self._gain, default=None)
        return best if best is not None and self._gain(best) else None

    def _gain(self, number: int) -> float:
        return sum(word.weight * word.scores.sections.get(number, 0.0) for word in self.found)

    def _relevance(self, note_id: int, gain: float) -> float:
        """Return the relevance of a section with this gain over its note's title, tags and path."""
        return self.calibration.relevance(self._match(note_id, gain), self._covered[note_id] / self.worth)

    def _match(self, note_id: int, gain: float) -> float:
        """Return the mean BM25 of a section and its note ÷ Σ idf."""
        return (self._about.get(note_id, 0.0) + gain + self._wholes[note_id]) / 2 / self.worth

    def match(self, note_id: int) -> float:
        """Return the mean BM25 of a note and of its best section ÷ Σ idf; 0 for a note without a word of the query."""
        numbers = self._snapshot.numbers_of(note_id)
        return self._match(note_id, max(map(self._gain, numbers), default=0.0)) if note_id in self._wholes else 0.0


def _gains(words: Iterable[ScoredTerm]) -> dict[int, float]:
    """Return what some words, the most frequent one first, add together in each section."""
    gains: dict[int, float] = {}
    for word in words:
        weight, sections = word.weight, word.scores.sections
        if not gains:
            gains = {number: weight * gain for number, gain in sections.items()}
            continue
        for number, gain in sections.items():
            gains[number] = gains.get(number, 0.0) + weight * gain
    return gains


def _sections_with(word: ScoredTerm) -> int:
    return len(word.scores.sections)


def _notes_with(word: ScoredTerm) -> int:
    return len(word.scores.notes)
