"""The file of a note table: a checksum, then one part for each column of the rows, and one for the notes' records.

A column is decoded on first use, and so is a row: a refresh without changes needs three columns, and a recall needs
the rows of the notes that it shows. The checksum covers the whole file.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, compress, pairwise
from typing import TYPE_CHECKING, Any

from brain_cli.index.anchors import Anchors
from brain_cli.index.note_table import NoteRecord, NoteRow, NoteTable, parse_record
from brain_cli.index.parts import Parts, pack, unpack
from brain_cli.index.sealed import seal, unsealed

if TYPE_CHECKING:
    from mmap import mmap

# Columns of numbers in the machine's format. The others are JSON: a time in nanoseconds may need more than 64 bits.
NUMBERS = {"note_id": "q", "size": "q", "timestamp": "d", "fragments": "q", "length": "q", "snoozed_until": "d"}
# Columns whose values are lists of numbers: the lengths of the lists, and all lists joined.
LISTS = ("successors", "neighbours")
RECORD = "line"


def dump(note_table: NoteTable) -> bytes:
    """Write a note table as bytes."""
    from brain_cli.vault.boilerplate import frequent_hashes

    rows = note_table.rows.values()
    columns: dict[str, Any] = dict.fromkeys(NoteRow._fields, ())
    columns |= zip(NoteRow._fields, zip(*rows, strict=True), strict=False)
    records = columns.pop(RECORD)
    head = [note_table.generation, note_table.next_id, sorted(frequent_hashes(map(_line_hashes, records)))]
    parts = {"head": _json(head)}
    for field, values in columns.items():
        parts |= _column_parts(field, values)
    parts |= _list_parts(RECORD, [record.encode() for record in records])
    return seal(pack(parts | {"anchors": note_table.anchors.lines.encode()}))


def load(raw: bytes | mmap) -> NoteTable:
    """Read a note table; BrokenIndexError if it is damaged or of another version.

    `raw` may be a file mapped into memory, of which most parts are read on demand.
    """
    return StoredNoteTable(unpack(unsealed(raw)))


class StoredNoteTable(NoteTable):
    """A note table that decodes its file on demand."""

    def __init__(self, parts: Parts) -> None:
        generation, next_id, boilerplate = json.loads(bytes(parts["head"]))
        self._rows = StoredRows(parts)
        anchors = Anchors(str(parts["anchors"], "ascii"))
        super().__init__(generation, next_id, self._rows, frozenset(boilerplate), anchors)
        self._by_id: dict[str, Mapping[int, Any]] = {}

    def column(self, field: str) -> Mapping[int, Any]:
        """Return one field of every row by note id, without making the rows."""
        found = self._by_id.get(field)
        if found is None:
            ids = self._rows.values_of("note_id")
            found = self._by_id[field] = dict(zip(ids, self._rows.values_of(field), strict=True))
        return found

    def all_rows(self) -> dict[int, NoteRow]:
        """Return all rows, made in one pass, which is three times faster than one by one."""
        return dict(self._rows.made())

    def neighbours(self, note_id: int) -> Sequence[int]:
        """Return the notes next to a note by a link, in either direction."""
        found: Sequence[int] = self._value("neighbours", note_id)
        return found

    def successors(self, note_id: int) -> Sequence[int]:
        """Return the notes that supersede a note; no row is made for it."""
        found: Sequence[int] = self._value("successors", note_id)
        return found

    @cached_property
    def superseded(self) -> frozenset[int]:
        """The ids of the notes that others supersede."""
        return frozenset(compress(self._rows.values_of("note_id"), self._rows.lengths_of("successors")))

    def _parsed_record(self, note_id: int) -> NoteRecord:
        # A row would need every column, and a recall needs half of them.
        line, timestamp, dated_by = (self._value(field, note_id) for field in (RECORD, "timestamp", "dated_by"))
        return parse_record(line, timestamp, dated_by, bool(self.successors(note_id)))

    def _value(self, field: str, note_id: int) -> Any:
        return self._rows.values_of(field)[self._rows.places[note_id]]


class StoredRows(Mapping[int, NoteRow]):
    """The rows of a file by note id, each made on first use."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._columns: dict[str, Sequence[Any]] = {}
        self._made: dict[int, NoteRow] = {}

    def values_of(self, field: str) -> Sequence[Any]:
        """Return one column, in the order of the file."""
        found = self._columns.get(field)
        if found is None:
            found = self._columns[field] = _column(field, self._parts)
        return found

    def lengths_of(self, field: str) -> Sequence[int]:
        """Return how long each list of a column is, in the order of the file."""
        return _numbers("q", self._parts[f"{field} lengths"])

    @cached_property
    def places(self) -> Mapping[int, int]:
        """The place of each note in the columns, by note id."""
        return {note_id: place for place, note_id in enumerate(self.values_of("note_id"))}

    def __getitem__(self, note_id: int) -> NoteRow:
        row = self._made.get(note_id)
        if row is None:
            place = self.places[note_id]
            row = self._made[note_id] = NoteRow._make([column[place] for column in self._all_columns])
        return row

    def made(self) -> Mapping[int, NoteRow]:
        """Return all rows, including those made before."""
        rows = map(NoteRow._make, zip(*self._all_columns, strict=True))
        self._made = {**dict(zip(self.values_of("note_id"), rows, strict=True)), **self._made}
        return self._made

    def __iter__(self) -> Iterator[int]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.values_of("note_id"))

    @cached_property
    def _all_columns(self) -> list[Sequence[Any]]:
        return [self.values_of(field) for field in NoteRow._fields]


class Slices(Sequence[Any]):
    """Consecutive values in one buffer, each decoded on demand."""

    def __init__(self, lengths: Iterable[int], content: memoryview) -> None:
        self._ends = [0, *accumulate(lengths)]
        self._content = content

    def __getitem__(self, place: Any) -> Any:
        return self._decoded(self._content[self._ends[place] : self._ends[place + 1]])

    def __iter__(self) -> Iterator[Any]:
        return (self._decoded(self._content[start:end]) for start, end in pairwise(self._ends))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def _decoded(self, content: memoryview) -> Any:
        return str(content, "utf-8")


class NumberSlices(Slices):
    """Consecutive lists of numbers in one buffer."""

    def _decoded(self, content: memoryview) -> list[int]:
        numbers: list[int] = content.tolist()
        return numbers


def _column(field: str, parts: Parts) -> Sequence[Any]:
    if field == RECORD:
        return Slices(_numbers("q", parts[f"{field} lengths"]), parts[field])
    if field in LISTS:
        return NumberSlices(_numbers("q", parts[f"{field} lengths"]), parts[field].cast("q"))
    if field in NUMBERS:
        return _numbers(NUMBERS[field], parts[field])
    values: list[Any] = json.loads(bytes(parts[field]))
    return values


def _column_parts(field: str, values: Sequence[Any]) -> dict[str, bytes]:
    if field in LISTS:
        return _list_parts(field, [array("q", each).tobytes() for each in values], item_bytes=8)
    return {field: array(NUMBERS[field], values).tobytes() if field in NUMBERS else _json(values)}


def _list_parts(field: str, contents: list[bytes], item_bytes: int = 1) -> dict[str, bytes]:
    lengths = array("q", (len(each) // item_bytes for each in contents))
    return {f"{field} lengths": lengths.tobytes(), field: b"".join(contents)}


def _numbers(kind: str, content: memoryview) -> list[Any]:
    numbers = array(kind)
    numbers.frombytes(content)
    return numbers.tolist()


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _line_hashes(line: str) -> str:
    """Return the last value of a note's record, a string of hex digits, without parsing the others."""
    return line[line.rindex('"', 0, -2) + 1 : -2]
