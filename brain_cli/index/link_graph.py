"""Resolve the links between notes, with their words, again whenever a note's names or links have changed.

A new, deleted or renamed note can change the targets of other notes' links; an edit of its text cannot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from brain_cli.index.note_table import Anchors, NoteRow, NoteTable, anchors_of, count_links, read_record
from brain_cli.vault.analyzer import terms
from brain_cli.vault.resolve import NameTable, neighbours

# Note id → the ids of linked notes, each with the terms of the links to it.
LinksByNote = Mapping[int, Mapping[int, frozenset[str]]]


def with_links(note_table: NoteTable, before: NoteTable, changed: Collection[int]) -> NoteTable:
    """Return a note table with each row's neighbours and successors.

    `before` is the table from before the change, `changed` are the notes that were read.
    """
    rows, known = note_table.changeable_rows(), before.rows

    def is_unchanged(note_id: int) -> bool:
        return note_id in rows and note_id in known and _has_same_links(rows[note_id], known[note_id])

    if len(rows) == len(known) and all(map(is_unchanged, changed)):
        for note_id in changed:
            rows[note_id] = _linked_as(known[note_id], rows[note_id])
        return note_table.with_rows(rows)
    names = note_table.names()
    links = _links(note_table, names)
    for row in _linked_rows(note_table, names, links):
        rows[row.note_id] = row
    return note_table.with_rows(rows, _anchors(links))


def _linked_as(known: NoteRow, row: NoteRow) -> NoteRow:
    return row._replace(neighbours=known.neighbours, successors=known.successors)


def _has_same_links(row: NoteRow, other: NoteRow) -> bool:
    """Return whether a note's names and links, with their words, are unchanged."""
    (metadata, links, *_), (known, known_links, *_) = read_record(row), read_record(other)
    names = (metadata.path, metadata.title, metadata.aliases, metadata.supersedes, row.language)
    return links == known_links and names == (
        known.path,
        known.title,
        known.aliases,
        known.supersedes,
        other.language,
    )


def _links(note_table: NoteTable, names: NameTable) -> LinksByNote:
    """Resolve the links of every note, leaving out broken links and those to itself."""
    ids = {row.path: row.note_id for row in note_table.rows.values()}
    found: dict[int, dict[int, frozenset[str]]] = {}
    for row in note_table.rows.values():
        targets = found.setdefault(row.note_id, {})
        for link in note_table.read_record(row.note_id).links:
            path = names.best_link(link, row.path)
            if path and path != row.path:
                words = frozenset(terms(link.text, row.language)) if link.text else frozenset()
                targets[ids[path]] = targets.get(ids[path], frozenset()) | words
    return found


def _anchors(links: LinksByNote) -> Anchors:
    """Return the anchor text: a note that links twice to a note with the same word counts once."""
    return anchors_of(count_links(_pairs(links)))


def _pairs(links: LinksByNote) -> Iterator[tuple[int, frozenset[str]]]:
    for targets in links.values():
        yield from targets.items()


def _linked_rows(note_table: NoteTable, names: NameTable, links: LinksByNote) -> Iterator[NoteRow]:
    """Yield the rows that get other neighbours or successors."""
    ids = {row.path: row.note_id for row in note_table.rows.values()}
    undirected, successors = neighbours(links), _successors(note_table, names, ids)
    for note_id, row in note_table.rows.items():
        linked = undirected.get(note_id, []), successors.get(note_id, [])
        if linked != (row.neighbours, row.successors):
            yield row._replace(neighbours=linked[0], successors=linked[1])


def _successors(note_table: NoteTable, names: NameTable, ids: Mapping[str, int]) -> dict[int, list[int]]:
    """Return the notes that supersede each superseded note."""
    found: dict[int, list[int]] = {}
    for note_id in note_table.rows:
        metadata = note_table.metadata(note_id)
        for target in metadata.supersedes:
            path = names.best(target, metadata.path)
            if path and path != metadata.path:
                found.setdefault(ids[path], []).append(note_id)
    return found
