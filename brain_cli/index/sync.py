"""Vault → index, brought up to date. Nothing else writes it, and only under its one lock.

What changed is taken into the build that is there; a full build goes to a folder of its own and is published whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from brain_cli.index import engine
from brain_cli.index.damage import BrokenIndexError
from brain_cli.index.directory import IndexDirectory, LockedError, read_note_table, stamp
from brain_cli.index.ignore_cache import load_verdicts, save_verdicts
from brain_cli.index.note_table import NoteRow, NoteTable
from brain_cli.index.sync_plan import Plan, plan, stale
from brain_cli.index.sync_plan import Progress as Progress
from brain_cli.index.sync_plan import Vault as Vault
from brain_cli.index.sync_plan import Warn as Warn
from brain_cli.memory.events import MOVED, REVISED, Event, Mention
from brain_cli.vault.atomic_write import replace_file
from brain_cli.vault.walk import File, walk_from

# Takes events for the history; their time is the taker's to fill in.
Record = Callable[[list[Event]], None]


# The file that keeps the settings by which the notes of the index were read.
RULES = "rules"


class RefreshLimit(NamedTuple):
    """The most that a refresh may do while somebody waits for it: changed notes, and seconds."""

    notes: int
    seconds: float


class BehindError(Exception):
    """A bounded refresh did not come to its end, so the index stands as it was.

    `changed` counts the notes that it lacks; `why` tells what went wrong, and is empty where only time was short.
    """

    def __init__(self, changed: int, why: str = "") -> None:
        super().__init__(changed, why)
        self.changed = changed
        self.why = why


class Refreshed(NamedTuple):
    """The outcome of a refresh, in notes and fragments; `rebuilt` tells why a damaged index was built anew."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0
    notes: int = 0
    fragments: int = 0
    rebuilt: str = ""


def refresh(
    vault: Vault,
    index_directory: IndexDirectory,
    warn: Warn,
    progress: Progress,
    *,
    full: bool = False,
    wait_seconds: float = 0.0,
    bound: RefreshLimit | None = None,
    record: Record | None = None,
) -> Refreshed:
    """Bring the index of a vault up to date; LockedError when another process does so for longer than `wait_seconds`.

    A vault that has not changed costs one walk over its folders: neither lock nor engine is touched.
    BehindError when more has changed than `bound` allows, or when the index cannot be written within it; a full build
    knows no bound. BrokenIndexError when the index is damaged, unless it is built in full.
    """
    index_directory.prepare()
    before = stamp(index_directory)
    note_table = None if full else read_note_table(index_directory)
    # Other settings read the same files differently, so that no file has to change for it.
    full = full or bool(note_table and _rules(index_directory) != vault.rules)
    known = load_verdicts(index_directory.folder) if note_table else {}
    files, verdicts = walk_from(vault.folder, warn, known, note_table.by_path if note_table else ())
    bounded = progress
    if note_table and not full:
        fresh, gone = stale(files, note_table)
        if not fresh and not gone:
            if verdicts != known:
                save_verdicts(index_directory.folder, verdicts)
            return _outcome(Plan(), note_table)
        if bound:
            bounded = _within(bound, len(fresh) + len(gone), progress)
    try:
        with index_directory.lock(wait_seconds):
            if stamp(index_directory) != before:
                # Another process has refreshed the index since: a note that it added is missing in the older list.
                files, verdicts = walk_from(vault.folder, warn, {}, ())
            done = _taken_in(vault, index_directory, files, warn, progress, bounded, record, full=full)
            save_verdicts(index_directory.folder, verdicts)
            if _rules(index_directory) != vault.rules:
                replace_file(index_directory.folder / RULES, vault.rules)
            return done
    except (LockedError, OSError) as error:
        if not note_table or not bound:
            raise
        why = "" if isinstance(error, LockedError) else error.strerror or type(error).__name__
        return _behind(vault, index_directory, why)


def _rules(index_directory: IndexDirectory) -> bytes:
    """Return the settings by which the notes were read; nothing where that is not known."""
    try:
        return (index_directory.folder / RULES).read_bytes()
    except OSError:
        return b""


def _behind(vault: Vault, index_directory: IndexDirectory, why: str) -> Refreshed:
    """Raise BehindError, unless another process has taken in every change meanwhile."""
    changed = count_changes(vault, index_directory)
    if changed:
        raise BehindError(changed, why)
    return Refreshed()


def count_changes(vault: Vault, index_directory: IndexDirectory) -> int:
    """Return how many notes have changed since they were indexed; 0 without an index."""
    note_table = read_note_table(index_directory)
    if note_table is None:
        return 0
    files, _ = walk_from(vault.folder, lambda _path, _why: None, {}, ())
    fresh, gone = stale(files, note_table)
    return len(fresh) + len(gone)


def _taken_in(
    vault: Vault,
    index_directory: IndexDirectory,
    files: list[File],
    warn: Warn,
    progress: Progress,
    bounded: Progress,
    record: Record | None,
    *,
    full: bool,
) -> Refreshed:
    """Take the files of a walk into the current build; make the first build where there is none."""
    note_table = None if full else read_note_table(index_directory)
    if note_table:
        return _update(vault, index_directory, files, note_table, warn, bounded, record)
    return _build(vault, index_directory, files, warn, progress)


def _within(bound: RefreshLimit, changed: int, progress: Progress) -> Progress:
    """Return a progress that ends a refresh which takes too long."""
    if changed > bound.notes:
        raise BehindError(changed)
    until = time.monotonic() + bound.seconds

    def watched(done: int, total: int) -> None:
        if time.monotonic() > until:
            raise BehindError(changed)
        progress(done, total)

    return watched


def _update(
    vault: Vault,
    index_directory: IndexDirectory,
    files: list[File],
    note_table: NoteTable,
    warn: Warn,
    progress: Progress,
    record: Record | None,
) -> Refreshed:
    """Take what has changed into the current build."""
    build = index_directory.build()
    if build is None:
        raise BrokenIndexError
    found = plan(vault.folder, files, note_table, warn)
    after = _applied(found, build, vault, note_table, warn, progress)
    if record and (found.renamed or found.changed):
        record(_events(found, after))
    return _outcome(found, after)


def _build(
    vault: Vault, index_directory: IndexDirectory, files: list[File], warn: Warn, progress: Progress
) -> Refreshed:
    """Read the whole vault into a new folder, then let it be the current one."""
    index_directory.discard_abandoned()
    build = index_directory.new_build()
    try:
        engine().create(str(build))
        found = plan(vault.folder, files, NoteTable(), warn)
        after = _applied(found, build, vault, NoteTable(), warn, progress)
        index_directory.publish(build)
    except BaseException:
        index_directory.discard(build)
        raise
    return _outcome(found, after)


def _applied(found: Plan, build: Path, vault: Vault, before: NoteTable, warn: Warn, progress: Progress) -> NoteTable:
    # Imported only now: most refreshes find nothing to write.
    from brain_cli.index.sync_apply import Writing

    return Writing(build, vault, before, warn, progress).apply(found)


def _events(found: Plan, after: NoteTable) -> list[Event]:
    """Return what the history should know of a refresh: notes that moved, and notes with new content."""
    moved = [Event(0.0, MOVED, [_mention(after, row)], row.path) for row, _ in found.renamed]
    return moved + [Event(0.0, REVISED, [_mention(after, row)]) for row, _ in found.changed]


def _mention(after: NoteTable, before: NoteRow) -> Mention:
    row = after.rows[before.note_id]
    return Mention(row.path, row.content_hash, after.metadata(row.note_id).timestamp)


def _outcome(found: Plan, after: NoteTable) -> Refreshed:
    return Refreshed(
        added=len(found.added),
        changed=len(found.changed),
        removed=len(found.removed),
        renamed=len(found.renamed),
        notes=len(after.rows),
        fragments=after.fragments,
    )
