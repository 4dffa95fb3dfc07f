"""Read what Whoosh wrote, without importing Whoosh: one document per fragment.

Whoosh writes and merges terms, postings, segments and stored text (`_whoosh_writer`). Its matchers
and scoring are not used: `search/bm25.py` computes BM25 from the postings, as Whoosh's idf stays
high for a word of every note. Each posting list is one uncompressed block, so that one read gets it
(see docs/decisions/bm25-over-postings.md).

This is the one module that reads past Whoosh's API. It buys 7 p of a recall (p is the time of an
empty Python), which importing Whoosh takes; reading needs a hundred lines of it. The layout is that
of the codec W3 of the pinned version. Everything is read from mapped files, so a merge may remove
the files meanwhile. Only numbers and texts are unpickled: a pickle that names any other class
counts as damage.

    NAME.trm          keys in ascending order, each with the position of its posting list; then
                      their own positions
    NAME.pst          posting lists: the distances of their fragment numbers, and their weights
    NAME._stored.col  the texts of the fragments, one after the other; then their lengths
    NAME.FIELD.col    one number for each fragment
    _MAIN_N.toc       the segments of generation N
"""

from __future__ import annotations

import contextlib
import os
import sys
from _pickle import Unpickler, UnpicklingError
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any
from zlib import decompress
from zlib import error as ZlibError  # noqa: N812 - a class

from brain_cli.index.damage import BrokenIndexError, noticing_damage
from brain_cli.index.directory import generation
from brain_cli.record import Record
from brain_cli.types import Fragment

MAGIC = b"W3Bl"
MIN_NUMBER = -12_345
TERM_HEAD_BYTES = 8  # the lengths of a key and of its entry
ENTRY_HEAD_BYTES = 23  # statistics, which start with a flag that is 0
MAX_HEAD_BYTES = 256
# The last byte of a column of texts is the type of its lengths, or an X; two bytes before the X are
# both types.
HAS_OFFSETS = "X"
# The types that a pickle may name.
HARMLESS = {"builtins.set": set, "builtins.int": int, "collections.defaultdict": defaultdict}


class WhooshIndex:
    """An immutable view of one generation: Whoosh's segments as one sequence of fragments."""

    def __init__(self, folder: str) -> None:
        self._segments: list[tuple[Segment, int]] = []
        self.note_ids: array[int] = array("I")
        self.lengths: array[int] = array("I")
        with reading():
            self.generation = generation(Path(folder))
            for info in read_contents(folder, self.generation):
                segment = Segment(folder, info)
                self._segments.append((segment, len(self.note_ids)))
                self.note_ids += segment.column("note_id")
                self.lengths += segment.column("length")

    def postings(
        self, field: str, term: str
    ) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """Yield a term's (fragment numbers, weights), segment by segment."""
        for segment, offset in self._segments:
            with reading():
                numbers, weights = segment.postings(field, term)
            if numbers:
                yield (
                    (numbers if not offset else [number + offset for number in numbers]),
                    weights,
                )

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:
        for segment, _ in self._segments:
            with reading():
                found = list(segment.terms_with_prefix(field, prefix))
            yield from found

    def fragment(self, number: int) -> Fragment:
        segment, offset = next(pair for pair in reversed(self._segments) if pair[1] <= number)
        with reading():
            values = segment.stored(number - offset)["fragment"]
        return Fragment(*values)

    def close(self) -> None:
        for segment, _ in self._segments:
            segment.close()


# The numbers of a term's fragments, in ascending order, and its weights in them.
Postings = tuple[Sequence[int], Sequence[float]]


class SegmentInfo(Record):
    """A segment as described in the table of contents: name, number of fragments, and numbers of
    the deleted ones.
    """

    name: str
    fragments: int
    deleted: frozenset[int]


def read_contents(folder: str, generation: int) -> list[SegmentInfo]:
    """Return the segments of a generation; FileNotFoundError if it is gone, or there is none."""
    content = Path(folder, f"_MAIN_{generation}.toc").read_bytes()
    position = 0
    for _ in range(3):
        _, position = _varint(content, position)  # the sizes of numbers
    if _signed(content, position) != MIN_NUMBER:
        raise BrokenIndexError
    position += 8  # that number, and the version
    for _ in range(3):
        _, position = _varint(content, position)
    schema_bytes, position = _varint(content, position)
    position += schema_bytes + 8  # the schema, the generation, and a number that is not used
    segments = ContentsUnpickler(BytesIO(content[position:])).load()
    if any(segment.compound for segment in segments):
        raise BrokenIndexError
    return [
        SegmentInfo(
            f"{each.indexname}_{each.segid}", each._doccount, frozenset(each._deleted or ())
        )
        for each in segments
    ]


class Segment:
    """One segment, opened; its callers take any error for damage (see `reading`)."""

    def __init__(self, folder: str, info: SegmentInfo) -> None:
        self._path = os.path.join(folder, info.name)
        self.info = info
        self._terms = _mapped(f"{self._path}.trm")
        self._postings = _mapped(f"{self._path}.pst")
        self._texts = _mapped(f"{self._path}._stored.col")
        self._offsets: Sequence[int] = ()
        self._read_directory()

    def column(self, name: str) -> array[int]:
        """Return the numbers of a column; 0 for deleted fragments."""
        values = _big_endian("I", Path(f"{self._path}.{name}.col").read_bytes())
        values.extend([0] * (self.info.fragments - len(values)))
        for number in self.info.deleted:
            values[number] = 0
        return values

    def postings(self, field: str, term: str) -> Postings:
        """Return the whole posting list of a term; empty if no fragment has it."""
        key = self._key(field, term)
        index = self._first_not_below(key)
        if index == self._keys or self._key_at(index) != key:
            return (), ()
        return self._posting_list(self._entry(index))

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:
        """Yield the terms of a field that begin with a prefix."""
        begin = self._key(field, prefix)
        index = self._first_not_below(begin)
        while index < self._keys and (key := self._key_at(index)).startswith(begin):
            yield key[2:].decode("utf-8", "replace")
            index += 1

    def stored(self, number: int) -> Any:
        """Return the stored fields of a fragment."""
        if not self._offsets:
            self._offsets = self._read_offsets()
        content = self._texts[self._offsets[number] : self._offsets[number + 1]]
        return PlainUnpickler(BytesIO(decompress(content))).load()

    def close(self) -> None:
        for file in (self._terms, self._postings, self._texts):
            if isinstance(file, mmap):
                file.close()

    def _read_directory(self) -> None:
        terms = self._terms
        end = len(terms) - 4
        extras = PlainUnpickler(BytesIO(terms[end - _signed(terms, end) : end])).load()
        self._fields: dict[str, int] = extras["fieldmap"]
        self._keys: int = extras["indexlen"]
        self._position_bytes = array(extras["indextype"]).itemsize
        self._positions = end - self._keys * self._position_bytes

    def _key(self, field: str, term: str) -> bytes:
        return self._fields.get(field, 0xFFFF).to_bytes(2, "big") + term.encode(
            "utf-8", "replace"
        )

    def _first_not_below(self, key: bytes) -> int:
        """Return the index of the first key that is not less than this one."""
        low = 0
        high = self._keys
        while low < high:
            middle = (low + high) // 2
            if self._key_at(middle) < key:
                low = middle + 1
            else:
                high = middle
        return low

    def _key_at(self, index: int) -> bytes:
        start = self._start_of(index)
        length = _signed(self._terms, start)
        return self._terms[start + TERM_HEAD_BYTES : start + TERM_HEAD_BYTES + length]

    def _entry(self, index: int) -> bytes:
        """Return the entry after a key: statistics, and the position and length of its posting
        list.
        """
        start = self._start_of(index)
        start += TERM_HEAD_BYTES + _signed(self._terms, start)
        return self._terms[start : start + ENTRY_HEAD_BYTES + 12]

    def _start_of(self, index: int) -> int:
        at = self._positions + index * self._position_bytes
        return int.from_bytes(self._terms[at : at + self._position_bytes], "big")

    def _posting_list(self, entry: bytes) -> Postings:
        start = int.from_bytes(entry[ENTRY_HEAD_BYTES : ENTRY_HEAD_BYTES + 8], "big")
        length = int.from_bytes(entry[ENTRY_HEAD_BYTES + 8 :], "big")
        content = self._postings[start : start + length]
        if entry[0] or content[:4] != MAGIC:
            raise BrokenIndexError
        head = BytesIO(content[8 : 8 + MAX_HEAD_BYTES])
        count = PlainUnpickler(head).load()[0]
        distances, weights, _ = PlainUnpickler(BytesIO(content[8 + head.tell() :])).load()
        if weights is None or isinstance(weights, float):
            weights = (1.0 if weights is None else weights,) * count
        numbers = tuple(accumulate(distances))
        if (
            not len(numbers) == len(weights) == count
            or not 0 <= numbers[0] <= numbers[-1] < self.info.fragments
        ):
            raise BrokenIndexError
        return numbers, weights

    def _read_offsets(self) -> Sequence[int]:
        texts = self._texts
        end = len(self._texts) - 1
        kind = chr(texts[end])
        if kind == HAS_OFFSETS:
            kind = chr(texts[end - 2])
            width = array(chr(texts[end - 1])).itemsize
            end -= 2 + self.info.fragments * width
        lengths = _big_endian(
            kind, texts[end - self.info.fragments * array(kind).itemsize : end]
        )
        return [0, *accumulate(lengths)]


LAYOUT_ERRORS = (
    *(
        ValueError,
        IndexError,
        KeyError,
        TypeError,
        AttributeError,
        EOFError,
        UnpicklingError,
        ZlibError,
    ),
    # A wrong length may ask for more than there is.
    *(OverflowError, MemoryError, RecursionError),
)


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Raise BrokenIndexError if a file is damaged or does not have the expected layout."""
    with noticing_damage():
        try:
            yield
        except LAYOUT_ERRORS as error:
            raise BrokenIndexError from error


def _mapped(path: str) -> mmap | bytes:
    with Path(path).open("rb") as file:
        return (
            mmap(file.fileno(), 0, access=ACCESS_READ)
            if os.fstat(file.fileno()).st_size
            else b""
        )


def _big_endian(kind: str, content: bytes) -> array[Any]:
    values = array(kind, content)
    if sys.byteorder == "little":
        values.byteswap()
    return values


def _signed(content: bytes | mmap, position: int) -> int:
    return int.from_bytes(content[position : position + 4], "big", signed=True)


def _varint(content: bytes, position: int) -> tuple[int, int]:
    """Return a number of seven bits per byte, lowest first, and the position after it."""
    value = shift = 0
    while content[position] & 0x80:
        value |= (content[position] & 0x7F) << shift
        position = position + 1
        shift = shift + 7
    return value | content[position] << shift, position + 1


class Attributes:
    """Stands for any class that a table of contents names: only attributes are needed, no
    methods.
    """


class PlainUnpickler(Unpickler):
    """Reads plain values; raises UnpicklingError for everything else."""

    def find_class(self, module: str, name: str) -> Any:
        found = HARMLESS.get(f"{module}.{name}")
        if found is None:
            raise UnpicklingError(f"{module}.{name}")
        return found


class ContentsUnpickler(PlainUnpickler):
    """Reads a list of segments, with Attributes in place of Whoosh's classes."""

    def find_class(self, module: str, name: str) -> Any:
        return Attributes if module.startswith("whoosh.") else super().find_class(module, name)
