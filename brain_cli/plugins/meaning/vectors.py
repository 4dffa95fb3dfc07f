"""Store the vectors of a vault's passages in three append-only files: rows of whole numbers,
tokens, and notes.

    NAME.tokens     the records of all passages (token_codes.py)
    NAME.vectors    one row for each passage: its position in the note, the place and the length of
                    its record, its scale (float32), its components (int8)
    NAME.notes      a line with the number of components; then one for each embedded note: its first
                    row, how many rows, its key

A note's line is written after its rows have reached the disk, so an interrupted embedding resumes
after the last line. A changed note has another key; the rows of the old key are dropped when the
files are rewritten.

A question's vector is compared with all rows: the cosine of each passage, and of each note.
"""

from __future__ import annotations

import mmap
import os
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import sqrt
from operator import mul
from pathlib import Path
from struct import Struct

from brain_cli.files import is_locked, lock_file
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import KeptVectors
from brain_cli.plugins.meaning.onnx_session import products
from brain_cli.record import Record

# Increased whenever passages are cut or turned into texts differently.
VECTORS_VERSION = 4
# What stands before the components of a row: the line of its passage, the index of its first piece
# (sentence or list item) on it, the number of its pieces; where its record begins, and its length;
# the scale.
HEAD = Struct("<IHHQIf")
MOST = 127
# A whole line of a note.
_LINE = re.compile(r"^([0-9]+) ([1-9][0-9]*) (.*)\n", re.MULTILINE)
MIN_DEVIATION = 1e-6
# So many standard deviations nearer than the notes on average, a note may be worth a link.
NEAR = 2.0
# Of 1 to 20 notes drawn from judged vaults, a deviation from the usual finds more right ones than
# their own deviation or a limit of the cosine.
USUAL_NOTES = 48


class PassageRow(Record):
    """A passage to store: its position, its vector (a scale and whole numbers), and the record of
    its tokens.
    """

    position: Sequence[int]
    scale: float
    components: bytes
    tokens: bytes


class Matrix:
    """Rows and records of tokens that are in memory, or mapped into it from their files."""

    def __init__(
        self, content: mmap.mmap | bytearray, dimensions: int, tokens: mmap.mmap | bytes = b""
    ) -> None:
        self.dimensions = dimensions
        self.row_bytes = HEAD.size + dimensions
        self.content = content
        self._tokens = tokens

    def __len__(self) -> int:
        return len(self.content) // self.row_bytes

    def rows(self, rows: range) -> bytes:
        """Return the bytes of some rows."""
        return bytes(self.content[rows.start * self.row_bytes : rows.stop * self.row_bytes])

    def row(self, index: int) -> PassageRow:
        """Return a row as it was stored."""
        *position, _, _, scale = HEAD.unpack_from(self.content, index * self.row_bytes)
        components = self.rows(range(index, index + 1))[HEAD.size :]
        return PassageRow(position, scale, components, self.tokens(index))

    def total(self, rows: Iterable[int]) -> list[float]:
        """Return the sum of the vectors of some rows."""
        total = [0.0] * (self.row_bytes - HEAD.size)
        for row in map(self.row, rows):
            components = array("b", row.components)
            total = [
                each + row.scale * component
                for each, component in zip(total, components, strict=True)
            ]
        return total

    def position(self, index: int) -> Sequence[int]:
        """Return the position of a row's passage in its note: line, place, pieces."""
        return HEAD.unpack_from(self.content, index * self.row_bytes)[:3]

    def tokens(self, index: int) -> bytes:
        """Return the record of a row's tokens; empty if it is not there, as in a shared memory."""
        *_, begin, length, _ = HEAD.unpack_from(self.content, index * self.row_bytes)
        found = bytes(self._tokens[begin : begin + length])
        return found if len(found) == length else b""

    def scales(self) -> list[float]:
        """Return the scale of every row."""
        return [*memoryview(self.content).cast("f")[HEAD.size // 4 - 1 :: self.row_bytes // 4]]


class JoinedMatrix(Matrix):
    """The rows of several matrices, one after the other."""

    def __init__(self, parts: Sequence[Matrix], dimensions: int) -> None:
        super().__init__(bytearray().join(each.content for each in parts), dimensions)
        self._parts = parts

    def tokens(self, index: int) -> bytes:
        """Return the record of a row's tokens."""
        for part in self._parts:
            if index < len(part):
                return part.tokens(index)
            index -= len(part)
        return b""


class BusyError(Exception):
    """Another process is embedding this vault."""


class VectorStore:
    """The vectors of one vault by one model; `folder` is private to the user."""

    def __init__(self, folder: Path, name: str) -> None:
        self._name = name
        stem = f"meaning-{name_of_rows(name)}"
        self._tokens = folder / f"{stem}.tokens"
        self._vectors = folder / f"{stem}.vectors"
        self._notes = folder / f"{stem}.notes"
        self._lock = folder / f"{stem}.lock"
        self._speed = folder / f"{stem}.speed"

    def notes(self) -> dict[str, range]:
        """Return the rows of each embedded note by its key."""
        try:
            text = self._notes.read_text(encoding="utf-8", errors="surrogateescape")
        except FileNotFoundError:
            return {}
        most = self._size(self._dimensions())
        known = (
            (key, range(int(first), int(first) + int(count)))
            for first, count, key in _LINE.findall(text)
        )
        return {key: rows for key, rows in known if rows.stop <= most}

    def matrix(self) -> Matrix:
        """Return all rows."""
        dimensions = self._dimensions()
        size = self._size(dimensions) * (HEAD.size + dimensions)
        if not size:
            return Matrix(bytearray(), dimensions)
        with open(self._vectors, "rb") as file:
            # A private copy, page by page: the library that multiplies takes only memory that could
            # be written.
            content = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY)
        tokens: mmap.mmap | bytes = b""
        # A file that is missing or empty cannot be mapped.
        with suppress(OSError, ValueError), open(self._tokens, "rb") as file:
            tokens = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return Matrix(content, dimensions, tokens)

    def stamp(self) -> tuple[int, int]:
        """Return a value that changes whenever these files change."""
        with suppress(OSError):
            status = self._notes.stat()
            return status.st_mtime_ns, status.st_size
        return 0, 0

    def keep_speed(self, words_per_second: float) -> None:
        """Remember how fast notes are embedded on this machine."""
        self._speed.write_text(f"{words_per_second:.0f}")

    def speed(self) -> int:
        """Return how many weighted words of notes are embedded in a second; 0 if unknown."""
        with suppress(OSError, ValueError):
            return int(self._speed.read_text())
        return 0

    def is_busy(self) -> bool:
        """Return whether a process is embedding this vault."""
        with suppress(FileNotFoundError), open(self._lock) as file:
            return is_locked(file.fileno())
        return False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock of the two files; BusyError if another process holds it."""
        with open(self._lock, "w") as file:
            if not lock_file(file.fileno()):
                raise BusyError
            self._remove_older()
            yield

    def _remove_older(self) -> None:
        """Delete the files of other versions, which this one does not read."""
        for path in self._lock.parent.glob(f"meaning-*-{self._name}.*"):
            if not path.name.startswith(f"meaning-{VECTORS_VERSION}-"):
                path.unlink(missing_ok=True)

    def append(self, notes: Mapping[str, Sequence[PassageRow]], dimensions: int) -> None:
        """Add the rows of notes, which have vectors of so many components."""
        first = self._size(dimensions)
        rows = [row for rows in notes.values() for row in rows]
        at = _bytes_of(self._tokens)
        _append(self._tokens, b"".join(row.tokens for row in rows), at)
        content = bytearray()
        for row in rows:
            content += HEAD.pack(*row.position, at, len(row.tokens), row.scale) + row.components
            at += len(row.tokens)
        _append(self._vectors, content, first * (HEAD.size + dimensions))
        # The last line may be incomplete, or the first one lost.
        end = self._notes.read_bytes().rfind(b"\n") + 1 if self._dimensions() else 0
        lines = [] if end else [f"{dimensions}\n"]
        for key, of_note in notes.items():
            lines.append(f"{first} {len(of_note)} {key}\n")
            first += len(of_note)
        _append(self._notes, "".join(lines).encode("utf-8", "surrogateescape"), end)

    def keep_dimensions(self, dimensions: int) -> None:
        """Delete all vectors if they have another number of components than the model gives now."""
        if self._dimensions() not in (0, dimensions):
            self._clear()

    def _clear(self) -> None:
        # Without the notes file, a reader finds no vectors, which is safe if this is interrupted.
        for path in (self._notes, self._vectors, self._tokens):
            path.unlink(missing_ok=True)

    def keep_only(self, keys: Iterable[str]) -> None:
        """Rewrite the files with the vectors of these notes alone, if most rows belong to none of
        them.
        """
        known = self.notes()
        dimensions = self._dimensions()
        kept = {key: known[key] for key in keys if key in known}
        if 2 * sum(map(len, kept.values())) >= self._size(dimensions):
            return
        matrix = self.matrix()
        self._clear()
        self.append({key: [*map(matrix.row, rows)] for key, rows in kept.items()}, dimensions)

    def _dimensions(self) -> int:
        with (
            suppress(OSError, ValueError),
            open(self._notes, encoding="ascii", errors="replace") as file,
        ):
            return int(file.readline())
        return 0

    def _size(self, dimensions: int) -> int:
        """Return the number of complete rows, including rows that no line of the notes file claims
        yet.
        """
        return _bytes_of(self._vectors) // (HEAD.size + dimensions) if dimensions else 0


def name_of_rows(name: str) -> str:
    """Return the name of a model's rows, because those of other versions cannot be read."""
    return f"{VECTORS_VERSION}-{name}"


def row_of(position: Sequence[int], vector: Sequence[float], tokens: bytes) -> PassageRow:
    """Return the row of a passage; its vector gets whole numbers from -127 to 127 with a scale."""
    scale = max(map(abs, vector)) / MOST or 1.0
    components = array("b", (round(component / scale) for component in vector))
    return PassageRow(position, scale, components.tobytes(), tokens)


def opening_key(key: str) -> str:
    """Return the key of the vector of a note's opening, which is embedded before its passages."""
    return f"opening {key}"


def note_keys(note_table: NoteTable) -> dict[int, str]:
    """Return the key of each note's vectors: the hash of its content, and its file name, which may
    be its title.
    """
    paths = note_table.column("path")
    hashes = note_table.column("content_hash")
    return {
        note_id: f"{hashes[note_id]} {path.rpartition('/')[2]}"
        for note_id, path in paths.items()
    }


def _bytes_of(path: Path) -> int:
    """Return the size of a file; 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


def _append(path: Path, content: bytes | bytearray, at: int) -> None:
    """Write content at an offset, over the remains of an interrupted write, and wait for
    the disk.
    """
    with open(path, "r+b" if path.exists() else "w+b") as file:
        file.truncate(at)
        file.seek(at)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


class NoteVectors:
    """The vectors of the notes of one generation: all rows, and each note's rows by its id.

    Where these are some of many notes, a `sample` has the rows of others that stand for all.
    """

    def __init__(
        self, matrix: Matrix, rows: Mapping[int, range], sample: Sequence[range] = ()
    ) -> None:
        self.matrix = matrix
        self.rows = rows
        self._sample = sample
        self._scales = matrix.scales()

    def __len__(self) -> int:
        """Return the memory in use, in units of about 100 bytes, without the rows, which are mapped
        from their file.
        """
        return 1 + len(self.rows) + len(self._scales) // 3

    def deviations(
        self, vector: Sequence[float], usual: Sequence[float] | None = None
    ) -> Deviations:
        """Return how far each note's best passage is above the mean of all notes, in standard
        deviations.

        Few notes say little about their mean: fewer than `USUAL_NOTES` are completed by notes with
        the `usual` mean and deviation of the model.
        """
        # The head of a row is multiplied as well: by zeros.
        padded = array("f", bytes(4 * HEAD.size)) + array("f", vector)
        found = products(self.matrix.content, padded, self.matrix.row_bytes)
        cosines = [*map(mul, found, self._scales)]
        best = {
            note_id: cosines[rows.start]
            if len(rows) == 1
            else max(cosines[rows.start : rows.stop])
            for note_id, rows in self.rows.items()
        }
        sample = [max(cosines[rows.start : rows.stop]) for rows in self._sample] or [
            *best.values()
        ]
        usual_mean, usual_deviation = usual or (0.0, 0.0)
        number = max(1, len(sample), USUAL_NOTES if usual else 0)
        more = number - len(sample)
        mean = (sum(sample) + more * usual_mean) / number
        squares = sum((value - mean) ** 2 for value in sample)
        squares += more * (usual_deviation**2 + (usual_mean - mean) ** 2)
        deviation = max(sqrt(squares / number), MIN_DEVIATION)
        notes = {note_id: (value - mean) / deviation for note_id, value in best.items()}
        return Deviations(notes, self.rows, cosines, self.matrix)

    def near(self, note_id: int) -> list[int]:
        """Return the notes that stand out as near to all of a note, the nearest one first."""
        deviations = self.deviations(self.matrix.total(self.rows.get(note_id, ()))).notes
        found = [
            each
            for each, deviation in deviations.items()
            if deviation > NEAR and each != note_id
        ]
        return sorted(found, key=deviations.__getitem__, reverse=True)


class Deviations(Record):
    """How near all notes are to one question: standard deviations by note id, and the cosine of
    every passage.
    """

    notes: Mapping[int, float]
    rows: Mapping[int, range]
    cosines: Sequence[float]
    matrix: Matrix

    def cosine(self, note_id: int) -> float:
        """Return the cosine of a note's nearest passage; 0 if the note is not embedded."""
        return max(map(self.cosines.__getitem__, self.rows.get(note_id, ())), default=0.0)

    def nearest(self, note_id: int, most: int = 1) -> list[int]:
        """Return the rows of a note's nearest passages, the nearest one first; none if the note is
        not embedded.
        """
        return sorted(self.rows.get(note_id, ()), key=self.cosines.__getitem__, reverse=True)[
            :most
        ]


def note_vectors(store: VectorStore, note_table: NoteTable) -> NoteVectors:
    """Return the vectors of the notes that are embedded."""
    known = store.notes()
    keys = note_keys(note_table).items()
    found = {
        note_id: rows
        for note_id, key in keys
        if (rows := known.get(key) or known.get(opening_key(key)))
    }
    return NoteVectors(store.matrix(), found)


def joined_vectors(vaults: Mapping[int, NoteVectors]) -> NoteVectors:
    """Return the vectors of several vaults, given by the number before their notes; those of a
    vault that has shorter ones are left out.
    """
    dimensions = max(own.matrix.dimensions for own in vaults.values())
    rows = {}
    first_row = 0
    matrices = []
    for first_note, own in vaults.items():
        if own.matrix.dimensions != dimensions:
            continue
        for note_id, found in own.rows.items():
            rows[first_note + note_id] = range(first_row + found.start, first_row + found.stop)
        first_row += len(own.matrix)
        matrices.append(own.matrix)
    return NoteVectors(JoinedMatrix(matrices, dimensions), rows)


def kept_vectors(kept: KeptVectors, dimensions: int) -> NoteVectors:
    """Return the vectors that were kept with some notes; those of another length are omitted."""
    content = bytearray()
    row_bytes = HEAD.size + dimensions

    def added(part: bytes) -> range:
        first = len(content) // row_bytes
        number = len(part) // row_bytes
        content.extend(part[: number * row_bytes])
        return range(first, first + number)

    rows = {note_id: found for note_id, part in kept.notes.items() if (found := added(part))}
    sample = [found for found in map(added, kept.sample) if found]
    return NoteVectors(Matrix(content, dimensions), rows, sample)
