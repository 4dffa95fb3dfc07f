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
from collections.abc import Mapping
from heapq import nsmallest
from typing import NamedTuple

from brain_cli.index.snapshot import Snapshot
from brain_cli.index.term_postings import TermPostings
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
        self.sections, self.most = _sections(snapshot, body, about)
        self.notes = _notes(snapshot, body, about)

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
    snapshot: Snapshot, body: Mapping[int, float], about: Mapping[int, float]
) -> tuple[dict[int, float], dict[int, float]]:
    note_table, note_ids, lengths = snapshot.note_table, snapshot.index.note_ids, snapshot.index.lengths
    flat, slope, top = 1 - B, B * note_table.fragments / max(1, note_table.length), K1 + 1
    sections: dict[int, float] = {}
    most: dict[int, float] = {}
    for number, weight in body.items():
        note_id = note_ids[number]
        tf = weight / (flat + slope * lengths[number])
        if note_id in about:
            gain = _saturation(about[note_id] + tf) - _saturation(about[note_id])
        else:
            gain = tf * top / (tf + K1)
        sections[number] = gain
        if gain > most.get(note_id, 0.0):
            most[note_id] = gain
    return sections, most


def _notes(snapshot: Snapshot, body: Mapping[int, float], about: Mapping[int, float]) -> dict[int, float]:
    lengths, note_ids = snapshot.note_table.column("length"), snapshot.index.note_ids
    flat, slope = 1 - B, B * snapshot.note_table.notes / max(1, snapshot.note_table.length)
    in_bodies: dict[int, float] = dict.fromkeys(about, 0.0)
    for number, weight in body.items():
        note_id = note_ids[number]
        in_bodies[note_id] = in_bodies.get(note_id, 0.0) + weight
    return {
        note_id: _saturation(about.get(note_id, 0.0) + weight / (flat + slope * lengths[note_id]))
        for note_id, weight in in_bodies.items()
    }
