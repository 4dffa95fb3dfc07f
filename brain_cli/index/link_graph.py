"""Which notes link and supersede which: resolved anew when a note's names or links have changed.

A note that comes, goes or is renamed can change where another's links lead; an edit of the text cannot.
"""

from __future__ import annotations

from collections.abc import Mapping

from brain_cli.index.note_table import NoteRow, NoteTable, read_record
from brain_cli.vault.resolve import NameTable, neighbours


def with_links(note_table: NoteTable, before: Mapping[int, NoteRow]) -> NoteTable:
    """Return a catalogue whose rows know their neighbours and successors; `before` are the rows that did."""
    rows = note_table.rows
    changed = [row for row in rows.values() if row is not before.get(row.note_id)]
    if rows.keys() == before.keys() and all(_speaks_alike(row, before[row.note_id]) for row in changed):
        kept = {row.note_id: _linked_as(before[row.note_id], row) for row in changed}
        return NoteTable(note_table.generation, note_table.next_id, {**rows, **kept})
    return NoteTable(note_table.generation, note_table.next_id, _resolved(note_table))


def _linked_as(known: NoteRow, row: NoteRow) -> NoteRow:
    return row._replace(neighbours=known.neighbours, successors=known.successors)


def _speaks_alike(row: NoteRow, other: NoteRow) -> bool:
    """Whether a note is called the same as before, and names the same notes."""
    (metadata, links, *_), (known, known_links, *_) = read_record(row), read_record(other)
    names = (metadata.path, metadata.title, metadata.aliases, metadata.supersedes)
    return links == known_links and names == (known.path, known.title, known.aliases, known.supersedes)


def _resolved(note_table: NoteTable) -> dict[int, NoteRow]:
    rows, names = note_table.rows, note_table.names()
    ids = {row.path: row.note_id for row in rows.values()}
    links = {
        note_id: [ids[path] for path in names.resolve(note_table.read_record(note_id).links, row.path)]
        for note_id, row in rows.items()
    }
    both, successors = neighbours(links), _successors(note_table, names, ids)
    return {
        note_id: row._replace(neighbours=both.get(note_id, []), successors=successors.get(note_id, []))
        for note_id, row in rows.items()
    }


def _successors(note_table: NoteTable, names: NameTable, ids: Mapping[str, int]) -> dict[int, list[int]]:
    """Return for each note that is superseded the notes that say so."""
    found: dict[int, list[int]] = {}
    for note_id in note_table.rows:
        metadata = note_table.metadata(note_id)
        for target in metadata.supersedes:
            for path in names.find(target, metadata.path)[:1]:
                if path != metadata.path:
                    found.setdefault(ids[path], []).append(note_id)
    return found
