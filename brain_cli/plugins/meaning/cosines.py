"""Compare a question's vector with the vectors of all passages: the cosine of each passage and of each note."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from brain_cli.plugins.meaning.vectors import Rows, VectorStore, note_keys, opening_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from brain_cli.index.note_table import NoteTable

# Rows are converted to floats in blocks that fit the processor's cache, which is several times faster.
ROWS_AT_ONCE = 1024


class NoteVectors:
    """The vectors of the notes of one generation: all rows, and each note's rows by its id, in row order."""

    def __init__(self, matrix: NDArray[np.void], rows: Mapping[int, Rows]) -> None:
        self.matrix, self.rows = matrix, rows
        self._note_ids = [note_id for note_id, each in rows.items() if each.number]
        # Every other segment holds the rows between two notes, which belong to deleted notes.
        edges = [(rows[note_id].first, rows[note_id].first + rows[note_id].number) for note_id in self._note_ids]
        self._segments = np.minimum(np.array(edges, np.int64).ravel(), len(matrix) - 1)

    def __len__(self) -> int:
        """Return the memory in use, in units of about 100 bytes, without the rows, which are mapped from their file."""
        return 1 + len(self.rows)

    def deviations(self, vector: NDArray[np.float32]) -> Deviations:
        """Return how far each note's best passage is above the mean of all notes, in standard deviations."""
        cosines = self._cosines(vector)
        if not self._note_ids:
            return Deviations({}, self.rows, cosines, self.matrix)
        best = np.maximum.reduceat(cosines, self._segments)[::2]
        standard = (best - best.mean()) / max(float(best.std()), 1e-6)
        notes = dict(zip(self._note_ids, standard.tolist(), strict=True))
        return Deviations(notes, self.rows, cosines, self.matrix)

    def _cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        found = np.empty(len(self.matrix), np.float32)
        for first in range(0, len(found), ROWS_AT_ONCE):
            block = self.matrix[first : first + ROWS_AT_ONCE]
            products = block["values"].astype(np.float32) @ vector
            found[first : first + ROWS_AT_ONCE] = products * block["scale"]
        return found


class Deviations(NamedTuple):
    """How near all notes are to one question: standard deviations by note id, and the cosine of every passage."""

    notes: Mapping[int, float]
    rows: Mapping[int, Rows]
    cosines: NDArray[np.float32]
    matrix: NDArray[np.void]

    def cosine(self, note_id: int) -> float:
        """Return the cosine of a note's nearest passage; 0 if the note is not embedded."""
        rows = self.rows.get(note_id)
        if not rows or not rows.number:
            return 0.0
        return float(self.cosines[rows.first : rows.first + rows.number].max())

    def nearest(self, note_id: int, most: int = 1) -> list[tuple[int, int, int]]:
        """Return the positions of a note's nearest passages (line, place, pieces), the nearest one first.

        A note that is not embedded has none.
        """
        rows = self.rows.get(note_id)
        if not rows or not rows.number:
            return []
        inside = slice(rows.first, rows.first + rows.number)
        nearest = np.argsort(-self.cosines[inside], kind="stable")[:most]
        found: list[tuple[int, int, int]] = self.matrix["position"][inside][nearest].tolist()
        return found


def note_vectors(store: VectorStore, note_table: NoteTable) -> NoteVectors:
    """Return the vectors of the notes that are embedded."""
    known, matrix = store.notes(), store.matrix()
    keys = note_keys(note_table).items()
    found = {note_id: rows for note_id, key in keys if (rows := known.get(key) or known.get(opening_key(key)))}
    # Copies of a note share their rows, so each row is assigned to one note at a time.
    by_row = dict(sorted(found.items(), key=lambda item: item[1].first))
    return NoteVectors(matrix, by_row)
