"""The user's weights of folders and kinds, by which relevance is multiplied.

    [weights]
    "archive/**" = 0.5        every note below this folder
    "type:meeting" = 0.8      every note of this kind

Of several weights for a note, the smallest counts. A note that is asked for by its exact name keeps relevance 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from brain_cli.index.note_table import NoteTable
from brain_cli.search.relevance import LESS_LINKED_NAMESAKE
from brain_cli.vault.folding import same_name

KIND = "type:"


class Weights:
    """The weights (pattern → 0..1) of a configuration, applied to the notes of one table."""

    def __init__(self, weights: Mapping[str, float], note_table: NoteTable) -> None:
        named = {same_name(pattern): weight for pattern, weight in weights.items()}
        self._folders = {pattern: weight for pattern, weight in named.items() if not pattern.startswith(KIND)}
        self._kinds = {pattern[len(KIND) :]: weight for pattern, weight in named.items() if pattern.startswith(KIND)}
        self._note_table = note_table

    def of(self, note_id: int) -> float:
        """Return the weight of a note, 0..1."""
        if not self._folders and not self._kinds:
            return 1.0
        path = same_name(self._note_table.rows[note_id].path)
        fitting = [weight for pattern, weight in self._folders.items() if fnmatchcase(path, pattern)]
        if self._kinds:
            fitting.append(self._kinds.get(same_name(self._note_table.metadata(note_id).kind), 1.0))
        return min(fitting, default=1.0)

    def applied_to(self, note_id: int, relevance: float) -> float:
        """Return the weight of a note at a relevance (0..1); 1 for a note with the exact name."""
        return 1.0 if relevance >= LESS_LINKED_NAMESAKE else self.of(note_id)


def weighted(relevances: Mapping[int, float], weights: Mapping[str, float], note_table: NoteTable) -> dict[int, float]:
    """Return the relevances (0..1) by note id with the weights of folders and kinds applied."""
    found = Weights(weights, note_table)
    return {note_id: relevance * found.applied_to(note_id, relevance) for note_id, relevance in relevances.items()}
