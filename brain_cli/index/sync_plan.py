"""The difference between a vault and its note table, and how much of it is read while a
user waits.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from brain_cli.files import NotRegularError, read_beginning
from brain_cli.index.note_rows import NoteRow
from brain_cli.index.note_table import NoteTable
from brain_cli.record import Record
from brain_cli.types import DATE_SOURCES
from brain_cli.vault.atomic_write import hash_of
from brain_cli.vault.walk import File, Listing

Warn = Callable[[str, str], None]
# A function that is called with the number of notes read so far, and of all.
Progress = Callable[[int, int], None]
# A function that is called before each note, and raises an exception to end the refresh.
Check = Callable[[], None]
# A longer file is cut, so that it does not fill the memory: random words need about seventy times
# their size.
MAX_BYTES = 8 * 1024 * 1024
TOO_LONG = f"it is longer than {MAX_BYTES >> 20} MB, so only its beginning is read"
# More changes are committed in portions, so that a refresh that is killed loses one portion, not
# all. Each portion resolves links again, which takes a tenth of the time.
PORTION_NOTES = 10_000
PORTION_BYTES = 64 * 1024 * 1024
# The first portion of a first index that a recall builds: it shows how quickly notes are read.
FIRST_NOTES = 1_000


class IndexedVault(NamedTuple):
    """A folder of notes: its path, the top-level folders whose notes are archived, and the sources
    of dates.
    """

    folder: str
    archive_folders: tuple[str, ...]
    date_sources: tuple[str, ...] = DATE_SOURCES

    @property
    def rules(self) -> bytes:
        """Return the settings that affect how a note is read, as one text to compare with that of
        an index.
        """
        settings = [*self.archive_folders, "", *self.date_sources]
        if os.path.exists(f"{self.folder}/logseq"):
            # Imported here, because every recall comes along, and few vaults are Logseq's.
            from brain_cli.vault.logseq import title_format

            settings.append(title_format(self.folder))
        return "\t".join(settings).encode("utf-8", "surrogateescape")


class Source(Record):
    """A note that has to be read: its file as listed, its bytes and their hash; `raw` is None until
    it is read.
    """

    file: File
    raw: bytes | None = None
    content_hash: str = ""


class Plan:
    """The work of a refresh: notes by id, by their former row, or as a new source."""

    def __init__(self) -> None:
        self.added: list[Source] = []
        self.changed: list[tuple[int, Source]] = []
        self.removed: list[NoteRow] = []
        self.renamed: list[tuple[NoteRow, Source]] = []
        self.touched: list[tuple[NoteRow, File]] = []

    @property
    def size(self) -> int:
        """The number of notes to add to the index or remove from it."""
        return len(self.added) + len(self.changed) + len(self.removed) + len(self.renamed)

    @property
    def read(self) -> list[File]:
        """The files that were opened."""
        sources = (*self.added, *(source for _, source in (*self.changed, *self.renamed)))
        return [*(source.file for source in sources), *(file for _, file in self.touched)]


def count_stale(listing: Listing, note_table: NoteTable) -> int:
    """Return the number of notes that differ from the note table: new, changed and deleted ones."""
    return len(listing.files) + len(_missing_paths(listing, note_table))


def _missing_paths(listing: Listing, note_table: NoteTable) -> list[str]:
    """Return the paths of the note table that the walk has not found."""
    changed = [file.path for file in listing.files if file.path in note_table.ids]
    if len(listing.unchanged) + len(changed) == len(note_table.ids):
        return []
    found = {*listing.unchanged, *changed}
    return [path for path in note_table.ids if path not in found]


def missing_rows(listing: Listing, note_table: NoteTable) -> list[NoteRow]:
    """Return the rows of the notes that the walk has not found."""
    return [
        note_table.rows[note_table.ids[path]] for path in _missing_paths(listing, note_table)
    ]


def plan(
    vault: str,
    files: Iterable[File],
    missing: list[NoteRow],
    note_table: NoteTable,
    warn: Warn,
    check: Check,
) -> Plan:
    """Compare new and changed files with the note table; `missing` are the rows whose files are
    gone.
    """
    missing_by_hash = {row.content_hash: row for row in missing}
    found = Plan()
    for file in files:
        check()
        note_id = note_table.ids.get(file.path)
        if note_id is None and not missing_by_hash:
            # No note can have been renamed, so the file is read later, by several processes.
            found.added.append(Source(file))
            continue
        source = read_source(vault, file, warn)
        if source is None:
            continue
        if note_id is None and source.content_hash in missing_by_hash:
            found.renamed.append((missing_by_hash.pop(source.content_hash), source))
        elif note_id is None:
            found.added.append(source)
        elif note_table.value("content_hash", note_id) == source.content_hash:
            found.touched.append((note_table.rows[note_id], file))
        else:
            found.changed.append((note_id, source))
    kept = {row.note_id for row, _ in found.renamed}
    found.removed = [row for row in missing if row.note_id not in kept]
    return found


def portions(files: list[File]) -> Iterator[list[File]]:
    """Split files into portions that are committed one by one; at least one, which may be empty."""
    start = 0
    size = 0
    for number, file in enumerate(files):
        if number > start and (
            number - start >= PORTION_NOTES or size + file.size > PORTION_BYTES
        ):
            yield files[start:number]
            start = number
            size = 0
        size += file.size
    yield files[start:]


def read_source(vault: str, file: File, warn: Warn) -> Source | None:
    """Read a listed note; None, with a warning, if it cannot be read."""
    try:
        # If the file was replaced by a link since it was listed, the link is not followed.
        raw = read_beginning(f"{vault}/{file.path}", MAX_BYTES + 1, os.O_NOFOLLOW)
    except NotRegularError:
        return None
    except OSError as error:
        warn(file.path, f"it cannot be read: {(error.strerror or str(error)).lower()}")
        return None
    if len(raw) > MAX_BYTES:
        raw = raw[: raw.rfind(b"\n", 0, MAX_BYTES) + 1] or raw[:MAX_BYTES]
        warn(file.path, TOO_LONG)
    return Source(file, raw, hash_of(raw))


class RefreshLimit(Record):
    """The limit of a refresh: the number of changed notes, their total bytes, and seconds of this
    process's CPU time.

    Up to `always` notes of this size have no limit of time: a note just written is found, however
    busy the machine is.
    """

    notes: int
    size: int
    seconds: float
    always: int = 20
    clock: Callable[[], float] = time.process_time


class BehindError(Exception):
    """A bounded refresh was abandoned, so the index is unchanged.

    `changed` counts the notes that it lacks; `why` is the reason, empty if only the time was too
    short.
    """

    def __init__(self, changed: int, why: str = "") -> None:
        super().__init__(changed, why)
        self.changed = changed
        self.why = why


class Countdown:
    """Raises BehindError once a refresh has used up its limit; without a limit it never does.

    The clock is checked twice for each note: before it is opened, and before it is written to the
    index. A single note cannot take long, because the size of all changed notes is limited before
    the clock starts.
    """

    def __init__(self, limit: RefreshLimit | None) -> None:
        self.limit = limit
        self._changed = 0
        self._until: float | None = None

    def admit(self, listing: Listing, note_table: NoteTable) -> None:
        """Refuse a listing with more changes than the limit allows."""
        if not self.limit:
            return
        self._changed = count_stale(listing, note_table)
        if (
            self._changed > self.limit.notes
            or sum(file.size for file in listing.files) > self.limit.size
        ):
            raise BehindError(self._changed)

    def start(self) -> None:
        """Start the clock: after the wait for the lock, because its holder may do this refresh's
        work meanwhile.
        """
        if self.limit and self._changed > self.limit.always:
            self._until = self.limit.clock() + self.limit.seconds

    def check(self) -> None:
        """Raise BehindError if the time is used up."""
        if self.limit and self._until is not None and self.limit.clock() > self._until:
            raise BehindError(self._changed)


def stale_answer(behind: int) -> str:
    """Return the sentence that an answer lacks this many changed notes."""
    lacks = "1 changed note is" if behind == 1 else f"{behind:,} changed notes are"
    return f"This answer may be stale: {lacks} not in the index yet."
