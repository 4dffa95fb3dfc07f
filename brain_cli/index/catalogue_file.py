"""Catalogue ↔ text: a line of columns with what every recall and refresh reads, then a line for each note.

A column is read in one go, and a line of a note only when somebody asks for it; a refresh passes the others on.
"""

from __future__ import annotations

import json

from brain_cli.index import INDEX_VERSION
from brain_cli.index.catalogue import Catalogue, Row


def dump(catalogue: Catalogue) -> str:
    """Write a catalogue as text."""
    rows = catalogue.rows.values()
    *columns, lines = zip(*rows, strict=True) if rows else ([], [])
    head = {
        "version": INDEX_VERSION,
        "generation": catalogue.generation,
        "next_id": catalogue.next_id,
        "columns": columns,
    }
    return "\n".join([json.dumps(head, separators=(",", ":")), *lines])


def load(text: str) -> Catalogue:
    """Read a catalogue; ValueError if it is of another version or no catalogue at all."""
    first, *lines = text.split("\n")
    head = json.loads(first)
    if not isinstance(head, dict) or head.get("version") != INDEX_VERSION:
        raise ValueError("the index was made by another version of brain")
    rows = map(Row._make, zip(*head["columns"], lines, strict=True)) if lines else ()
    return Catalogue(head["generation"], head["next_id"], {row.note_id: row for row in rows})
