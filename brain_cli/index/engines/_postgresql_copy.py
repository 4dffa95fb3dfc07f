"""Encode and decode PostgreSQL's binary arrays; the driver would pack them one number at a time."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Sequence

HEAD = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
END = struct.pack(">h", -1)
INT4, FLOAT4 = 23, 700
BYTES = 4


# The postings of one term in one field, flattened: note, section, weight, length of the section, and so on.
PostingList = list[float]
# A posting list with its field and term, and the number of fragments that it adds to the document frequency.
Posting = tuple[int, str, int, PostingList]
POSTING_NUMBERS = 4
# Most lists have one posting: its four arrays with their headers.
ONE_POSTING = struct.Struct(">6iii 6iii 6iif 6iii".replace(" ", ""))
BLOCK_BYTES = 1 << 16


def packed(lists: Iterable[Posting], chunk: int, vault_id: int) -> Iterable[bytes]:
    """Yield the rows (term, field, chunk, vault_id, counted, notes, sections, weights, lengths), in blocks."""
    block, size = [HEAD], 0
    for field, term, counted, postings in lists:
        raw = term.encode()
        numbers = (2, field, 8, chunk, BYTES, vault_id, BYTES, counted)
        head = struct.pack(f">hi{len(raw)}sihiqiiii", 9, len(raw), raw, *numbers)
        body = _one_posting(postings) if len(postings) == POSTING_NUMBERS else _several_postings(postings)
        block += (head, body)
        size += len(body)
        if size > BLOCK_BYTES:
            yield b"".join(block)
            block, size = [], 0
    yield b"".join((*block, END))


def _one_posting(postings: PostingList) -> bytes:
    note_id, section, weight, length = postings
    head, floats = (28, 1, 0, INT4, 1, 1, BYTES), (28, 1, 0, FLOAT4, 1, 1, BYTES)
    return ONE_POSTING.pack(*head, note_id, *head, section, *floats, weight, *head, length)


def _several_postings(postings: PostingList) -> bytes:
    return b"".join(
        (
            _array(postings[0::POSTING_NUMBERS], INT4, "i"),
            _array(postings[1::POSTING_NUMBERS], INT4, "i"),
            _array(postings[2::POSTING_NUMBERS], FLOAT4, "f"),
            _array(postings[3::POSTING_NUMBERS], INT4, "i"),
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
    found, offset = [], 0
    while offset < len(numbers):
        count = numbers[offset + 3] if numbers[offset] else 0
        start = offset + (5 if numbers[offset] else 3)
        # Each value follows its own length.
        found.append(numbers[start + 1 : start + 2 * count : 2].tolist())
        offset = start + 2 * count
    return found
