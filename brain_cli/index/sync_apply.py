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
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.index import engine
from brain_cli.index.directory import write_note_table
from brain_cli.index.note_reader import NoteReader, ReadNote, Undetermined, in_order
from brain_cli.index.note_rows import NoteRow
from brain_cli.index.note_table import NoteTable, changed_anchors, count_links
from brain_cli.index.sync_plan import Check, IndexedVault, Plan, Progress, Source, Warn
from brain_cli.types import GIT, MTIME, Link
from brain_cli.vault.analyzer import terms
from brain_cli.vault.git import repository_root
from brain_cli.vault.resolve import NameTable
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
            for done, ((note_id, source), result) in enumerate(zip(sources, results, strict=True)):
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
            self._add(writer, self._reader.in_language(note_id, undetermined, after.languages[0]))
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
        from brain_cli.vault.dates import one_moment
        from brain_cli.vault.git import commit_times

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


# Note id → the ids of linked notes, each with the terms of the links to it.
LinksByNote = Mapping[int, Mapping[int, frozenset[str]]]


class Outdated(NamedTuple):
    """The notes whose links are resolved again, the notes that are gone, and the former neighbours
    of both.
    """

    affected: set[int]
    gone: set[int]
    nearby: set[int]


def with_links(note_table: NoteTable, before: NoteTable, changed: Collection[int]) -> NoteTable:
    """Return a note table with each row's neighbours and successors, and with the anchor text.

    `before` is the table from before the change, `changed` are the notes that were read.
    """
    rows = note_table.rows.copy()
    # A new table: the columns of this one may have been cached before the last note was read.
    note_table = note_table.with_rows(rows)
    outdated = _outdated(note_table, before, changed)
    former = {each for each in (*outdated.affected, *outdated.gone) if each in before.rows}
    names = _names_for(note_table, outdated.affected | outdated.nearby)
    links = _links(note_table, names, outdated.affected | outdated.nearby)
    neighbours = _neighbours(before, outdated, links)
    successors = _successors(note_table, before, names, outdated)
    for note_id in neighbours.keys() | successors.keys():
        row = rows[note_id]
        rows[note_id] = row._replace(
            neighbours=sorted(neighbours.get(note_id, row.neighbours)),
            successors=sorted(successors.get(note_id, row.successors)),
        )
    old = count_links(_links(before, _names_for(before, former), former).values())
    new = count_links(links[note_id] for note_id in outdated.affected)
    return note_table.with_rows(rows, changed_anchors(note_table.anchors, old, new))


def _outdated(note_table: NoteTable, before: NoteTable, changed: Collection[int]) -> Outdated:
    rows = note_table.rows
    gone = {note_id for note_id in before.column("note_id") if note_id not in rows}
    read = {note_id for note_id in changed if note_id in rows}
    affected = read.union(
        _with_any(note_table, "link_keys", _changed_keys(note_table, before, read | gone))
    )
    former = (note_id for note_id in affected | gone if note_id in before.rows)
    nearby = {each for note_id in former for each in before.neighbours(note_id) if each in rows}
    return Outdated(affected, gone, nearby - affected)


def _changed_keys(note_table: NoteTable, before: NoteTable, changed: Collection[int]) -> set[str]:
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


def _with_any(note_table: NoteTable, field: str, keys: Collection[str]) -> list[int]:
    """Return the notes that have one of these keys."""
    if not keys:
        return []
    wanted = frozenset(keys)
    column = note_table.column(field)
    return [
        note_id for note_id, lines in column.items() if not wanted.isdisjoint(lines.split("\n"))
    ]


def _names_for(note_table: NoteTable, note_ids: Collection[int]) -> NameTable:
    """Return the names of all notes that the links of some notes may mean."""
    column = note_table.column("link_keys")
    keys = {key for note_id in note_ids for key in column[note_id].split("\n")}
    return note_table.names(_with_any(note_table, "name_keys", keys))


def _links(note_table: NoteTable, names: NameTable, note_ids: Collection[int]) -> LinksByNote:
    """Resolve the links of some notes, leaving out broken links and those of a note to itself."""
    ids = note_table.ids
    languages = note_table.column("language")
    found: dict[int, dict[int, frozenset[str]]] = {}

    # Most links of a page of links are in other notes of its folder too. Only a dotted text decides
    # where one leads.
    @cache
    def target_of(target: str, dotted: str, folder: str) -> str | None:
        return names.best_link(Link(target, text=dotted), folder)

    @cache
    def words_of(text: str, language: str) -> frozenset[str]:
        return frozenset(terms(text, language))

    for note_id in note_ids:
        targets = found.setdefault(note_id, {})
        metadata, links, *_ = note_table.read_record(note_id)
        folder = posixpath.join(posixpath.dirname(metadata.path), "")
        for link in links:
            path = target_of(link.target, link.text if "." in link.text else "", folder)
            if path and path != metadata.path:
                targets[ids[path]] = targets.get(ids[path], frozenset()) | words_of(
                    link.text, languages[note_id]
                )
    return found


def _neighbours(
    before: NoteTable, outdated: Outdated, links: LinksByNote
) -> Mapping[int, set[int]]:
    """Return the linked notes, in both directions, of each note whose neighbours may have
    changed.
    """
    affected = outdated.affected
    replaced = outdated.affected | outdated.gone
    found = {note_id: set[int]() for note_id in affected}

    def others(note_id: int) -> set[int]:
        if note_id not in found:
            found[note_id] = set(before.neighbours(note_id)) - replaced
        return found[note_id]

    for note_id in outdated.nearby:
        others(note_id)
    for source, targets in links.items():
        for target in targets:
            if source in affected or target in affected:
                others(source).add(target)
                others(target).add(source)
    return found


def _successors(
    note_table: NoteTable, before: NoteTable, names: NameTable, outdated: Outdated
) -> Mapping[int, set[int]]:
    """Return the superseding notes of each note whose successors may have changed."""
    replaced = outdated.affected | outdated.gone
    kept = {
        note_id: before.successors(note_id)
        for note_id in before.superseded
        if note_id in note_table.rows
    }
    found = {
        note_id: set(successors) - replaced
        for note_id, successors in kept.items()
        if note_id in replaced or not replaced.isdisjoint(successors)
    }
    for note_id in outdated.affected:
        metadata = note_table.metadata(note_id)
        for target in metadata.supersedes:
            path = names.best(target, metadata.path)
            if path and path != metadata.path:
                superseded = note_table.ids[path]
                found.setdefault(superseded, set(kept.get(superseded, ()))).add(note_id)
    return found
