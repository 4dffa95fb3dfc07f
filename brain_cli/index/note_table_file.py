"""Catalogue ↔ bytes: a checksum, a line of columns with what every recall and refresh reads, then a line for each note.

A column is read in one go, and a line of a note only when somebody asks for it; a refresh passes the others on. So
that none is found to be damaged halfway through an answer, the checksum of all of them is looked at first.
"""

from __future__ import annotations

import json

from brain_cli.index.anchors import Anchors
from brain_cli.index.note_table import NoteRow, NoteTable
from brain_cli.index.sealed import seal, unseal
from brain_cli.vault.boilerplate import frequent_hashes

# An empty line: no line before it is empty.
ANCHORS = "\n\n"


def dump(note_table: NoteTable) -> bytes:
    """Write a note table as bytes."""
    rows = note_table.rows.values()
    *columns, lines = zip(*rows, strict=True) if rows else ([], [])
    boilerplate = sorted(frequent_hashes(map(_line_hashes, lines)))
    values = [note_table.generation, note_table.next_id, boilerplate, columns]
    text = "\n".join([json.dumps(values, separators=(",", ":")), *lines])
    content = f"{text}{ANCHORS}{note_table.anchors.lines}".encode()
    return seal(content)


def load(raw: bytes) -> NoteTable:
    """Read a note table; BrokenIndexError if it is of another version or no longer what was written."""
    text, _, anchors = unseal(raw).decode().partition(ANCHORS)
    first, *lines = text.split("\n")
    generation, next_id, boilerplate, columns = json.loads(first)
    rows = map(NoteRow._make, zip(*columns, lines, strict=True)) if lines else ()
    by_id = {row.note_id: row for row in rows}
    return NoteTable(generation, next_id, by_id, frozenset(boilerplate), Anchors(anchors))


def _line_hashes(line: str) -> str:
    """Return the last value of a note's record without reading the others: it is a string of hex digits."""
    return line[line.rindex('"', 0, -2) + 1 : -2]
