"""The vectors of a vault's passages, in two files that only grow: rows of whole numbers, and whose they are.

    NAME.vectors    one row for each passage: its scale (float32), then its components (int8)
    NAME.notes      one line for each embedded note: its key, its first row, how many rows

A note's line is written after its rows have reached the disk, so that an embedding that was interrupted goes on after
the last line. A note that has changed has another key; the rows of the old one are left out when the files are
written anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from brain_cli.meaning.int8 import as_int8

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from brain_cli.index.note_table import NoteRow

# Raised when passages are cut, or texts made of them, in another way.
VECTORS_VERSION = 1


class Rows(NamedTuple):
    """The position of a note's vectors in the file."""

    first: int
    number: int


class BusyError(Exception):
    """Another process is embedding this vault."""


class VectorStore:
    """The vectors of one vault by one model; `folder` is private to the user."""

    def __init__(self, folder: Path, name: str, dimensions: int) -> None:
        stem = f"meaning-{VECTORS_VERSION}-{name}"
        self._vectors, self._notes = folder / f"{stem}.vectors", folder / f"{stem}.notes"
        self._lock = folder / f"{stem}.lock"
        self._dtype = np.dtype([("scale", "<f4"), ("values", "i1", (dimensions,))])

    def notes(self) -> dict[str, Rows]:
        """Return the rows of each embedded note by its key; a line that was cut off is left out."""
        try:
            text = self._notes.read_text(encoding="utf-8", errors="surrogateescape")
        except FileNotFoundError:
            return {}
        most = self._size()
        found = (_parsed(line) for line in text.split("\n")[:-1])
        return {key: rows for key, rows in filter(None, found) if rows.first + rows.number <= most}

    def matrix(self) -> NDArray[np.void]:
        """Return all rows, mapped into memory."""
        if not self._size():
            return np.empty(0, self._dtype)
        return np.memmap(self._vectors, self._dtype, "r", shape=(self._size(),))

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock of the two files; BusyError where another process holds it."""
        with open(self._lock, "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BusyError from None
            yield

    def append(self, notes: Sequence[tuple[str, int]], vectors: NDArray[np.float32]) -> None:
        """Add some notes: the key and the number of passages of each, and the vectors of all of them in order."""
        first = self._size()
        rows = np.empty(len(vectors), self._dtype)
        rows["values"], rows["scale"] = as_int8(vectors)
        _append(self._vectors, rows.tobytes(), first * self._dtype.itemsize)
        lines = []
        for key, count in notes:
            lines.append(f"{first} {count} {key}\n")
            first += count
        _append(self._notes, "".join(lines).encode("utf-8", "surrogateescape"), self._whole_lines())

    def keep_only(self, keys: Iterable[str]) -> None:
        """Write the files anew with the vectors of these notes where most rows belong to none of them."""
        known = self.notes()
        kept = {key: known[key] for key in keys if key in known}
        if 2 * sum(rows.number for rows in kept.values()) >= self._size():
            return
        matrix = self.matrix()
        parts = [matrix[rows.first : rows.first + rows.number] for rows in kept.values()]
        content = np.concatenate(parts).tobytes() if parts else b""
        # Without its notes file a reader finds no vectors, which is safe at any moment.
        self._notes.unlink(missing_ok=True)
        temporary = self._vectors.with_suffix(".tmp")
        temporary.write_bytes(content)
        os.replace(temporary, self._vectors)
        first, lines = 0, []
        for key, rows in kept.items():
            lines.append(f"{first} {rows.number} {key}\n")
            first += rows.number
        _append(self._notes, "".join(lines).encode("utf-8", "surrogateescape"), 0)

    def _size(self) -> int:
        with contextlib.suppress(FileNotFoundError):
            return self._vectors.stat().st_size // self._dtype.itemsize
        return 0

    def _whole_lines(self) -> int:
        with contextlib.suppress(FileNotFoundError):
            return self._notes.read_bytes().rfind(b"\n") + 1
        return 0


def note_key(row: NoteRow) -> str:
    """Return what a note's vectors are found by: its content, and its file name, which may be its title."""
    return f"{row.content_hash} {os.path.basename(row.path)}"


def _parsed(line: str) -> tuple[str, Rows] | None:
    first, count, key = [*line.split(" ", 2), "", "", ""][:3]
    return (key, Rows(int(first), int(count))) if first.isdecimal() and count.isdecimal() else None


def _append(path: Path, content: bytes, at: int) -> None:
    """Write content at a place, where a write that was cut off may have left something; wait for the disk."""
    with open(path, "r+b" if path.exists() else "w+b") as file:
        file.truncate(at)
        file.seek(at)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
