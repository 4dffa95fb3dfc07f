"""Arrays of numbers as PostgreSQL sends and takes them: packed here, as the driver packs one number at a time."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Sequence

HEAD = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
END = struct.pack(">h", -1)
INT4, FLOAT4 = 23, 700
BYTES = 4


class PostingList:
    """The sections where one term of one field stands, with its weights there and the lengths of the sections."""

    __slots__ = ("lengths", "notes", "sections", "weights")

    def __init__(self) -> None:
        self.notes: list[int] = []
        self.sections: list[int] = []
        self.weights: list[float] = []
        self.lengths: list[int] = []

    def add(self, note_id: int, section: int, weight: float, length: int) -> None:
        self.notes.append(note_id)
        self.sections.append(section)
        self.weights.append(weight)
        self.lengths.append(length)


def packed(lists: Iterable[tuple[int, str, PostingList]], chunk: int, vault_id: int) -> Iterable[bytes]:
    """Yield the rows (term, field, chunk, vault_id, notes, sections, weights, lengths) of some lists."""
    yield HEAD
    for field, term, found in lists:
        raw = term.encode()
        yield b"".join(
            (
                struct.pack(">hi", 8, len(raw)),
                raw,
                struct.pack(">ihiqii", 2, field, 8, chunk, BYTES, vault_id),
                _array(found.notes, INT4, "i"),
                _array(found.sections, INT4, "i"),
                _array(found.weights, FLOAT4, "f"),
                _array(found.lengths, INT4, "i"),
            )
        )
    yield END


def _array(values: Sequence[float], kind: int, code: str) -> bytes:
    """Return a field that is an array of one dimension: each value is preceded by its length."""
    count = len(values)
    content = array("i", (BYTES,)) * (2 * count)
    content[1::2] = array("i", array(code, values).tobytes())
    if sys.byteorder == "little":
        content.byteswap()
    return struct.pack(">iiiiii", 20 + 2 * BYTES * count, 1, 0, kind, count, 1) + content.tobytes()


def unpacked(raw: bytes | None) -> list[list[int]]:
    """Return the arrays of integers in a row of `array_send`: dimensions, flags, type, length, bound; then values."""
    numbers = array("i", raw or b"")
    if sys.byteorder == "little":
        numbers.byteswap()
    found, place = [], 0
    while place < len(numbers):
        count = numbers[place + 3] if numbers[place] else 0
        start = place + (5 if numbers[place] else 3)
        # Each value follows its own length.
        found.append(numbers[start + 1 : start + 2 * count : 2].tolist())
        place = start + 2 * count
    return found
