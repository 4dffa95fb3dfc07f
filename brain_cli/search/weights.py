"""Weights that a user gives to folders and kinds: how much of its relevance a note keeps.

    [weights]
    "archive/**" = 0.5        every note below this folder
    "type:meeting" = 0.8      every note of this kind

Of several weights that fit a note, the smallest holds. A note that is asked for by its exact name keeps relevance 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from brain_cli.index.note_table import NoteTable
from brain_cli.vault.folding import same_name

KIND = "type:"


def weighted(relevances: Mapping[int, float], weights: Mapping[str, float], note_table: NoteTable) -> dict[int, float]:
    """Return the relevances (0..1) by note id with the weights (pattern → 0..1) of folders and kinds applied."""
    folders = {same_name(pattern): weight for pattern, weight in weights.items() if not pattern.startswith(KIND)}
    kinds = {same_name(pattern[len(KIND) :]): weight for pattern, weight in weights.items() if pattern.startswith(KIND)}

    def weight_of(note_id: int) -> float:
        path = same_name(note_table.rows[note_id].path)
        fitting = [weight for pattern, weight in folders.items() if fnmatchcase(path, pattern)]
        if kinds:
            fitting.append(kinds.get(same_name(note_table.metadata(note_id).kind), 1.0))
        return min(fitting, default=1.0)

    return {
        note_id: relevance if relevance >= 1.0 else relevance * weight_of(note_id)
        for note_id, relevance in relevances.items()
    }
