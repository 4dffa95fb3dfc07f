"""BM25 over the postings of the index: the score of one query word in each section and each note.

    worth      = idf * saturation
    idf        = ln(1 + (N - df + .5) / (df + .5)); N and df count fragments, and a title's word is in all of its note's
    saturation = tf * (k1 + 1) / (tf + k1)
    tf         = about + body / (1 - b + b * length / average length)

`about` counts the word in title, aliases, tags, path and anchor text, `body` in the section and its headings, both
weighted (index/field_weights.py); lengths are those of sections, or of whole notes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from itertools import compress
from typing import NamedTuple

from brain_cli.index.snapshot import Snapshot, TermPostings
from brain_cli.vault.analyzer import Word

K1 = 2.0
B = 0.75


class TermScores:
    """The idf of a word, and its saturations (0..k1+1) in notes and sections.

    `about` (title, tags, path and anchor text) and `notes` (the whole note) map note ids to saturations. `sections`
    maps fragment numbers to the gain of each section over `about`; `most` maps note ids to the largest gain. `linked`
    are the notes that have the word only in links to other notes; `anchored` maps note ids to its weight in anchor
    text.
    """

    __slots__ = ("about", "anchored", "frequency", "idf", "linked", "most", "notes", "sections")

    def __init__(self, snapshot: Snapshot, postings: TermPostings) -> None:
        body, about = postings.body, postings.about
        self.linked, self.anchored = postings.linked, postings.anchored
        self.frequency = postings.frequency
        fragments = snapshot.note_table.fragments
        self.idf = idf(fragments, self.frequency)
        self.about = {note_id: _saturation(weight) for note_id, weight in about.items()}
        owners = list(map(snapshot.index.note_ids.__getitem__, body))
        self.sections, self.most = _sections(snapshot, body, about, owners)
        self.notes = _notes(snapshot, body, about, owners)

    def __len__(self) -> int:
        return len(self.sections) + len(self.most) + len(self.notes) + len(self.about) + len(self.linked) + 1


class ScoredTerm(NamedTuple):
    """A word of the query with its idf and its scores. `certainty` (0..1) is below 1 for a corrected word."""

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
    scores = snapshot.cache.get(word.variants, lambda: TermScores(snapshot, snapshot.postings(word.variants)))
    return ScoredTerm(word, scores.idf, scores)


def first_sections(snapshot: Snapshot, found: ScoredTerm, most: int = 1) -> list[int]:
    """Return the first fragments with a word, in the order of the notes: that of the fragments depends on edits."""
    note_ids = snapshot.index.note_ids
    return nsmallest(most, found.scores.sections, key=lambda number: (note_ids[number], number))


def idf(fragments: int, frequency: int) -> float:
    """Return the inverse document frequency of a word that `frequency` of the `fragments` contain."""
    return math.log(1 + (fragments - frequency + 0.5) / (frequency + 0.5))


def _saturation(tf: float) -> float:
    return tf * (K1 + 1) / (tf + K1)


def _sections(
    snapshot: Snapshot, body: Mapping[int, float], about: Mapping[int, float], owners: Sequence[int]
) -> tuple[dict[int, float], dict[int, float]]:
    """Return what the word adds in each section, and the most that it adds in a section of each note."""
    note_table, lengths = snapshot.note_table, map(snapshot.index.lengths.__getitem__, body)
    flat, slope, top = 1 - B, B * note_table.fragments / max(1, note_table.length), K1 + 1
    weights = [weight / (flat + slope * length) for weight, length in zip(body.values(), lengths, strict=True)]
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


def _notes(
    snapshot: Snapshot, body: Mapping[int, float], about: Mapping[int, float], owners: Sequence[int]
) -> dict[int, float]:
    """Return the saturation of the word in each note as a whole."""
    lengths: Mapping[int, int] = snapshot.note_table.column("length")
    flat, slope, top = 1 - B, B * snapshot.note_table.notes / max(1, snapshot.note_table.length), K1 + 1
    in_bodies: dict[int, float] = dict.fromkeys(about, 0.0)
    for note_id, weight in zip(owners, body.values(), strict=True):
        in_bodies[note_id] = in_bodies.get(note_id, 0.0) + weight
    weights = [
        weight / (flat + slope * length)
        for weight, length in zip(in_bodies.values(), map(lengths.__getitem__, in_bodies), strict=True)
    ]
    notes = {note_id: tf * top / (tf + K1) for note_id, tf in zip(in_bodies, weights, strict=True)}
    # Titles come first.
    for (note_id, weight), tf in zip(about.items(), weights, strict=False):
        notes[note_id] = _saturation(weight + tf)
    return notes
