"""Apply a plan: read the new and changed notes, and write all changes in one transaction.

Notes are read on all cores and written by this process. The note table of a generation is written
before the engine commits that generation, so a reader of a committed generation always finds its
note table.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from brain_cli.index import engine
from brain_cli.index.directory import write_note_table
from brain_cli.index.link_changes import with_links
from brain_cli.index.note_reader import NoteReader, ReadNote, Undetermined, in_order
from brain_cli.index.note_rows import NoteRow
from brain_cli.index.note_table import NoteTable
from brain_cli.index.sync_plan import Check, IndexedVault, Plan, Progress, Source, Warn
from brain_cli.types import GIT, MTIME
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
            sources = [*plan.changed, *((row.note_id, each) for row, each in plan.renamed)]
            writer.delete(
                [row.note_id for row in plan.removed] + [note_id for note_id, _ in sources]
            )
            sources += enumerate(plan.added, start=after.next_id)
            after.next_id += len(plan.added)
            unreadable = self._read(writer, sources, after)
            plan.added = [source for source in plan.added if source.file.path not in unreadable]
            self._date_by_git(plan)
            writer.flush()
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
                    self._warn_all(source.file.path, result)
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
