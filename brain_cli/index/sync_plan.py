"""The difference between a vault and its note table: added, changed, removed, renamed, or only touched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

from brain_cli.index.note_table import NoteRow, NoteTable
from brain_cli.regular_file import NotRegularError, read_beginning
from brain_cli.types import DATE_SOURCES
from brain_cli.vault.decode import hash_of
from brain_cli.vault.walk import File

Warn = Callable[[str, str], None]
# Is called with how many notes have been read, and how many there are.
Progress = Callable[[int, int], None]
# Of a longer file only the beginning is read, so that a runaway log does not fill the memory.
MAX_BYTES = 64 * 1024 * 1024


class Vault(NamedTuple):
    """A folder of notes: its path, the top-level folders whose notes are archived, and what dates a note, in order."""

    folder: str
    archive_folders: tuple[str, ...]
    date_sources: tuple[str, ...] = DATE_SOURCES

    @property
    def rules(self) -> bytes:
        """Return the settings that decide how a note is read, as they are compared with those of an index."""
        return "\n".join((*self.archive_folders, "", *self.date_sources)).encode("utf-8", "surrogateescape")


class Source(NamedTuple):
    """A note that has to be read: its file as listed, its bytes and their hash; `raw` is None until it is read."""

    file: File
    raw: bytes | None = None
    content_hash: str = ""


class Plan:
    """The work of a refresh. `renamed` pairs the row as it was with the new source."""

    def __init__(self) -> None:
        self.added: list[Source] = []
        self.changed: list[tuple[NoteRow, Source]] = []
        self.removed: list[NoteRow] = []
        self.renamed: list[tuple[NoteRow, Source]] = []
        self.touched: list[tuple[NoteRow, File]] = []

    @property
    def size(self) -> int:
        """The number of notes to be read into the index or taken out of it."""
        return len(self.added) + len(self.changed) + len(self.removed) + len(self.renamed)

    @property
    def read(self) -> list[File]:
        """The files that were opened."""
        sources = (*self.added, *(source for _, source in (*self.changed, *self.renamed)))
        return [*(source.file for source in sources), *(file for _, file in self.touched)]


def stale(files: Iterable[File], note_table: NoteTable) -> tuple[list[File], list[NoteRow]]:
    """Return the files whose size or time is not the note table's, and the rows whose file is gone."""
    known = dict(note_table.by_path)
    fresh = []
    for file in files:
        row = known.pop(file.path, None)
        if row is None or row.mtime_ns != file.mtime_ns or row.size != file.size:
            fresh.append(file)
    return fresh, list(known.values())


def plan(vault: str, files: Iterable[File], note_table: NoteTable, warn: Warn) -> Plan:
    """Compare a vault's files with the note table: by size and time first, then by content.

    A full build compares nothing, so its files are read later, by several processes, and never all held in memory.
    """
    if not note_table.rows:
        everything = Plan()
        everything.added = [Source(file) for file in files]
        return everything
    fresh, gone = stale(files, note_table)
    lost = {row.content_hash: row for row in gone}
    found = Plan()
    for file in fresh:
        source = read_source(vault, file, warn)
        if source is None:
            continue
        row = note_table.by_path.get(file.path)
        if row is None and source.content_hash in lost:
            found.renamed.append((lost.pop(source.content_hash), source))
        elif row is None:
            found.added.append(source)
        elif row.content_hash == source.content_hash:
            found.touched.append((row, file))
        else:
            found.changed.append((row, source))
    kept = {row.note_id for row, _ in found.renamed}
    found.removed = [row for row in gone if row.note_id not in kept]
    return found


def read_source(vault: str, file: File, warn: Warn) -> Source | None:
    """Read a note that was listed; None, with a warning, when it cannot be read."""
    try:
        # A file that was swapped for a link since it was listed is not followed.
        raw = read_beginning(f"{vault}/{file.path}", MAX_BYTES + 1, os.O_NOFOLLOW)
    except NotRegularError:
        return None
    except OSError as error:
        warn(file.path, f"it cannot be read: {(error.strerror or str(error)).lower()}")
        return None
    if len(raw) > MAX_BYTES:
        raw = raw[: raw.rfind(b"\n", 0, MAX_BYTES) + 1] or raw[:MAX_BYTES]
        warn(file.path, f"it is longer than {MAX_BYTES >> 20} MB, so only its beginning is read")
    return Source(file, raw, hash_of(raw))
