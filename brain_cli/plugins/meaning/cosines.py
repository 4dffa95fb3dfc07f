"""Compare a question's vector with the vectors of all passages: the cosine of each passage and of each note."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from math import sqrt
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.plugins.meaning.onnx_session import products
from brain_cli.plugins.meaning.vectors import HEAD_BYTES, Matrix, Rows, VectorStore, note_keys, opening_key

if TYPE_CHECKING:
    from brain_cli.index.note_table import NoteTable

MIN_DEVIATION = 1e-6
# So many standard deviations nearer than the notes on average, a note may be worth a link.
NEAR = 2.0


class NoteVectors:
    """The vectors of the notes of one generation: all rows, and each note's rows by its id.

    Where these are some of many notes, a `sample` has the rows of others that stand for all.
    """

    def __init__(self, matrix: Matrix, rows: Mapping[int, Rows], sample: Sequence[Rows] = ()) -> None:
        self.matrix, self.rows, self._sample = matrix, rows, sample
        self._scales = matrix.scales()

    def __len__(self) -> int:
        """Return the memory in use, in units of about 100 bytes, without the rows, which are mapped from their file."""
        return 1 + len(self.rows) + len(self._scales) // 3

    def deviations(self, vector: Sequence[float]) -> Deviations:
        """Return how far each note's best passage is above the mean of all notes, in standard deviations."""
        # The head of a row is multiplied as well: by zeros.
        padded = array("f", bytes(4 * HEAD_BYTES)) + array("f", vector)
        cosines = [*map(mul, products(self.matrix.content, len(self.matrix), padded), self._scales)]
        best = {each: max(cosines[rows.first : sum(rows)]) for each, rows in self.rows.items() if rows.number}
        usual = [max(cosines[rows.first : sum(rows)]) for rows in self._sample] or [*best.values()]
        mean = sum(usual) / max(1, len(usual))
        variance = sum((value - mean) ** 2 for value in usual) / max(1, len(usual))
        deviation = max(sqrt(variance), MIN_DEVIATION)
        notes = {note_id: (value - mean) / deviation for note_id, value in best.items()}
        return Deviations(notes, self.rows, cosines, self.matrix)

    def near(self, note_id: int) -> list[int]:
        """Return the notes that stand out as near to all of a note, the nearest one first."""
        rows = self.rows.get(note_id, Rows(0, 0))
        deviations = self.deviations(self.matrix.total(rows)).notes
        found = [each for each, deviation in deviations.items() if deviation > NEAR and each != note_id]
        return sorted(found, key=deviations.__getitem__, reverse=True)


class Deviations(NamedTuple):
    """How near all notes are to one question: standard deviations by note id, and the cosine of every passage."""

    notes: Mapping[int, float]
    rows: Mapping[int, Rows]
    cosines: Sequence[float]
    matrix: Matrix

    def cosine(self, note_id: int) -> float:
        """Return the cosine of a note's nearest passage; 0 if the note is not embedded."""
        rows = self.rows.get(note_id, Rows(0, 0))
        return max(self.cosines[rows.first : sum(rows)], default=0.0)

    def nearest(self, note_id: int, most: int = 1) -> list[tuple[int, int, int]]:
        """Return the positions of a note's nearest passages (line, place, pieces), the nearest one first.

        A note that is not embedded has none.
        """
        rows = self.rows.get(note_id, Rows(0, 0))
        in_order = sorted(range(rows.first, sum(rows)), key=self.cosines.__getitem__, reverse=True)
        return [self.matrix.position(index) for index in in_order[:most]]


def note_vectors(store: VectorStore, note_table: NoteTable) -> NoteVectors:
    """Return the vectors of the notes that are embedded."""
    known, keys = store.notes(), note_keys(note_table).items()
    found = {note_id: rows for note_id, key in keys if (rows := known.get(key) or known.get(opening_key(key)))}
    return NoteVectors(store.matrix(), found)
