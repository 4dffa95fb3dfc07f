"""Suggest topics if no active note matches: the tags nearest to the query, then the most frequent ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from brain_cli.index.note_table import NoteTable

MAX_SUGGESTIONS = 5


def suggestions(note_table: NoteTable, relevances: Mapping[int, float]) -> list[str]:
    """Return topics: tags of the most relevant notes, then the vault's most frequent ones."""
    nearest: Counter[str] = Counter()
    for note_id, relevance in relevances.items():
        metadata = note_table.metadata(note_id)
        if not metadata.archived:
            for tag in metadata.tags:
                nearest[tag.casefold()] += relevance  # type: ignore[assignment]
    ordered = [*_most(nearest), *_most(note_table.tags)]
    return list(dict.fromkeys(ordered))[:MAX_SUGGESTIONS]


def _most(counted: Mapping[str, float]) -> list[str]:
    return sorted(counted, key=lambda tag: (-counted[tag], tag))
