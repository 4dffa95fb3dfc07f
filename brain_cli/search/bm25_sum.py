"""Sum the BM25 of a query's words over sections and whole notes: the evidence behind relevance."""

from __future__ import annotations

from collections.abc import Collection, Iterable

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
        for word in found:
            self._add(word)

    def _add(self, word: ScoredTerm) -> None:
        weight, scores = word.weight, word.scores
        about, wholes, covered = self._about, self._wholes, self._covered
        for note_id, saturation in scores.about.items():
            about[note_id] = about.get(note_id, 0.0) + weight * saturation
        for note_id, saturation in scores.notes.items():
            wholes[note_id] = wholes.get(note_id, 0.0) + weight * saturation
            covered[note_id] = covered.get(note_id, 0.0) + weight

    def relevances(self) -> dict[int, float]:
        """Return the relevance of each note that has a word: that of its best section."""
        best, about, covered, worth = self._best(), self._about, self._covered, self.worth
        # Computed once per sum, because most notes have the same words of the query as others.
        lifts = {weight: self.calibration.lift(weight / worth) for weight in set(covered.values())}
        shares = (
            (note_id, (about.get(note_id, 0.0) + best.get(note_id, 0.0) + whole) / 2 / worth, lifts[covered[note_id]])
            for note_id, whole in self._wholes.items()
        )
        return self.calibration.lifted_relevances(shares)

    def _best(self) -> dict[int, float]:
        """Return the gain of the best section of each note over its title, tags and path."""
        best: dict[int, float] = {}
        several: set[int] = set()
        for word in self.found:
            weight, most = word.weight, word.scores.most
            several |= best.keys() & most.keys()
            best.update((note_id, weight * gain) for note_id, gain in most.items())
        # The gains of several words in one section add up.
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
            for number, gain in word.scores.sections.items():
                if note_ids[number] in notes:
                    gains[number] = gains.get(number, 0.0) + weight * gain
        return gains

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
