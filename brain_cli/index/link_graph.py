"""Which notes link and supersede which: resolved anew when a note's names or links have changed.

A note that comes, goes or is renamed can change where another's links lead; an edit of the text cannot.
"""

from __future__ import annotations

from collections.abc import Mapping

from brain_cli.index.note_table import Catalogue, Row, told
from brain_cli.vault.links import NameTable, neighbours


def connected(catalogue: Catalogue, before: Mapping[int, Row]) -> Catalogue:
    """Return a catalogue whose rows know their neighbours and successors; `before` are the rows that did."""
    rows = catalogue.rows
    changed = [row for row in rows.values() if row is not before.get(row.note_id)]
    if rows.keys() == before.keys() and all(_speaks_alike(row, before[row.note_id]) for row in changed):
        kept = {row.note_id: _linked_as(before[row.note_id], row) for row in changed}
        return Catalogue(catalogue.generation, catalogue.next_id, {**rows, **kept})
    return Catalogue(catalogue.generation, catalogue.next_id, _resolved(catalogue))


def _linked_as(known: Row, row: Row) -> Row:
    return row._replace(neighbours=known.neighbours, successors=known.successors)


def _speaks_alike(row: Row, other: Row) -> bool:
    """Whether a note is called the same as before, and names the same notes."""
    (facts, links, _), (known, known_links, _) = told(row), told(other)
    names = (facts.path, facts.title, facts.aliases, facts.supersedes)
    return links == known_links and names == (known.path, known.title, known.aliases, known.supersedes)


def _resolved(catalogue: Catalogue) -> dict[int, Row]:
    rows, names = catalogue.rows, catalogue.names()
    ids = {row.path: row.note_id for row in rows.values()}
    links = {
        note_id: [ids[path] for path in names.resolve(catalogue.told(note_id).links, row.path)]
        for note_id, row in rows.items()
    }
    both, successors = neighbours(links), _successors(catalogue, names, ids)
    return {
        note_id: row._replace(neighbours=both.get(note_id, []), successors=successors.get(note_id, []))
        for note_id, row in rows.items()
    }


def _successors(catalogue: Catalogue, names: NameTable, ids: Mapping[str, int]) -> dict[int, list[int]]:
    """Return for each note that is superseded the notes that say so."""
    found: dict[int, list[int]] = {}
    for note_id in catalogue.rows:
        facts = catalogue.facts(note_id)
        for target in facts.supersedes:
            for path in names.find(target, facts.path)[:1]:
                if path != facts.path:
                    found.setdefault(ids[path], []).append(note_id)
    return found
