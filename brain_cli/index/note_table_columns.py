"""One field of all rows of a note table, as the named parts of a file; most are decoded on demand."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

from brain_cli.index.note_table_parts import Parts

# Columns of numbers in the machine's format. The others are JSON: a time in nanoseconds may need more than 64 bits.
NUMBERS = {"note_id": "q", "size": "q", "timestamp": "d", "fragments": "q", "length": "q", "snoozed_until": "d"}
# Columns whose values are lists of numbers: the lengths of the lists, and all lists joined.
LISTS = ("successors", "neighbours")
# Columns whose values are lists of pairs of numbers.
PAIRS = ("section_dates",)
# Columns of texts, which are decoded one by one.
TEXTS = ("line",)
NUMBER_BYTES = 8


class Slices(Sequence[Any]):
    """Consecutive values in one buffer, each decoded on demand."""

    def __init__(self, lengths: Iterable[int], content: memoryview[Any]) -> None:
        self._ends = [0, *accumulate(lengths)]
        self._content = content

    def __getitem__(self, index: Any) -> Any:
        return self._decoded(self._content[self._ends[index] : self._ends[index + 1]])

    def __iter__(self) -> Iterator[Any]:
        return (self._decoded(self._content[start:end]) for start, end in pairwise(self._ends))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def _decoded(self, content: memoryview[Any]) -> Any:
        return str(content, "utf-8")


class NumberSlices(Slices):
    """Consecutive lists of numbers in one buffer."""

    def _decoded(self, content: memoryview[Any]) -> list[int]:
        numbers: list[int] = content.tolist()
        return numbers


class PairSlices(Slices):
    """Consecutive lists of pairs in one buffer: the number of a section, and a date in seconds."""

    def _decoded(self, content: memoryview[Any]) -> list[list[float]]:
        numbers = content.tolist()
        return [[int(section), date] for section, date in zip(numbers[::2], numbers[1::2], strict=True)]


def column_of(field: str, parts: Parts) -> Sequence[Any]:
    """Return one column, in the order of the file."""
    if field in TEXTS:
        return Slices(lengths_of(field, parts), parts[field])
    if field in LISTS:
        return NumberSlices(lengths_of(field, parts), parts[field].cast("q"))
    if field in PAIRS:
        return PairSlices(lengths_of(field, parts), parts[field].cast("d"))
    if field in NUMBERS:
        return _numbers(NUMBERS[field], parts[field])
    values: list[Any] = json.loads(bytes(parts[field]))
    return values


def lengths_of(field: str, parts: Parts) -> Sequence[int]:
    """Return the length of each value of a column, in the order of the file."""
    return _numbers("q", parts[f"{field} lengths"])


def column_parts(field: str, values: Sequence[Any]) -> dict[str, bytes]:
    """Return the parts of a file for one column."""
    if field in TEXTS:
        return _slices_parts(field, [value.encode() for value in values])
    if field in LISTS:
        return _slices_parts(field, [array("q", each).tobytes() for each in values], NUMBER_BYTES)
    if field in PAIRS:
        pairs = (array("d", chain.from_iterable(each)).tobytes() for each in values)
        return _slices_parts(field, list(pairs), NUMBER_BYTES)
    return {field: array(NUMBERS[field], values).tobytes() if field in NUMBERS else json_bytes(values)}


def json_bytes(value: object) -> bytes:
    """Return a value as compact JSON."""
    return json.dumps(value, separators=(",", ":")).encode()


def _slices_parts(field: str, contents: list[bytes], item_bytes: int = 1) -> dict[str, bytes]:
    lengths = array("q", (len(each) // item_bytes for each in contents))
    return {f"{field} lengths": lengths.tobytes(), field: b"".join(contents)}


def _numbers(kind: str, content: memoryview) -> list[Any]:
    numbers = array(kind)
    numbers.frombytes(content)
    return numbers.tolist()
