"""Resolve links after a change: the neighbours and successors of each note, and the anchor text.

A new, deleted or renamed note can change the targets of those links alone that look up one of its
names. So the links of the changed notes are resolved, and those of the notes with such links.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from brain_cli.index.note_rows import NoteLinks
from brain_cli.index.note_table import LinkCounts, NoteTable, changed_anchors
from brain_cli.types import Link
from brain_cli.vault.analyzer import terms
from brain_cli.vault.resolve import NameTable, link_keys


def with_links(note_table: NoteTable, before: NoteTable, changed: Collection[int]) -> NoteTable:
    """Return a note table with each row's neighbours and successors, and with the anchor text.

    `before` is the table from before the change, `changed` are the notes that were read.
    """
    rows = note_table.rows.copy()
    # A new table: the columns of this one may have been cached before the last note was read.
    note_table = note_table.with_rows(rows)
    gone = {note_id for note_id in before.column("note_id") if note_id not in rows}
    read = {note_id for note_id in changed if note_id in rows}
    changed_keys = _changed_keys(note_table, before, read | gone)
    # The links of these notes may mean other notes than before.
    linking = set(note_table.with_any("link_keys", changed_keys))
    changes = LinkChanges()
    affected = {
        note_id
        for note_id in read - linking
        if note_id not in before.rows or _links(before, note_id) != _links(note_table, note_id)
    }
    affected |= linking
    for note in _new_links(note_table, before, linking - read, changed_keys):
        affected.remove(note.note_id)
        changes.add(note, holds=True)
    former = {note_id for note_id in affected | gone if note_id in before.rows}
    for note in _resolved(before, former):
        changes.add(note, holds=False)
    for note in _resolved(note_table, affected):
        changes.add(note, holds=True)
    # A note that has lost a link may still be linked from the other note.
    lost = {
        other
        for note_id in affected
        for other, holds in changes.neighbours[note_id].items()
        if not holds
    }
    for note in _resolved(note_table, lost - affected - gone):
        changes.connect(note, holds=True)
    for note_id in gone:
        for each in before.neighbours(note_id):
            changes.neighbours[each][note_id] = False
    for note_id in (read | changes.neighbours.keys() | changes.successors.keys()) - gone:
        links = NoteLinks((), ())
        if note_id in before.rows:
            links = NoteLinks(before.successors(note_id), before.neighbours(note_id))
        changed_links = changes.applied(note_id, links)
        if note_id in read or changed_links != links:
            rows.link(note_id, changed_links)
    return note_table.with_rows(
        rows, changed_anchors(note_table.anchors, changes.counts[False], changes.counts[True])
    )


class ResolvedLinks(NamedTuple):
    """The notes to which a note links, each with the terms of these links, and the notes that it
    supersedes.
    """

    note_id: int
    links: Mapping[int, set[str]]
    superseded: set[int]


class LinkChanges:
    """For the changed lists of notes by id, whether another note is in them now; and the number of
    links with each term that held before (False), and that hold now (True).
    """

    def __init__(self) -> None:
        self.neighbours = defaultdict[int, dict[int, bool]](dict)
        self.successors = defaultdict[int, dict[int, bool]](dict)
        self.counts: dict[bool, LinkCounts] = {
            False: defaultdict(Counter),
            True: defaultdict(Counter),
        }

    def add(self, note: ResolvedLinks, *, holds: bool) -> None:
        """Add the links of a note, first those that held before."""
        self.connect(note, holds=holds)
        for each in note.superseded:
            self.successors[each][note.note_id] = holds
        for target, found in note.links.items():
            for term in found:
                self.counts[holds][term][target] += 1

    def connect(self, note: ResolvedLinks, *, holds: bool) -> None:
        for target in note.links:
            self.neighbours[note.note_id][target] = holds
            self.neighbours[target][note.note_id] = holds

    def applied(self, note_id: int, links: NoteLinks) -> NoteLinks:
        """Return the links of a note after the changes."""
        return NoteLinks(
            _applied(links.successors, self.successors.get(note_id, {})),
            _applied(links.neighbours, self.neighbours.get(note_id, {})),
        )


def _applied(former: Sequence[int], changes: Mapping[int, bool]) -> list[int]:
    return sorted(each for each in {*former, *changes} if changes.get(each, True))


def _changed_keys(note_table: NoteTable, before: NoteTable, changed: Iterable[int]) -> set[str]:
    """Return the keys of the names that notes have gained or lost; all of a note at
    another path.
    """
    found: set[str] = set()
    for note_id in changed:
        (old_path, old), (path, new) = (_names(each, note_id) for each in (before, note_table))
        found |= old ^ new if old_path == path else old | new
    return found


def _names(note_table: NoteTable, note_id: int) -> tuple[str, set[str]]:
    """Return the path of a note and the keys of its names; nothing if it does not exist."""
    if note_id not in note_table.rows:
        return "", set()
    keys = note_table.value("name_keys", note_id)
    return note_table.value("path", note_id), {*keys.split("\n")}


def _links(note_table: NoteTable, note_id: int) -> tuple[Any, ...]:
    """Return all that decides where the links of a note lead, besides the names of notes."""
    metadata, links, *_ = note_table.stored_record(note_id)
    return metadata.path, metadata.supersedes, links, note_table.value("language", note_id)


class Resolver:
    """Resolves links of the notes of a table by the names of some of its notes."""

    def __init__(self, note_table: NoteTable, names: NameTable) -> None:
        self._note_table = note_table

        # Most links of a page of links are in other notes of its folder too. Only a dotted text
        # decides where one leads.
        @cache
        def target_of(target: str, dotted: str, folder: str) -> int | None:
            path = names.best_link(Link(target, text=dotted), folder)
            return note_table.ids[path] if path else None

        self._target_of = target_of
        self._words_of = cache(lambda text, language: frozenset(terms(text, language)))

    def resolved(
        self, note_id: int, path: str, links: Iterable[Link], supersedes: Iterable[str]
    ) -> ResolvedLinks:
        """Resolve links of a note, omitting broken ones and those to itself."""
        folder = posixpath.join(posixpath.dirname(path), "")
        language = self._note_table.value("language", note_id)
        targets = defaultdict[int | None, set[str]](set)
        for link in links:
            dotted = link.text if "." in link.text else ""
            targets[self._target_of(link.target, dotted, folder)] |= self._words_of(
                link.text, language
            )
        superseded = {self._target_of(target, "", folder) for target in supersedes}
        return ResolvedLinks(
            note_id,
            {each: words for each, words in targets.items() if each and each != note_id},
            {each for each in superseded if each and each != note_id},
        )


def _resolved(note_table: NoteTable, note_ids: Collection[int]) -> Iterator[ResolvedLinks]:
    """Resolve the links of some notes."""
    resolver = Resolver(note_table, note_table.names_for(note_ids))
    for note_id in note_ids:
        metadata, links, *_ = note_table.stored_record(note_id)
        yield resolver.resolved(note_id, metadata.path, links, metadata.supersedes)


def _new_links(
    note_table: NoteTable, before: NoteTable, note_ids: Iterable[int], changed_keys: set[str]
) -> Iterator[ResolvedLinks]:
    """Yield the new links of those notes whose links only lead to new notes now, and led nowhere
    before. Of most notes that is all that a new note changes.
    """
    changed = []
    asked: set[str] = set()
    for note_id in note_ids:
        metadata, links, *_ = note_table.stored_record(note_id)
        path = metadata.path
        # A link and a name in the frontmatter are looked up alike.
        links, superseded = (
            [link for link in each if not changed_keys.isdisjoint(link_keys((link,), path))]
            for each in (links, map(Link, metadata.supersedes))
        )
        asked |= link_keys((*links, *superseded), path)
        changed.append((note_id, path, links, [link.target for link in superseded]))
    former, now = (Resolver(each, each.names_with(asked)) for each in (before, note_table))
    for note in changed:
        held = former.resolved(*note)
        found = now.resolved(*note)
        targets = {*held.links, *held.superseded, *found.links, *found.superseded}
        if before.rows.keys().isdisjoint(targets):
            yield found
