"""Update the index from the vault. Only this module writes the index, and only under the index's
lock.

Changes are added to the current build. A full build is written to a new folder and published as a
whole.
"""

import contextlib
import gc
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from math import inf
from pathlib import Path

from brain_cli.files import read_regular
from brain_cli.history.log import MOVED, REVISED, Event, Mention
from brain_cli.index import engine
from brain_cli.index.damage import BrokenIndexError, seal, unsealed
from brain_cli.index.directory import (
    IndexDirectory,
    LockedError,
    read_build,
    read_note_table,
    stamp,
)
from brain_cli.index.note_rows import NoteRow
from brain_cli.index.note_table import NoteTable
from brain_cli.index.sync_plan import (
    FIRST_NOTES,
    PORTION_NOTES,
    BehindError,
    Countdown,
    Plan,
    RefreshLimit,
    count_stale,
    missing_rows,
    plan,
    portions,
)
from brain_cli.index.sync_plan import IndexedVault as IndexedVault
from brain_cli.index.sync_plan import Progress as Progress
from brain_cli.index.sync_plan import Warn as Warn
from brain_cli.record import Record
from brain_cli.vault.atomic_write import replace_file
from brain_cli.vault.walk import File, FolderVerdict, Listing, walk_from

# A function that takes events for the history, and fills in their time.
RecordEvents = Callable[[list[Event]], None]


# The cached ignored names of each folder, so that an unchanged vault needs no pattern matching.
# They are written only if the index has exactly the notes that the same walk found: the next walk
# assumes that none of them is ignored.
VERDICTS_FILE = "ignored.json"
MAX_VERDICTS_BYTES = 256 * 1024 * 1024
Verdicts = Mapping[str, FolderVerdict]


class Refreshed(Record):
    """The outcome of a refresh, in notes and fragments; `rebuilt` is the reason why a damaged index
    was rebuilt.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0
    notes: int = 0
    fragments: int = 0
    rebuilt: str = ""


def refresh(
    vault: IndexedVault,
    index_directory: IndexDirectory,
    warn: Warn,
    progress: Progress,
    *,
    full: bool = False,
    wait_seconds: float = 0.0,
    limit: RefreshLimit | None = None,
    first_seconds: float = inf,
    record: RecordEvents | None = None,
) -> Refreshed:
    """Bring the index of a vault up to date; LockedError if another process does so for longer than
    `wait_seconds`.

    For an unchanged vault this is one walk over its folders, without lock and engine. BehindError
    if more has changed than `limit` allows, or if the index cannot be written within it; a full
    build has no limit. A first index ends with BehindError, too, if it is not complete after
    `first_seconds`: what was read is published, and the next refresh goes on. BrokenIndexError if
    the index is damaged, unless this is a full build.
    """
    return _Refresh(
        vault=vault,
        directory=index_directory,
        warn=warn,
        progress=progress,
        record=record,
        countdown=Countdown(limit),
        first_seconds=first_seconds,
    ).run(full, wait_seconds)


class _Refresh(Record):
    """One refresh of a vault's index, with the functions that take its warnings, progress and
    events.
    """

    vault: IndexedVault
    directory: IndexDirectory
    warn: Warn
    progress: Progress
    record: RecordEvents | None
    countdown: Countdown
    first_seconds: float = inf

    def run(self, full: bool, wait_seconds: float) -> Refreshed:
        self.directory.prepare()
        before = stamp(self.directory)
        note_table = None if full else read_note_table(self.directory)
        if note_table and note_table.rules != self.vault.rules:
            # Under other settings the same files are read differently, so the index is stale
            # without changed files.
            full = True
            note_table = None
        known = _load_verdicts(self.directory.folder) if note_table else {}
        listing = self._walked(note_table, known)
        if note_table:
            if not count_stale(listing, note_table):
                if listing.verdicts != known:
                    _save_verdicts(self.directory.folder, listing.verdicts)
                return _outcome(Plan(), note_table)
            self.countdown.admit(listing, note_table)
        try:
            with self.directory.lock(wait_seconds):
                self.directory.discard_abandoned()
                if not full and stamp(self.directory) != before:
                    # Another process has refreshed the index in the meantime.
                    note_table = read_note_table(self.directory)
                    listing = self._walked(note_table, {})
                    if note_table:
                        self.countdown.admit(listing, note_table)
                self.countdown.start()
                return self._apply(listing, note_table)
        except (LockedError, OSError) as error:
            if not note_table or not self.countdown.limit:
                raise
            why = (
                "" if isinstance(error, LockedError) else error.strerror or type(error).__name__
            )
            # Another process may have indexed all changes in the meantime. The refresh itself
            # prints the warnings.
            note_table = read_note_table(self.directory) or NoteTable()
            listing = walk_from(self.vault.folder, lambda *_: None, {}, note_table.file_states)
            if changed := count_stale(listing, note_table):
                raise BehindError(changed, why) from None
            return Refreshed()

    def _walked(self, note_table: NoteTable | None, known: Verdicts) -> Listing:
        return walk_from(
            self.vault.folder, self.warn, known, note_table.file_states if note_table else {}
        )

    def _apply(self, listing: Listing, note_table: NoteTable | None) -> Refreshed:
        """Index the listed changes, or rebuild the index.

        A first index is published in portions, too. A rebuilt one replaces the old one as a whole.
        """
        files = listing.files
        total = len(files)
        current = self.directory.build()
        if note_table:
            if not current:
                raise BrokenIndexError
            missing = missing_rows(listing, note_table)
            done = self._write(current, portions(files), missing, note_table, total)
        else:
            build = self.directory.new_build()
            parts = _taken_portions(files, inf if current else self.first_seconds)
            done = self._build(build, parts if current else islice(parts, 1), total)
            before = read_build(build)
            done = _sum(done, self._write(build, parts, [], before, total, read=before.notes))
        _save_verdicts(self.directory.folder, listing.verdicts)
        return done

    def _build(self, build: Path, parts: Iterable[list[File]], total: int) -> Refreshed:
        """Read files into a new build, then make it the current one."""
        try:
            engine().create(str(build))
            done = self._write(build, parts, [], NoteTable(rules=self.vault.rules), total)
            self.directory.publish(build)
        except BaseException:
            self.directory.discard(build)
            raise
        return done

    def _write(
        self,
        build: Path,
        parts: Iterable[list[File]],
        missing: list[NoteRow],
        note_table: NoteTable,
        total: int,
        read: int = 0,
    ) -> Refreshed:
        """Write changes to a build, in portions; `read` notes were read before, of `total`."""
        # Imported here, because most refreshes have nothing to write.
        from brain_cli.index.sync_apply import Writing

        done = _outcome(Plan(), note_table)
        check = self.countdown.check
        for portion in parts:
            found = plan(self.vault.folder, portion, missing, note_table, self.warn, check)
            progress = partial(self._report, read, total)
            read += len(portion)
            if read < total:
                # A note of a later portion may turn out to be one of the missing notes, renamed.
                missing = found.removed
                found.removed = []
            writing = Writing(build, self.vault, note_table, self.warn, progress, check)
            after = writing.apply(found)
            if self.record and (found.renamed or found.changed):
                self.record(_events(found, after))
            done = _sum(done, _outcome(found, after))
            if read < total:
                note_table = read_build(build)
                # Whoosh leaves reference cycles, which would keep the memory of each portion.
                del found, writing, after
                gc.collect()
        return done

    def _report(self, read: int, total: int, done: int, count: int) -> None:
        self.progress(read + done, max(total, count))


def _taken_portions(files: list[File], seconds: float) -> Iterator[list[File]]:
    """Take the portions of a new index from its files; raise BehindError when the time for it is
    used up.
    """
    started = time.monotonic()
    total = len(files)
    left = FIRST_NOTES if seconds < inf else inf
    while True:
        portion = next(portions(files))[: int(min(left, PORTION_NOTES))]
        del files[: len(portion)]
        yield portion
        if not files:
            return
        read = total - len(files)
        used = time.monotonic() - started
        # How many notes can be read in the time that is left; few are not worth a portion.
        left = read * (seconds - used) / max(used, 0.001)
        if left < read / 4:
            raise BehindError(len(files))


def _events(found: Plan, after: NoteTable) -> list[Event]:
    """Return the events of a refresh for the history: moved notes, and notes with new content."""
    moved = [
        Event(0.0, MOVED, [_mention(after, row.note_id)], row.path) for row, _ in found.renamed
    ]
    return moved + [Event(0.0, REVISED, [_mention(after, each)]) for each, _ in found.changed]


def _mention(after: NoteTable, note_id: int) -> Mention:
    row = after.rows[note_id]
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


def _sum(done: Refreshed, then: Refreshed) -> Refreshed:
    """Return the outcome of two portions of a refresh: their changes, and the notes after the
    second.
    """
    return then._replace(
        added=done.added + then.added,
        changed=done.changed + then.changed,
        removed=done.removed + then.removed,
        renamed=done.renamed + then.renamed,
    )


def _load_verdicts(folder: Path) -> Verdicts:
    """Return the verdicts of the last refresh; none if they are lost or damaged."""
    try:
        table = json.loads(
            bytes(unsealed(read_regular(folder / VERDICTS_FILE, MAX_VERDICTS_BYTES)))
        )
        return {
            path: FolderVerdict(stamp, frozenset(ignored))
            for path, (stamp, ignored) in table.items()
        }
    except (OSError, BrokenIndexError, ValueError):
        return {}


def _save_verdicts(folder: Path, verdicts: Verdicts) -> None:
    """Write the verdicts of a refresh. If that fails, the next one takes longer."""
    table = {path: (stamp, sorted(ignored)) for path, (stamp, ignored) in verdicts.items()}
    with contextlib.suppress(OSError):
        replace_file(
            folder / VERDICTS_FILE,
            seal(json.dumps(table, separators=(",", ":")).encode("ascii")),
        )
