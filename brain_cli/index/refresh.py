"""Take a plan into the index. Nothing else writes it, and only under its one lock.

The catalogue of a generation is written before the engine commits that generation, so a reader that sees the
one finds the other. A full build goes to a folder of its own and is published whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.index import engine
from brain_cli.index.catalogue import Catalogue, Row, Told, told, told_line
from brain_cli.index.connect import connected
from brain_cli.index.place import Place, read_catalogue, write_catalogue
from brain_cli.index.plan import Plan, Source, Warn, plan, stale
from brain_cli.memory.events import MOVED, REVISED, Event, Mention
from brain_cli.notes.walk import File, walk

if TYPE_CHECKING:
    from brain_cli.index import IndexWriter
    from brain_cli.types import Note

Progress = Callable[[int, int], None]
# Takes events for the history; their time is the taker's to fill in.
Record = Callable[[list[Event]], None]
# A file written within the clock's grain of being read may change again without its time changing.
FRESH_NS = 50_000_000


class Bound(NamedTuple):
    """How much a refresh may take in while somebody waits for it: changed notes, and seconds."""

    notes: int
    seconds: float


class BehindError(Exception):
    """More has changed than the bound allows; the index stands as it was. `changed` counts notes."""

    def __init__(self, changed: int) -> None:
        super().__init__(changed)
        self.changed = changed


class Vault(NamedTuple):
    """A folder of notes: its path, and the top-level folders whose notes are archived."""

    folder: str
    archive_folders: tuple[str, ...]


class Refreshed(NamedTuple):
    """What a refresh did, in notes and fragments; `rebuilt` tells why a full build was needed, if it was."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0
    notes: int = 0
    fragments: int = 0
    rebuilt: str = ""


def refresh(
    vault: Vault,
    place: Place,
    warn: Warn,
    progress: Progress,
    *,
    full: bool = False,
    wait_seconds: float = 0.0,
    bound: Bound | None = None,
    record: Record | None = None,
) -> Refreshed:
    """Bring the index of a vault up to date; LockedError when another process does so for longer than `wait_seconds`.

    A vault that has not changed costs one walk over its folders: neither lock nor engine is touched.
    BehindError when more has changed than `bound` allows; a full build knows no bound.
    """
    place.prepare()
    files = walk(vault.folder, warn)
    catalogue, why = read_catalogue(place)
    if catalogue and not full:
        fresh, gone = stale(files, catalogue)
        if not fresh and not gone:
            return _outcome(Plan(), catalogue, "")
        if bound:
            progress = _within(bound, len(fresh) + len(gone), progress)
    with place.lock(wait_seconds):
        catalogue, why = read_catalogue(place)
        if catalogue is None or full:
            return _build(vault, place, files, warn, progress, why)
        found = plan(vault.folder, files, catalogue, warn)
        build = place.build()
        assert build is not None
        after = Writing(build, vault, catalogue, warn, progress).apply(found)
        if record and (found.renamed or found.changed):
            record(_events(found, after))
        return _outcome(found, after, "")


def _within(bound: Bound, changed: int, progress: Progress) -> Progress:
    """Return a progress that ends a refresh which takes too long."""
    if changed > bound.notes:
        raise BehindError(changed)
    until = time.monotonic() + bound.seconds

    def watched(done: int, total: int) -> None:
        if time.monotonic() > until:
            raise BehindError(changed)
        progress(done, total)

    return watched


def _build(vault: Vault, place: Place, files: list[File], warn: Warn, progress: Progress, why: str) -> Refreshed:
    """Read the whole vault into a new folder, then let it be the current one."""
    build = place.new_build()
    try:
        engine().create(str(build))
        found = plan(vault.folder, files, Catalogue(), warn)
        after = Writing(build, vault, Catalogue(), warn, progress).apply(found)
        place.publish(build)
    except BaseException:
        place.discard(build)
        raise
    return _outcome(found, after, why)


def _events(found: Plan, after: Catalogue) -> list[Event]:
    """Return what the history should know of a refresh: notes that moved, and notes with new content."""
    moved = [Event(0.0, MOVED, [_mention(after, row)], row.path) for row, _ in found.renamed]
    return moved + [Event(0.0, REVISED, [_mention(after, row)]) for row, _ in found.changed]


def _mention(after: Catalogue, before: Row) -> Mention:
    row = after.rows[before.note_id]
    return Mention(row.path, row.content_hash, after.facts(row.note_id).timestamp)


def _outcome(found: Plan, after: Catalogue, why: str) -> Refreshed:
    return Refreshed(
        added=len(found.added),
        changed=len(found.changed),
        removed=len(found.removed),
        renamed=len(found.renamed),
        notes=len(after.rows),
        fragments=after.fragments,
        rebuilt=why,
    )


class Writing:
    """One plan on its way into one build."""

    def __init__(self, build: Path, vault: Vault, before: Catalogue, warn: Warn, progress: Progress) -> None:
        self._build = build
        self._vault = vault
        self._before = before
        self._warn = warn
        self._progress = progress
        self._started_ns = time.time_ns()

    def apply(self, plan: Plan) -> Catalogue:
        """Return the catalogue as it is afterwards; until then readers see the index as it was."""
        after = Catalogue(self._before.generation, self._before.next_id, dict(self._before.rows))
        for row in plan.removed:
            del after.rows[row.note_id]
        for row, file in plan.touched:
            after.rows[row.note_id] = self._touched(row, file)
        if plan.size:
            self._write(plan, after)
        elif plan.touched or not self._before.generation:
            write_catalogue(self._build, after)
        return after

    def _write(self, plan: Plan, after: Catalogue) -> None:
        writer = engine().writer(str(self._build))
        try:
            rewritten = [*plan.changed, *plan.renamed]
            writer.delete([row.note_id for row in plan.removed] + [row.note_id for row, _ in rewritten])
            sources = [(row.note_id, source) for row, source in rewritten]
            sources += enumerate(plan.added, start=after.next_id)
            after.next_id += len(plan.added)
            for done, (note_id, source) in enumerate(sources):
                self._progress(done, len(sources))
                after.rows[note_id] = self._row(writer, note_id, source)
            after = connected(after, self._before.rows)
            after.generation = writer.generation
            write_catalogue(self._build, after)
            writer.commit()
        except BaseException:
            writer.cancel()
            raise

    def _row(self, writer: IndexWriter, note_id: int, source: Source) -> Row:
        from brain_cli.notes.bigrams import sketch

        note = self._note(source)
        if note.warning:
            self._warn(source.file.path, note.warning)
        body = "\n".join(fragment.text for fragment in note.fragments)
        return Row(
            note_id=note_id,
            path=source.file.path,
            size=source.file.size,
            mtime_ns=self._settled(source.file),
            content_hash=source.content_hash,
            dated=note.dated,
            language=note.language,
            fragments=len(note.fragments),
            length=writer.add(note_id, note, note.language or self._before.languages[0]),
            archived=note.facts.archived,
            project=(note.facts.project or "").casefold(),
            tags=[tag.casefold() for tag in note.facts.tags],
            successors=[],
            neighbours=[],
            line=told_line(Told(note.facts, list(note.links), sketch(body))),
        )

    def _note(self, source: Source) -> Note:
        from brain_cli.notes.decode import decode
        from brain_cli.notes.parse import parse_note

        decoded = decode(source.raw)
        modified = source.file.mtime_ns / 1e9
        note = parse_note(source.file.path, decoded.text, modified, self._vault.archive_folders)
        return note if note.warning else note._replace(warning=decoded.warning)

    def _touched(self, row: Row, file: File) -> Row:
        """An undated note is as old as its file, so a touch changes its timestamp though not its words."""
        line = row.line
        if not row.dated:
            known = told(row)
            line = told_line(
                known._replace(facts=known.facts._replace(timestamp=file.mtime_ns / 1e9, superseded=False))
            )
        return row._replace(mtime_ns=self._settled(file), line=line)

    def _settled(self, file: File) -> int:
        # A time in the future is as good as any: only one that is now can repeat.
        fresh = self._started_ns - FRESH_NS <= file.mtime_ns <= time.time_ns() + FRESH_NS
        return -1 if fresh else file.mtime_ns
