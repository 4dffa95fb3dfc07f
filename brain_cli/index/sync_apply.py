"""Plan → build: read what has to be read, write what changed, all of it or nothing.

The catalogue of a generation is written before the engine commits that generation, so a reader that sees the
one finds the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from brain_cli.index import BrokenIndexError, engine
from brain_cli.index.directory import write_catalogue
from brain_cli.index.link_graph import with_links
from brain_cli.index.note_table import NoteRecord, NoteRow, NoteTable, record_line
from brain_cli.index.sync_plan import Plan, Source, Vault, Warn
from brain_cli.types import GIT, MTIME
from brain_cli.vault.walk import File

if TYPE_CHECKING:
    from brain_cli.index import IndexWriter
    from brain_cli.types import Note

Progress = Callable[[int, int], None]
# A file written within the clock's grain of being read may change again without its time changing.
FRESH_NS = 50_000_000


class Writing:
    """One plan on its way into one build."""

    def __init__(self, build: Path, vault: Vault, before: NoteTable, warn: Warn, progress: Progress) -> None:
        self._build = build
        self._vault = vault
        self._before = before
        self._warn = warn
        self._progress = progress
        self._started_ns = time.time_ns()

    def apply(self, plan: Plan) -> NoteTable:
        """Return the catalogue as it is afterwards; until then readers see the index as it was."""
        before = self._before
        after = NoteTable(before.generation, before.next_id, dict(before.rows), anchors=before.anchors)
        for row in plan.removed:
            del after.rows[row.note_id]
        for row, file in plan.touched:
            after.rows[row.note_id] = self._touched(row, file)
        if plan.size:
            return self._write(plan, after)
        self._date_by_git(plan, after)
        if plan.touched or not self._before.generation:
            write_catalogue(self._build, after)
        return after

    def _write(self, plan: Plan, after: NoteTable) -> NoteTable:
        writer = engine().writer(str(self._build))
        try:
            rewritten = [*plan.changed, *plan.renamed]
            writer.delete([row.note_id for row in plan.removed] + [row.note_id for row, _ in rewritten])
            sources = [(row.note_id, source) for row, source in rewritten]
            sources += enumerate(plan.added, start=after.next_id)
            after.next_id += len(plan.added)
            for row, _ in rewritten:
                del after.rows[row.note_id]
            self._read(writer, sources, after)
            self._date_by_git(plan, after)
            after = with_links(after, self._before)
            after.generation = writer.generation
            write_catalogue(self._build, after)
            writer.commit()
        except BaseException:
            writer.cancel()
            raise
        return after

    def _read(self, writer: IndexWriter, sources: list[tuple[int, Source]], after: NoteTable) -> None:
        """Add notes to the index and their rows to a catalogue.

        A note whose text does not tell its language waits for the others: it is taken for one in the language of most.
        """
        waiting = []
        for done, (note_id, source) in enumerate(sources):
            self._progress(done, len(sources))
            note = self._note(source)
            if note.language:
                after.rows[note_id] = self._added(writer, note_id, source, note, note.language)
            else:
                waiting.append((note_id, source, note))
        for note_id, source, note in waiting:
            after.rows[note_id] = self._added(writer, note_id, source, note, after.languages[0])

    def _added(self, writer: IndexWriter, note_id: int, source: Source, note: Note, language: str) -> NoteRow:
        """Add a note to the index; one that the analyzer fails on is added without its words."""
        try:
            return self._row(writer, note_id, source, note, language)
        except (BrokenIndexError, OSError):
            raise
        except Exception as error:  # nothing of the note has reached the writer: words are computed before
            bare = self._unparsed(source, "", type(error).__name__)
            return self._row(writer, note_id, source, bare, language)

    def _row(self, writer: IndexWriter, note_id: int, source: Source, note: Note, language: str) -> NoteRow:
        from brain_cli.vault.bigrams import sketch
        from brain_cli.vault.boilerplate import line_hashes
        from brain_cli.vault.dating import section_dates

        if note.warning:
            self._warn(source.file.path, note.warning)
        body = "\n".join(fragment.text for fragment in note.fragments)
        line = record_line(NoteRecord(note.metadata, list(note.links), sketch(body), line_hashes(body)))
        return NoteRow(
            note_id=note_id,
            path=source.file.path,
            size=source.file.size,
            mtime_ns=self._settled(source.file),
            content_hash=source.content_hash,
            timestamp=note.metadata.timestamp,
            dated_by=note.metadata.dated_by,
            kind=note.metadata.kind,
            section_dates=[list(each) for each in section_dates(fragment.trail for fragment in note.fragments)],
            language=language,
            fragments=len(note.fragments),
            length=writer.add(note_id, note, language),
            archived=note.metadata.archived,
            project=(note.metadata.project or "").casefold(),
            tags=[tag.casefold() for tag in note.metadata.tags],
            successors=[],
            neighbours=[],
            line=line,
        )

    def _note(self, source: Source) -> Note:
        from brain_cli.vault.decode import decode
        from brain_cli.vault.note import parse_note

        decoded = decode(source.raw)
        modified = source.file.mtime_ns / 1e9
        try:
            note = parse_note(
                source.file.path, decoded.text, modified, self._vault.archive_folders, self._vault.date_sources
            )
        except Exception as error:  # no note may fail more than itself, whatever it makes a parser do
            note = self._unparsed(source, decoded.text, type(error).__name__)
        return note if note.warning else note._replace(warning=decoded.warning)

    def _unparsed(self, source: Source, text: str, why: str) -> Note:
        from brain_cli.vault.note import unparsed_note

        return unparsed_note(source.file.path, text, source.file.mtime_ns / 1e9, why)

    def _touched(self, row: NoteRow, file: File) -> NoteRow:
        """An undated note is as old as its file, so a touch changes its timestamp though not its words."""
        mtime_ns = self._settled(file)
        if row.dated_by not in (GIT, MTIME):
            return row._replace(mtime_ns=mtime_ns)
        return row._replace(mtime_ns=mtime_ns, timestamp=file.mtime_ns / 1e9, dated_by=MTIME)

    def _date_by_git(self, plan: Plan, after: NoteTable) -> None:
        """Date what this refresh has read by its last commit, where most undated notes carry one moment: a clone."""
        undated = [row for row in after.rows.values() if row.dated_by in (GIT, MTIME)]
        if GIT not in self._vault.date_sources or len(undated) < 2:
            return
        from brain_cli.vault.dating import of_one_moment
        from brain_cli.vault.git_dates import commit_times

        # The times in the rows of files just written are left open, so those of the listing count.
        read = {file.path: file.mtime_ns for file in plan.read}
        if not of_one_moment([read.get(row.path, row.mtime_ns) / 1e9 for row in undated]):
            return
        committed = commit_times(self._vault.folder, [row.path for row in undated if row.path in read])
        for row in undated:
            if row.path in committed:
                after.rows[row.note_id] = row._replace(timestamp=committed[row.path], dated_by=GIT)

    def _settled(self, file: File) -> int:
        # A time in the future is as good as any: only one that is now can repeat.
        fresh = self._started_ns - FRESH_NS <= file.mtime_ns <= time.time_ns() + FRESH_NS
        return -1 if fresh else file.mtime_ns
