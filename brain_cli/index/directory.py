"""The cache folder of a vault's index: its path, its lock, and the current build in it.

    ~/.cache/brain/NAME-KEY/          one folder a vault, private to the user
        lock                          held by the process that refreshes
        current                       the name of the current build; replaced by rename
        build-…/                      an engine's files, and the note table (see `note_rows`)

Whoosh unpickles what it reads, so nothing here is opened before owner and mode of the folder are
checked.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from brain_cli.errors import IndexUnusableError
from brain_cli.files import lock_file
from brain_cli.index import GENERATION_FILE
from brain_cli.index.damage import BrokenIndexError
from brain_cli.index.note_rows import Columns
from brain_cli.index.note_table import NoteTable, dump, load
from brain_cli.paths import vault_name
from brain_cli.vault.atomic_write import remove_leftovers, replace_file, sync

if TYPE_CHECKING:
    from mmap import mmap

POINTER = "current"
# The files beside the build: a folder in the place of one is removed.
FILES = (POINTER, "lock", "ignored.json")
# No process takes as long as this to write a single file.
WRITING_SECONDS = 3600.0
# The identity of the current note table: its path, inode and time of change.
Stamp = tuple[str, int, int]


class LockedError(Exception):
    """Another process is refreshing this index."""


class UnwritableError(IndexUnusableError):
    """The cache folder cannot be written, and there is no index in it to answer from."""


class IndexDirectory:
    """The cache folder of one vault."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # The note table read last: a command reads the same one several times, and a daemon many
        # times.
        self.known: tuple[Stamp, NoteTable] | None = None

    def prepare(self) -> None:
        """Make the folder, private to the user; IndexUnusableError if it belongs to
        another user.
        """
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.folder.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise UnwritableError(
                f"The index folder {self.folder} cannot be made: {error.strerror}.",
                "Point XDG_CACHE_HOME at a folder you may write to.",
            ) from None
        self.check_owner()
        for name in FILES:
            if os.path.isdir(self.folder / name):
                self.discard(self.folder / name)

    def check_owner(self) -> None:
        """Refuse a folder that another user owns or may write to."""
        for folder in (self.folder.parent, self.folder):
            status = folder.lstat()
            if (
                stat.S_ISDIR(status.st_mode)
                and status.st_uid == os.geteuid()
                and not status.st_mode & 0o022
            ):
                continue
            raise IndexUnusableError(
                f"The index folder {folder} is not yours alone, so it is not opened.",
                f"Delete it, or make it yours: chown {os.geteuid()} and chmod 700.",
            )

    def build(self) -> Path | None:
        """Return the folder of the current build; None if there is no build."""
        try:
            name = (self.folder / POINTER).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return None
        folder = self.folder / name
        return (
            folder
            if name.startswith("build-") and "/" not in name and os.path.isdir(folder)
            else None
        )

    def new_build(self) -> Path:
        """Make an empty folder for a full build, next to the current one."""
        folder = self.folder / f"build-{time.time_ns():x}"
        folder.mkdir(mode=0o700)
        return folder

    def discard(self, build: Path) -> None:
        """Remove an unfinished build, or a folder in the place of a file."""
        # Imported here, because a recall removes nothing.
        import shutil

        shutil.rmtree(build, ignore_errors=True)

    def discard_abandoned(self) -> None:
        """Remove the builds and temporary files of killed processes; the caller holds the lock."""
        current = self.build()
        for other in self.folder.glob("build-*"):
            if other != current:
                self.discard(other)
        if current:
            remove_leftovers(current)
        # Next to the build, some files are written without the lock.
        remove_leftovers(self.folder, WRITING_SECONDS)

    def publish(self, build: Path) -> None:
        """Make a finished build the current one, durably, and remove the others."""
        for name in os.listdir(build):
            sync(build / name)
        sync(build)
        replace_file(self.folder / POINTER, build.name.encode())
        for other in self.folder.glob("build-*"):
            if other != build:
                self.discard(other)

    @contextlib.contextmanager
    def lock(self, wait_seconds: float) -> Iterator[None]:
        """Hold the lock of this index; LockedError if it is not free in time. It is freed when its
        holder dies.
        """
        with open(self.folder / "lock", "w") as file:
            if not lock_file(file.fileno(), wait_seconds):
                raise LockedError
            yield


def index_directory_of(vault: str, cache_home: str) -> IndexDirectory:
    """Return the folder of a vault's index, named after the vault with a hash of its real path."""
    return IndexDirectory(Path(cache_home) / "brain" / vault_name(vault))


def generation(build: Path) -> int:
    """Return the newest generation that the engine has committed in a build; -1 for none."""
    names = (re.fullmatch(GENERATION_FILE, name) for name in os.listdir(build))
    return max((int(name[1]) for name in names if name), default=-1)


def read_note_table(index_directory: IndexDirectory) -> NoteTable | None:
    """Return the note table of the current generation; None if there is no build.

    Raise BrokenIndexError if it cannot be read.
    """
    for _ in range(10):
        build = index_directory.build()
        if build is None:
            return None
        try:
            stamp = _stamp_of(_note_table_path(build, generation(build)))
            # Another thread may replace `known` with another generation, so a local variable keeps
            # this one.
            known = index_directory.known
            if known is None or known[0] != stamp:
                is_of_build = known and os.path.dirname(known[0][0]) == str(build)
                base = known[1].rows.base if known and is_of_build else Columns()
                known = stamp, read_build(build, base)
                index_directory.known = known
            return known[1]
        except FileNotFoundError:
            # A refresh has just replaced the file.
            time.sleep(0.01)
        except OSError as error:
            raise BrokenIndexError from error
    raise BrokenIndexError


def read_build(build: Path, base: Columns | None = None) -> NoteTable:
    """Return the note table of a build's newest generation, on this base if it is the right one."""
    path = _note_table_path(build, generation(build))
    return load(_mapped(path), base or Columns(), partial(_mapped_base, build))


def safe_note_table(directory: IndexDirectory) -> NoteTable | None:
    """Return the note table of an index; None if there is none that can be read, or others can
    write its folder.
    """
    try:
        directory.check_owner()
        if table := read_note_table(directory):
            table.rows.read_all()  # which finds damage
        return table
    except (IndexUnusableError, BrokenIndexError, OSError):
        return None


def _mapped(path: Path) -> mmap:
    """Map a file into memory. Files are replaced, never changed in place, so the mapped content
    stays valid.
    """
    from mmap import ACCESS_READ, mmap

    with open(path, "rb") as file:
        try:
            return mmap(file.fileno(), 0, access=ACCESS_READ)
        except ValueError:  # the file is empty
            raise BrokenIndexError from None


def _mapped_base(build: Path, number: int) -> Columns:
    return Columns(_mapped(_base_path(build, number)), number)


def stamp(index_directory: IndexDirectory) -> Stamp | None:
    """Return the stamp of the current note table; None if there is none."""
    try:
        build = index_directory.build()
        return _stamp_of(_note_table_path(build, generation(build))) if build else None
    except OSError:
        return None


def _stamp_of(path: Path) -> Stamp:
    status = path.stat()
    return str(path), status.st_ino, status.st_mtime_ns


def write_note_table(build: Path, note_table: NoteTable) -> None:
    """Write a note table, and remove the tables of earlier generations."""

    def write_base(number: int, content: Iterable[bytes]) -> None:
        replace_file(_base_path(build, number), content)

    replace_file(_note_table_path(build, note_table.generation), dump(note_table, write_base))
    oldest = min(note_table.generation, generation(build))
    _remove_below(build, "catalogue-*.jsonl", oldest)
    # The note table of the current generation has this base, and a new one has a higher number.
    _remove_below(build, "base-*.notes", note_table.rows.base.number)


def _remove_below(build: Path, pattern: str, number: int) -> None:
    for old in build.glob(pattern):
        if int(old.stem.partition("-")[2]) < number:
            old.unlink(missing_ok=True)


def _note_table_path(build: Path, number: int) -> Path:
    return build / f"catalogue-{number}.jsonl"


def _base_path(build: Path, number: int) -> Path:
    return build / f"base-{number}.notes"
