"""BM25 over the postings of the index: the score of one query word in each section and each note.

    worth      = idf * saturation
    idf        = ln(1 + (N - df + .5) / (df + .5)); N and df count fragments, and a title's word is
               in all of its note's
    saturation = tf * (k1 + 1) / (tf + k1)
    tf         = about + body / (1 - b + b * length / average length)

`about` counts the word in title, aliases, tags, path and anchor text, `body` in the section and its
headings, both weighted (index/field_weights.py); lengths are those of sections, or of whole notes.
Of a whole note, title, aliases, tags and path are at most 2 of `about`, because the section's sum
has them already.
`Bm25Sum` adds up the words of a query.

The constants that convert the sum to the probability that a note is about the query are in one
table:

    relevance = odds / (1 + odds)
    odds      = 1.8 * evidence ** 3.1
    evidence  = bm25_share + 0.7 * coverage ** 8 * max(0, 1 - bm25_share)

bm25_share  BM25 divided by the total weight of the query's words (Σ idf, including words in no
            note); 0..k1+1
coverage    0..1, the share of Σ idf that belongs to words in the note

A word in title and path gives about share 1.8, relevance .92; one mention in a section of average
length gives share 1, relevance .64. A note with every word of the query has at least .37, however
long it is. One word out of five gives almost nothing. The title is the fixed point;
`tools/calibrate.py` fits the steepness that separates related notes from unrelated ones.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import compress, repeat
from typing import NamedTuple

from brain_cli.index.snapshot import Snapshot, TermPostings
from brain_cli.vault.analyzer import Word

# A note whose name is exactly the query has relevance 1; its odds are computed as those of .9999.
MAX_CERTAIN_GAP = 1e-4


class Calibration(NamedTuple):
    """The curve from the sum of BM25 to 0..1: log odds are linear in the logarithm of the
    evidence.
    """

    odds_at_one: float = 1.8
    steepness: float = 3.1
    complete: float = 0.7
    completeness: float = 8.0

    def relevance(self, bm25_share: float, coverage: float) -> float:
        """Return relevance 0..1 for BM25 ÷ Σ idf (0..k1+1) and the matched share of Σ idf
        (0..1).
        """
        return self.lifted_relevance(bm25_share, self.lift(coverage))

    def lifted_relevance(self, bm25_share: float, lift: float) -> float:
        """Return relevance 0..1 for BM25 ÷ Σ idf and the lift of a coverage, which many notes
        share.
        """
        odds: float = self.odds_at_one * self.lifted(bm25_share, lift) ** self.steepness
        return odds / (1.0 + odds)

    def lifted_relevances(
        self, note_ids: Iterable[int], shares: Iterable[float], lifts: Iterable[float]
    ) -> dict[int, float]:
        """Return the `lifted_relevance` of many notes, each by its BM25 ÷ Σ idf and its lift."""
        # This loop is as `lifted_relevance` and `lifted`, without their calls.
        odds_at_one = self.odds_at_one
        steepness = self.steepness
        odds = [
            odds_at_one * (share if share >= 1.0 else share + lift * (1.0 - share)) ** steepness
            for share, lift in zip(shares, lifts, strict=True)
        ]
        return {note_id: each / (1.0 + each) for note_id, each in zip(note_ids, odds, strict=True)}

    def lifted(self, bm25_share: float, lift: float) -> float:
        """Return BM25 ÷ Σ idf, raised if it is low although almost no word is missing."""
        return bm25_share if bm25_share >= 1.0 else bm25_share + lift * (1.0 - bm25_share)

    def lift(self, coverage: float) -> float:
        """Return how far low evidence is raised if this share of Σ idf (0..1) is matched."""
        lift: float = self.complete * coverage**self.completeness
        return lift

    def raised(self, relevance: float, by: float) -> float:
        """Return the relevance with more evidence; it stays below 1, which only an exact
        name has.
        """
        odds: float = self.odds_at_one * (self.evidence_of(relevance) + by) ** self.steepness
        return odds / (1.0 + odds)

    def evidence_of(self, relevance: float) -> float:
        """Return the evidence (0..k1+1) behind a relevance; a relevance of 1 counts as .9999."""
        odds = relevance / max(1.0 - relevance, MAX_CERTAIN_GAP)
        evidence: float = (odds / self.odds_at_one) ** (1 / self.steepness)
        return evidence


LEXICAL = Calibration()
# Notes below this relevance are left out, whatever their other factors are.
MINIMUM_RELEVANCE = 0.01
ARCHIVE_MINIMUM_RELEVANCE = 0.30


K1 = 2.0
B = 0.75
# In the sum over the whole note, title, aliases, tags and path count at most so much.
MAX_NAME = 2.0


class TermScores:
    """The idf of a word, and its saturations (0..k1+1) in notes and sections.

    `about` (title, tags, path and anchor text) and `notes` (the whole note) map note ids to
    saturations. `sections` maps fragment numbers to the gain of each section over `about`; `most`
    maps note ids to the largest gain. `linked` are the notes that have the word only in links to
    other notes; `anchored` maps note ids to its weight in anchor text.
    """

    __slots__ = ("about", "anchored", "frequency", "idf", "linked", "most", "notes", "sections")

    def __init__(self, snapshot: Snapshot, postings: TermPostings) -> None:
        body = postings.body
        about = postings.about
        self.linked = postings.linked
        self.anchored = postings.anchored
        self.frequency = postings.frequency
        fragments = snapshot.note_table.fragments
        self.idf = idf(fragments, self.frequency)
        self.about = {note_id: _saturation(weight) for note_id, weight in about.items()}
        owners = list(map(snapshot.index.note_ids.__getitem__, body))
        self.sections, self.most = _sections(snapshot, body, about, owners)
        self.notes = _notes(snapshot, postings, owners)

    def __len__(self) -> int:
        return (
            len(self.sections)
            + len(self.most)
            + len(self.notes)
            + len(self.about)
            + len(self.linked)
            + 1
        )


class ScoredTerm(NamedTuple):
    """A word of the query with its idf and its scores. `certainty` (0..1) is below 1 for a
    corrected word.
    """

    word: Word
    idf: float
    scores: TermScores
    certainty: float = 1.0

    @property
    def weight(self) -> float:
        """The amount that a saturation of 1 adds to the sum."""
        return self.idf * self.certainty


def look_up(snapshot: Snapshot, word: Word) -> ScoredTerm:
    """Return the scores of a word, with the postings of all its variants."""
    key = (word.variants, word.synonyms) if word.synonyms else word.variants
    scores = snapshot.cache.get(key, lambda: TermScores(snapshot, _postings(snapshot, word)))
    return ScoredTerm(word, scores.idf, scores)


# A synonym counts this share of the word.
SYNONYM_SHARE = 0.8


def _postings(snapshot: Snapshot, word: Word) -> TermPostings:
    """Return the postings of a word and its synonyms; one of several words is where all of them
    are.
    """
    found = snapshot.postings(word.variants)
    for form in word.synonyms:
        parts = [snapshot.postings(variants) for variants in form.words]
        frequency = found.frequency + min(part.frequency for part in parts)
        found = found._replace(
            body=_with_synonym(found.body, [part.body for part in parts]),
            about=_with_synonym(found.about, [part.about for part in parts]),
            frequency=min(snapshot.note_table.fragments, frequency),
        )
    return found


def _with_synonym(
    weights: Mapping[int, float], parts: Sequence[Mapping[int, float]]
) -> dict[int, float]:
    """Return the weights of a word, raised to a share of those of the words of a synonym."""
    common = set.intersection(*map(set, parts))
    return {
        **weights,
        **{
            each: max(weights.get(each, 0.0), SYNONYM_SHARE * min(part[each] for part in parts))
            for each in common
        },
    }


def first_sections(snapshot: Snapshot, found: ScoredTerm, most: int = 1) -> list[int]:
    """Return the first fragments with a word, in the order of the notes: that of the fragments
    depends on edits.
    """
    note_ids = snapshot.index.note_ids
    return nsmallest(most, found.scores.sections, key=lambda number: (note_ids[number], number))


def idf(fragments: int, frequency: int) -> float:
    """Return the inverse document frequency of a word that `frequency` of the `fragments`
    contain.
    """
    return math.log(1 + (fragments - frequency + 0.5) / (frequency + 0.5))


def _saturation(tf: float) -> float:
    return tf * (K1 + 1) / (tf + K1)


def _sections(
    snapshot: Snapshot, body: Mapping[int, float], about: Mapping[int, float], owners: Sequence[int]
) -> tuple[dict[int, float], dict[int, float]]:
    """Return what the word adds in each section, and the most that it adds in a section of each
    note.
    """
    note_table = snapshot.note_table
    lengths = map(snapshot.index.lengths.__getitem__, body)
    flat = 1 - B
    slope = B * note_table.fragments / max(1, note_table.length)
    top = K1 + 1
    weights = [
        weight / (flat + slope * length)
        for weight, length in zip(body.values(), lengths, strict=True)
    ]
    sections = {number: tf * top / (tf + K1) for number, tf in zip(body, weights, strict=True)}
    in_titles = map(about.__contains__, owners)
    for number, note_id, tf in compress(zip(body, owners, weights, strict=True), in_titles):
        sections[number] = _saturation(about[note_id] + tf) - _saturation(about[note_id])
    most = dict(zip(owners, sections.values(), strict=True))
    if len(most) < len(owners):
        for note_id, gain in zip(owners, sections.values(), strict=True):
            if gain > most[note_id]:
                most[note_id] = gain
    return sections, most


def _notes(snapshot: Snapshot, postings: TermPostings, owners: Sequence[int]) -> dict[int, float]:
    """Return the saturation of the word in each note as a whole."""
    body = postings.body
    about = postings.about
    anchored = postings.anchored
    lengths: Mapping[int, int] = snapshot.note_table.column("length")
    flat = 1 - B
    slope = B * snapshot.note_table.notes / max(1, snapshot.note_table.length)
    top = K1 + 1
    in_bodies: dict[int, float] = dict.fromkeys(about, 0.0)
    for note_id, weight in zip(owners, body.values(), strict=True):
        in_bodies[note_id] = in_bodies.get(note_id, 0.0) + weight
    weights = [
        weight / (flat + slope * length)
        for weight, length in zip(
            in_bodies.values(), map(lengths.__getitem__, in_bodies), strict=True
        )
    ]
    notes = {note_id: tf * top / (tf + K1) for note_id, tf in zip(in_bodies, weights, strict=True)}
    # Titles come first.
    for (note_id, weight), tf in zip(about.items(), weights, strict=False):
        by_links = anchored.get(note_id, 0.0)
        notes[note_id] = _saturation(min(MAX_NAME, weight - by_links) + by_links + tf)
    return notes


class Bm25Sum:
    """The summed BM25 of every fragment and note that has a word of the query, and the relevances
    computed from it.
    """

    def __init__(
        self, snapshot: Snapshot, calibration: Calibration, found: list[ScoredTerm]
    ) -> None:
        self._snapshot = snapshot
        self._note_ids = snapshot.index.note_ids
        self.calibration = calibration
        self.worth = sum(word.idf for word in found) or 1.0
        self.found = found
        # By note: the sum of title, tags and path; the sum of the whole note; the matched weight of
        # the query.
        self._about: dict[int, float] = {}
        self._wholes: dict[int, float] = {}
        self._covered: dict[int, float] = {}
        # The most frequent word first: to begin with its notes is faster than to add them.
        for word in sorted(found, key=_notes_with, reverse=True):
            self._add(word)

    def _add(self, word: ScoredTerm) -> None:
        weight = word.weight
        scores = word.scores
        about = self._about
        wholes = self._wholes
        covered = self._covered
        for note_id, saturation in scores.about.items():
            about[note_id] = about.get(note_id, 0.0) + weight * saturation
        if not wholes:
            wholes.update(
                {note_id: weight * saturation for note_id, saturation in scores.notes.items()}
            )
            covered.update(dict.fromkeys(scores.notes, weight))
            return
        for note_id, saturation in scores.notes.items():
            wholes[note_id] = wholes.get(note_id, 0.0) + weight * saturation
            covered[note_id] = covered.get(note_id, 0.0) + weight

    def relevances(self) -> dict[int, float]:
        """Return the relevance of each note that has a word: that of its best section."""
        wholes = self._wholes
        covered = self._covered
        worth = self.worth
        abouts = map(self._about.get, wholes, repeat(0.0))
        bests = map(self._best().get, wholes, repeat(0.0))
        # Most notes have the same words of the query as others.
        lifts = {weight: self.calibration.lift(weight / worth) for weight in set(covered.values())}
        matches = [
            (about + best + whole) / 2 / worth
            for about, best, whole in zip(abouts, bests, wholes.values(), strict=True)
        ]
        return self.calibration.lifted_relevances(
            wholes, matches, map(lifts.__getitem__, covered.values())
        )

    def _best(self) -> dict[int, float]:
        """Return what the best section of each note adds to its title, tags and path."""
        frequent, *others = sorted(self.found, key=lambda each: -len(each.scores.sections)) or (
            None,
        )
        if frequent is None:
            return {}
        weight = frequent.weight
        sections = frequent.scores.sections
        note_ids = self._note_ids
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
        """Return the section of a note with the largest gain; None if only its title, tags or path
        have a word.
        """
        best = max(self._snapshot.numbers_of(note_id), key=self._gain, default=None)
        return best if best is not None and self._gain(best) else None

    def _gain(self, number: int) -> float:
        return sum(word.weight * word.scores.sections.get(number, 0.0) for word in self.found)

    def _relevance(self, note_id: int, gain: float) -> float:
        """Return the relevance of a section with this gain over its note's title, tags and path."""
        return self.calibration.relevance(
            self._match(note_id, gain), self._covered[note_id] / self.worth
        )

    def _match(self, note_id: int, gain: float) -> float:
        """Return the mean BM25 of a section and its note ÷ Σ idf."""
        return (self._about.get(note_id, 0.0) + gain + self._wholes[note_id]) / 2 / self.worth

    def match(self, note_id: int) -> float:
        """Return the mean BM25 of a note and of its best section ÷ Σ idf; 0 for a note without a
        word of the query.
        """
        numbers = self._snapshot.numbers_of(note_id)
        return (
            self._match(note_id, max(map(self._gain, numbers), default=0.0))
            if note_id in self._wholes
            else 0.0
        )


def _gains(words: Iterable[ScoredTerm]) -> dict[int, float]:
    """Return what some words, the most frequent one first, add together in each section."""
    gains: dict[int, float] = {}
    for word in words:
        weight = word.weight
        sections = word.scores.sections
        if not gains:
            gains = {number: weight * gain for number, gain in sections.items()}
            continue
        for number, gain in sections.items():
            gains[number] = gains.get(number, 0.0) + weight * gain
    return gains


def _notes_with(word: ScoredTerm) -> int:
    return len(word.scores.notes)
