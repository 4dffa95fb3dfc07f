"""Apply a plan: read the new and changed notes, and write all changes in one transaction.

Notes are read on all cores and written by this process. The note table of a generation is written
before the engine commits that generation, so a reader of a committed generation always finds its
note table.

A new, deleted or renamed note can change the targets of those links alone that look up one of its
names. So a refresh resolves the links of the changed notes, of the notes with such links, and of
the neighbours of both.
"""

from __future__ import annotations

import contextlib
import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.index import engine
from brain_cli.index.directory import write_note_table
from brain_cli.index.note_reader import NoteReader, ReadNote, Undetermined, in_order
from brain_cli.index.note_rows import NoteRow
from brain_cli.index.note_table import LinkCounts, NoteTable, changed_anchors
from brain_cli.index.sync_plan import Check, IndexedVault, Plan, Progress, Source, Warn
from brain_cli.types import GIT, MTIME, Link
from brain_cli.vault.analyzer import terms
from brain_cli.vault.clock import one_moment
from brain_cli.vault.git import commit_times, repository_root
from brain_cli.vault.walk import File

if TYPE_CHECKING:
    from brain_cli.index import IndexWriter


class Writing:
    """Writes one plan to one build; `check` may raise an exception before any note."""

    def __init__(
        self,
        build: Path,
        vault: IndexedVault,
        before: NoteTable,
        warn: Warn,
        progress: Progress,
        check: Check,
    ) -> None:
        self._build = build
        self._vault = vault
        self._before = before
        self._warn = warn
        self._progress = progress
        self._check = check
        self._reader = NoteReader(vault, engine())
        # The rows of the new note table, which change with these.
        self._rows = before.rows.copy()

    def apply(self, plan: Plan) -> NoteTable:
        """Apply a plan and return the new note table; until then readers see the old index."""
        after = self._before.with_rows(self._rows)
        for row in plan.removed:
            del self._rows[row.note_id]
        for row, file in plan.touched:
            self._rows[row.note_id] = self._touched(row, file)
        if plan.size:
            return self._write(plan, after)
        self._date_by_git(plan)
        if plan.touched or not self._before.generation:
            write_note_table(self._build, after)
        return after

    def _write(self, plan: Plan, after: NoteTable) -> NoteTable:
        writer = engine().writer(str(self._build))
        try:
            rewritten = [*plan.changed, *plan.renamed]
            writer.delete(
                [row.note_id for row in plan.removed] + [row.note_id for row, _ in rewritten]
            )
            sources = [(row.note_id, source) for row, source in rewritten]
            sources += enumerate(plan.added, start=after.next_id)
            after.next_id += len(plan.added)
            unreadable = self._read(writer, sources, after)
            plan.added = [source for source in plan.added if source.file.path not in unreadable]
            self._date_by_git(plan)
            after = with_links(after, self._before, [note_id for note_id, _ in sources])
            after.generation = writer.generation
            write_note_table(self._build, after)
            writer.commit()
        except BaseException:
            writer.cancel()
            raise
        return after

    def _read(
        self, writer: IndexWriter, sources: list[tuple[int, Source]], after: NoteTable
    ) -> set[str]:
        """Add notes to the index and their rows to a note table; return the paths that cannot be
        read.

        Notes of unknown language are added last, in the most frequent language of the others.
        """
        undetermined_notes = []
        unreadable = set()
        with contextlib.closing(in_order(self._reader.read, sources)) as results:
            for done, ((note_id, source), result) in enumerate(
                zip(sources, results, strict=True)
            ):
                self._check()
                self._progress(done, len(sources))
                if isinstance(result, ReadNote):
                    self._add(writer, result)
                elif isinstance(result, Undetermined):
                    undetermined_notes.append((note_id, result))
                else:
                    self._warn_all(source.file.path, result.warnings)
                    unreadable.add(source.file.path)
                    self._rows.pop(note_id, None)
        for note_id, undetermined in undetermined_notes:
            self._check()
            self._add(
                writer, self._reader.in_language(note_id, undetermined, after.languages[0])
            )
        return unreadable

    def _add(self, writer: IndexWriter, result: ReadNote) -> None:
        self._warn_all(result.row.path, result.warnings)
        writer.add(result.row.note_id, result.prepared)
        self._rows[result.row.note_id] = result.row

    def _warn_all(self, path: str, warnings: list[str]) -> None:
        for why in warnings:
            self._warn(path, why)

    def _touched(self, row: NoteRow, file: File) -> NoteRow:
        """Update the row of a touched note: an undated note takes its date from its file."""
        mtime_ns = self._reader.settled(file)
        if row.dated_by not in (GIT, MTIME):
            return row._replace(mtime_ns=mtime_ns)
        return row._replace(mtime_ns=mtime_ns, timestamp=file.mtime_ns / 1e9, dated_by=MTIME)

    def _date_by_git(self, plan: Plan) -> None:
        """Give the notes read the date of their last commit, if most undated ones have the same
        time, as in a clone.
        """
        if GIT not in self._vault.date_sources or not repository_root(self._vault.folder):
            return
        table = self._before.with_rows(self._rows)
        paths = table.column("path")
        times = table.column("mtime_ns")
        undated = [
            note_id
            for note_id, source in table.column("dated_by").items()
            if source in (GIT, MTIME)
        ]
        # Rows of fresh files have no time, so that of the listing is used.
        read = {file.path: file.mtime_ns for file in plan.read}
        ids_by_path = {paths[note_id]: note_id for note_id in undated if paths[note_id] in read}
        if not ids_by_path or not one_moment(
            [read.get(paths[each], times[each]) / 1e9 for each in undated]
        ):
            return
        for path, timestamp in commit_times(self._vault.folder, list(ids_by_path)).items():
            self._rows[ids_by_path[path]] = self._rows[ids_by_path[path]]._replace(
                timestamp=timestamp, dated_by=GIT
            )


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
    affected = read.union(note_table.with_any("link_keys", changed_keys))
    replaced = affected | gone
    former = {note_id for note_id in replaced if note_id in before.rows}
    neighbours = {note_id: set[int]() for note_id in affected}

    def neighbours_of(note_id: int) -> set[int]:
        if note_id not in neighbours:
            neighbours[note_id] = set(before.neighbours(note_id)) - replaced
        return neighbours[note_id]

    nearby = {each for note_id in former for each in before.neighbours(note_id) if each in rows}
    for note_id in nearby:
        neighbours_of(note_id)
    successors = defaultdict[int, set[int]](set)
    for note_id in before.superseded:
        successors[note_id] = set(before.successors(note_id)) - replaced
    counts: LinkCounts = defaultdict(Counter)
    for note in _resolved(note_table, affected | nearby):
        for target in note.links:
            if note.note_id in affected or target in affected:
                neighbours_of(note.note_id).add(target)
                neighbours_of(target).add(note.note_id)
        if note.note_id in affected:
            note.add_to(counts)
            for each in note.superseded:
                successors[each].add(note.note_id)
    for note_id in (neighbours.keys() | successors.keys()) - gone:
        row = rows[note_id]
        linked = row._replace(
            neighbours=sorted(neighbours.get(note_id, row.neighbours)),
            successors=sorted(successors.get(note_id, row.successors)),
        )
        if linked != row:
            rows[note_id] = linked
    former_counts: LinkCounts = defaultdict(Counter)
    for note in _resolved(before, former):
        note.add_to(former_counts)
    return note_table.with_rows(
        rows, changed_anchors(note_table.anchors, former_counts, counts)
    )


def _changed_keys(
    note_table: NoteTable, before: NoteTable, changed: Collection[int]
) -> set[str]:
    """Return the keys of the names that notes have gained or lost; all of a note at
    another path.
    """
    found: set[str] = set()
    for note_id in changed:
        old = before.rows.get(note_id)
        new = note_table.rows.get(note_id)
        if old and new and old.path == new.path:
            found |= _keys(old.name_keys) ^ _keys(new.name_keys)
        else:
            found.update(*(_keys(row.name_keys) for row in (old, new) if row))
    return found


def _keys(lines: str) -> set[str]:
    return set(lines.split("\n"))


class ResolvedLinks(NamedTuple):
    """The notes to which a note links, each with the terms of these links, and the notes that it
    supersedes.
    """

    note_id: int
    links: Mapping[int, set[str]]
    superseded: set[int]

    def add_to(self, counts: LinkCounts) -> None:
        """Count the links by term and target."""
        for target, found in self.links.items():
            for term in found:
                counts[term][target] += 1


def _resolved(note_table: NoteTable, note_ids: Collection[int]) -> Iterator[ResolvedLinks]:
    """Resolve the links of some notes, omitting broken links and those of a note to itself."""
    names = note_table.names_for(note_ids)
    ids = note_table.ids
    languages = note_table.column("language")

    # Most links of a page of links are in other notes of its folder too. Only a dotted text decides
    # where one leads.
    @cache
    def target_of(target: str, dotted: str, folder: str) -> str | None:
        return names.best_link(Link(target, text=dotted), folder)

    @cache
    def words_of(text: str, language: str) -> frozenset[str]:
        return frozenset(terms(text, language))

    for note_id in note_ids:
        metadata, links, *_ = note_table.parsed_record(note_id)
        folder = posixpath.join(posixpath.dirname(metadata.path), "")
        targets = defaultdict[int, set[str]](set)
        for link in links:
            path = target_of(link.target, link.text if "." in link.text else "", folder)
            if path and path != metadata.path:
                targets[ids[path]] |= words_of(link.text, languages[note_id])
        superseded = {names.best(target, metadata.path) for target in metadata.supersedes}
        superseded -= {None, metadata.path}
        yield ResolvedLinks(note_id, targets, {ids[path] for path in superseded if path})
