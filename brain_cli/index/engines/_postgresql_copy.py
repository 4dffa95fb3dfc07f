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


# The places of one term of one field, flat: note, section, weight, length of the section, and again.
PostingList = list[float]
# A posting list with its field and term, and the number of fragments that it adds to the document frequency.
Posting = tuple[int, str, int, PostingList]
PLACE = 4
# A list of one place, as most are: its four arrays with their heads.
ONE_PLACE = struct.Struct(">6iii 6iii 6iif 6iii".replace(" ", ""))
BLOCK_BYTES = 1 << 16


def packed(lists: Iterable[Posting], chunk: int, vault_id: int) -> Iterable[bytes]:
    """Yield the rows (term, field, chunk, vault_id, counted, notes, sections, weights, lengths), in blocks."""
    block, size = [HEAD], 0
    for field, term, counted, places in lists:
        raw = term.encode()
        numbers = (2, field, 8, chunk, BYTES, vault_id, BYTES, counted)
        head = struct.pack(f">hi{len(raw)}sihiqiiii", 9, len(raw), raw, *numbers)
        body = _one_place(places) if len(places) == PLACE else _several_places(places)
        block += (head, body)
        size += len(body)
        if size > BLOCK_BYTES:
            yield b"".join(block)
            block, size = [], 0
    yield b"".join((*block, END))


def _one_place(places: PostingList) -> bytes:
    note_id, section, weight, length = places
    head, floats = (28, 1, 0, INT4, 1, 1, BYTES), (28, 1, 0, FLOAT4, 1, 1, BYTES)
    return ONE_PLACE.pack(*head, note_id, *head, section, *floats, weight, *head, length)


def _several_places(places: PostingList) -> bytes:
    return b"".join(
        (
            _array(places[0::PLACE], INT4, "i"),
            _array(places[1::PLACE], INT4, "i"),
            _array(places[2::PLACE], FLOAT4, "f"),
            _array(places[3::PLACE], INT4, "i"),
        )
    )


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
