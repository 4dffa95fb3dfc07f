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
from itertools import compress, repeat
from operator import itemgetter

from brain_cli.index.snapshot import Snapshot, TermPostings
from brain_cli.record import Record
from brain_cli.vault.analyzer import Word

# A note whose name is exactly the query has relevance 1; its odds are computed as those of .9999.
MAX_CERTAIN_GAP = 1e-4


class Calibration(Record):
    """The curve from evidence to 0..1: log odds are linear in the logarithm of the evidence."""

    odds_at_one: float = 1.8
    steepness: float = 3.1

    def relevance(self, evidence: float) -> float:
        """Return the relevance (0..1) of some evidence."""
        odds: float = self.odds_at_one * evidence**self.steepness
        return odds / (1.0 + odds)

    def evidence_of(self, relevance: float) -> float:
        """Return the evidence (0..k1+1) behind a relevance; a relevance of 1 counts as .9999."""
        odds = relevance / max(1.0 - relevance, MAX_CERTAIN_GAP)
        evidence: float = (odds / self.odds_at_one) ** (1 / self.steepness)
        return evidence

    def raised(self, relevance: float, by: float) -> float:
        """Return the relevance with more evidence; it stays below 1, which only an exact
        name has.
        """
        return self.relevance(self.evidence_of(relevance) + by)


LEXICAL = Calibration()
# A note with all words of the query has this share of the evidence that it lacks; the fewer it has,
# the less.
COMPLETE = 0.7
COMPLETENESS = 8.0
# Archived notes below this relevance are left out.
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
        self.linked = postings.linked
        self.anchored = postings.anchored
        self.frequency = postings.frequency
        self.idf = idf(snapshot.note_table.fragments, self.frequency)
        self.about = dict(
            zip(postings.about, _saturations(postings.about.values()), strict=True)
        )
        owners = list(map(snapshot.index.note_ids.__getitem__, postings.body))
        self.sections = _sections(snapshot, postings, owners)
        self.most: dict[int, float] = {}
        for note_id, gain in zip(owners, self.sections.values(), strict=True):
            if gain > self.most.get(note_id, 0.0):
                self.most[note_id] = gain
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


class ScoredTerm(Record):
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


def idf(fragments: int, frequency: int) -> float:
    """Return the inverse document frequency of a word that `frequency` of the `fragments`
    contain.
    """
    return math.log(1 + (fragments - frequency + 0.5) / (frequency + 0.5))


def _saturation(tf: float) -> float:
    return tf * (K1 + 1) / (tf + K1)


def _saturations(tfs: Iterable[float]) -> list[float]:
    """Return the `_saturation` of many frequencies, without its calls."""
    top = K1 + 1
    return [tf * top / (tf + K1) for tf in tfs]


def _sections(
    snapshot: Snapshot, postings: TermPostings, owners: Sequence[int]
) -> dict[int, float]:
    """Return what the word adds in each section to title, tags and path."""
    table = snapshot.note_table
    about = postings.about
    weights = _by_length(
        postings.body, snapshot.index.lengths, table.length / max(1, table.fragments)
    )
    sections = dict(zip(postings.body, _saturations(weights), strict=True))
    in_titles = map(about.__contains__, owners)
    for number, note_id, tf in compress(
        zip(postings.body, owners, weights, strict=True), in_titles
    ):
        sections[number] = _saturation(about[note_id] + tf) - _saturation(about[note_id])
    return sections


def _notes(
    snapshot: Snapshot, postings: TermPostings, owners: Sequence[int]
) -> dict[int, float]:
    """Return the saturation of the word in each note as a whole."""
    table = snapshot.note_table
    about = postings.about
    in_bodies: dict[int, float] = dict.fromkeys(about, 0.0)
    for note_id, weight in zip(owners, postings.body.values(), strict=True):
        in_bodies[note_id] = in_bodies.get(note_id, 0.0) + weight
    weights = _by_length(in_bodies, table.column("length"), table.length / max(1, table.notes))
    notes = dict(zip(in_bodies, _saturations(weights), strict=True))
    # Titles come first.
    for (note_id, weight), tf in zip(about.items(), weights, strict=False):
        by_links = postings.anchored.get(note_id, 0.0)
        notes[note_id] = _saturation(min(MAX_NAME, weight - by_links) + by_links + tf)
    return notes


def _by_length(
    weights: Mapping[int, float], lengths: Mapping[int, int] | Sequence[int], mean: float
) -> list[float]:
    """Return weights divided by how long their texts are, relative to the mean."""
    flat = 1 - B
    slope = B / max(1e-9, mean)
    return [weight / (flat + slope * lengths[each]) for each, weight in weights.items()]


class Bm25Sum:
    """The summed BM25 of every fragment and note that has a word of the query, and the relevances
    computed from it.
    """

    def __init__(self, snapshot: Snapshot, found: list[ScoredTerm]) -> None:
        self._snapshot = snapshot
        self.worth = sum(word.idf for word in found) or 1.0
        self.found = found
        # By note: the sum of title, tags and path; the sum of the whole note; the matched weight of
        # the query.
        self._about: dict[int, float] = {}
        self._wholes: dict[int, float] = {}
        self._covered: dict[int, float] = {}
        # The most frequent word first: to begin with its notes is faster than to add them.
        for word in sorted(found, key=lambda each: -len(each.scores.notes)):
            _add(self._about, word.scores.about, word.weight)
            _add(self._wholes, word.scores.notes, word.weight)
            _add(self._covered, dict.fromkeys(word.scores.notes, 1.0), word.weight)

    def relevances(self) -> dict[int, float]:
        """Return the relevance of each note that has a word: that of its best section."""
        abouts = map(self._about.get, self._wholes, repeat(0.0))
        bests = map(self._best().get, self._wholes, repeat(0.0))
        worth = self.worth
        # Most notes have the same words of the query as others.
        lifts = {each: _lift(each / worth) for each in set(self._covered.values())}
        odds_at_one = LEXICAL.odds_at_one
        steepness = LEXICAL.steepness
        # This loop is as `_relevance`, without its calls.
        odds = [
            odds_at_one * (match if match >= 1.0 else match + lift * (1.0 - match)) ** steepness
            for match, lift in zip(
                [
                    (about + best + whole) / 2 / worth
                    for about, best, whole in zip(
                        abouts, bests, self._wholes.values(), strict=True
                    )
                ],
                map(lifts.__getitem__, self._covered.values()),
                strict=True,
            )
        ]
        return {
            note_id: each / (1.0 + each)
            for note_id, each in zip(self._wholes, odds, strict=True)
        }

    def _best(self) -> dict[int, float]:
        """Return what the best section of each note adds to its title, tags and path."""
        if not self.found:
            return {}
        frequent, *others = sorted(self.found, key=lambda each: -len(each.scores.sections))
        # Of the sections with the most frequent word alone, each note's best is known already.
        best = {
            note_id: frequent.weight * gain for note_id, gain in frequent.scores.most.items()
        }
        gains: dict[int, float] = {}
        for word in others:
            _add(gains, word.scores.sections, word.weight)
        note_ids = self._snapshot.index.note_ids
        for number, of_others in gains.items():
            gain = of_others + frequent.weight * frequent.scores.sections.get(number, 0.0)
            if gain > best.get(note_ids[number], 0.0):
                best[note_ids[number]] = gain
        return best

    def sections(self, note_id: int) -> list[tuple[int, float]]:
        """Return the fragments of a note that have a word, with their relevance, best first."""
        return [(each, self._relevance(note_id, gain)) for each, gain in self._gains(note_id)]

    def best_section(self, note_id: int) -> int | None:
        """Return the section of a note with the largest gain; None if only its title, tags or path
        have a word.
        """
        return next((number for number, _ in self._gains(note_id)), None)

    def match(self, note_id: int) -> float:
        """Return the mean BM25 of a note and of its best section ÷ Σ idf; 0 for a note without a
        word of the query.
        """
        best = next((gain for _, gain in self._gains(note_id)), 0.0)
        return self._match(note_id, best) if note_id in self._wholes else 0.0

    def _gains(self, note_id: int) -> list[tuple[int, float]]:
        """Return the fragments of a note that have a word, with what they add to its title, tags
        and path, best first.
        """
        gains = (
            (
                number,
                sum(word.weight * word.scores.sections.get(number, 0.0) for word in self.found),
            )
            for number in self._snapshot.numbers_of(note_id)
        )
        return sorted(filter(itemgetter(1), gains), key=lambda each: (-each[1], each[0]))

    def _match(self, note_id: int, gain: float) -> float:
        """Return the mean BM25 of a section and its note ÷ Σ idf."""
        return (self._about.get(note_id, 0.0) + gain + self._wholes[note_id]) / 2 / self.worth

    def _relevance(self, note_id: int, gain: float) -> float:
        """Return the relevance of a section with this gain over its note's title, tags and path."""
        match = self._match(note_id, gain)
        lift = _lift(self._covered[note_id] / self.worth)
        return LEXICAL.relevance(match + lift * max(0.0, 1.0 - match))


def _lift(coverage: float) -> float:
    """Return how far low evidence is raised if this share of Σ idf (0..1) is matched."""
    lift: float = COMPLETE * coverage**COMPLETENESS
    return lift


def _add(sums: dict[int, float], saturations: Mapping[int, float], weight: float) -> None:
    """Add weighted saturations to sums."""
    if not sums:
        sums.update({each: weight * saturation for each, saturation in saturations.items()})
        return
    for each, saturation in saturations.items():
        sums[each] = sums.get(each, 0.0) + weight * saturation
