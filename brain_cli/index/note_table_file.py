"""The two files of a note table: a base, and the changes since it was written.

    catalogue-GENERATION.jsonl    names the base, and has the rows that have changed since; written by every refresh
    base-NUMBER.notes             all rows of one generation, and the anchor text; written when many have changed

So a refresh writes only the changes, and a recall reads two files. Each has a checksum of its whole content, then one
part for each column of its rows. Columns and rows are decoded on first use: a refresh without changes needs three
columns, and a recall needs the rows of the notes that it shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from brain_cli.index.anchors import Anchors
from brain_cli.index.checked_file import seal, unsealed
from brain_cli.index.note_row import NoteRecord, NoteRow, parse_record
from brain_cli.index.note_table import NoteTable, tag_terms
from brain_cli.index.note_table_columns import column_parts, json_bytes
from brain_cli.index.note_table_parts import Parts, pack, unpack
from brain_cli.index.note_table_rows import ChangedRows, StoredRows

if TYPE_CHECKING:
    from mmap import mmap

# A new base is written when more notes have changed than both this share of it and this number.
CHANGED_SHARE = 1 / 16
MIN_CHANGED = 32


class Base:
    """A base that has been read: its number, its rows and its anchor text."""

    def __init__(self, number: int, parts: Parts) -> None:
        self.number = number
        self.parts = parts
        self.rows = StoredRows(parts)

    @cached_property
    def anchors(self) -> Anchors:
        return Anchors(str(self.parts["anchors"], "ascii"))


class StoredNoteTable(NoteTable):
    """A note table that decodes its files on demand."""

    rows: ChangedRows

    def __init__(
        self,
        base: Base,
        rows: ChangedRows,
        generation: int,
        next_id: int,
        boilerplate: frozenset[str],
        anchors: Anchors,
    ) -> None:
        super().__init__(generation, next_id, rows, boilerplate, anchors)
        self.base = base
        self._by_id: dict[str, Mapping[int, Any]] = {}
        self._neighbours: dict[int, Sequence[int]] = {}

    def changeable_rows(self) -> MutableMapping[int, NoteRow]:
        return self.rows.copy()

    def with_rows(self, rows: MutableMapping[int, NoteRow], anchors: Anchors | None = None) -> NoteTable:
        assert isinstance(rows, ChangedRows)
        return StoredNoteTable(
            self.base, rows, self.generation, self.next_id, self.boilerplate, anchors or self.anchors
        )

    def column(self, field: str) -> Mapping[int, Any]:
        found = self._by_id.get(field)
        if found is None:
            found = self._by_id[field] = self.rows.column(field)
        return found

    def neighbours(self, note_id: int) -> Sequence[int]:
        found = self._neighbours.get(note_id)
        if found is None:
            found = self._neighbours[note_id] = self.rows.value("neighbours", note_id)
        return found

    def successors(self, note_id: int) -> Sequence[int]:
        found: Sequence[int] = self.rows.value("successors", note_id) if note_id in self.superseded else ()
        return found

    def section_dates(self, note_id: int) -> list[list[float]]:
        found: list[list[float]] = self.rows.value("section_dates", note_id)
        return found

    @cached_property
    def tag_terms(self) -> dict[str, frozenset[str]]:
        """The terms of each tag, in the language of most notes; the base has those of its tags."""
        language, known = json.loads(bytes(self.base.parts["tag terms"]))
        if language != self.languages[0]:
            return tag_terms(self.tags, self.languages[0])
        new = tag_terms((tag for tag in self.tags if tag not in known), language)
        return {tag: new[tag] if tag in new else frozenset(known[tag].split()) for tag in self.tags}

    @cached_property
    def superseded(self) -> frozenset[int]:
        return self.rows.filled("successors")

    def _parsed_record(self, note_id: int) -> NoteRecord:
        # Decoding a row would need every column, and a recall needs half of them.
        line, timestamp, dated_by = (self.rows.value(field, note_id) for field in ("line", "timestamp", "dated_by"))
        return parse_record(line, timestamp, dated_by, bool(self.successors(note_id)))


def dump(note_table: NoteTable, write_base: Callable[[int, bytes], None]) -> bytes:
    """Return the file of changes for a note table; before that, call `write_base` if a new base is due."""
    if isinstance(note_table, StoredNoteTable):
        boilerplate = None if _is_base_due(note_table.rows) else _boilerplate(note_table)
        if boilerplate is not None:
            return _changes(note_table, boilerplate)
        number = note_table.base.number + 1
    else:
        number = 1
    content, boilerplate = _base(note_table)
    write_base(number, content)
    return seal(pack({"head": _head(note_table, number, boilerplate, ())}))


def load(raw: bytes | mmap, read_base: Callable[[int], Base]) -> StoredNoteTable:
    """Read a note table; BrokenIndexError if it is damaged or of another version.

    `raw` may be a file mapped into memory, of which most parts are read on demand.
    """
    parts = unpack(unsealed(raw))
    generation, next_id, number, boilerplate, removed = json.loads(bytes(parts["head"]))
    base = read_base(number)
    changed = StoredRows(parts).make_all() if "note_id" in parts else {}
    anchors = Anchors(str(parts["anchors"], "ascii")) if "anchors" in parts else base.anchors
    rows = ChangedRows(base.rows, changed, removed)
    return StoredNoteTable(base, rows, generation, next_id, frozenset(boilerplate), anchors)


def load_base(number: int, raw: bytes | mmap) -> Base:
    """Read a base; BrokenIndexError if it is damaged."""
    return Base(number, unpack(unsealed(raw)))


def _is_base_due(rows: ChangedRows) -> bool:
    return len(rows.removed | rows.changed.keys()) > max(MIN_CHANGED, CHANGED_SHARE * len(rows.base))


def _boilerplate(note_table: StoredNoteTable) -> frozenset[str] | None:
    """Return the hashes of boilerplate, counted from the base; None if all notes must be counted."""
    from brain_cli.index.line_counts import LineCounts

    rows = note_table.rows
    counted = LineCounts(*json.loads(bytes(note_table.base.parts["lines"])))
    replaced = (note_id for note_id in rows.removed | rows.changed.keys() if note_id in rows.base.indexes)
    old = (rows.base.values_of("line")[rows.base.indexes[note_id]] for note_id in replaced)
    new = (row.line for row in rows.changed.values())
    return counted.frequent(map(_line_hashes, old), map(_line_hashes, new), len(rows))


def _base(note_table: NoteTable) -> tuple[bytes, frozenset[str]]:
    """Return the file of a base with all rows of a table, and the hashes of its boilerplate."""
    from brain_cli.index.line_counts import frequent_lines, line_counts

    rows = list(note_table.rows.values())
    counted = line_counts(_line_hashes(row.line) for row in rows)
    language = note_table.languages[0]
    tags = tag_terms({tag for row in rows for tag in row.tags}, language)
    parts = {
        "lines": json_bytes(counted),
        "tag terms": json_bytes([language, {tag: " ".join(sorted(each)) for tag, each in sorted(tags.items())}]),
        **_columns(rows),
        "anchors": note_table.anchors.lines.encode(),
    }
    return seal(pack(parts)), frequent_lines(counted, len(rows))


def _changes(note_table: StoredNoteTable, boilerplate: frozenset[str]) -> bytes:
    base, rows, anchors = note_table.base, note_table.rows, note_table.anchors
    parts = {"head": _head(note_table, base.number, boilerplate, rows.removed)}
    if rows.changed:
        parts |= _columns(rows.changed.values())
    if anchors is not base.anchors and anchors.lines != base.anchors.lines:
        parts["anchors"] = anchors.lines.encode()
    return seal(pack(parts))


def _head(note_table: NoteTable, base: int, boilerplate: Iterable[str], removed: Iterable[int]) -> bytes:
    return json_bytes([note_table.generation, note_table.next_id, base, sorted(boilerplate), sorted(removed)])


def _columns(rows: Iterable[NoteRow]) -> dict[str, bytes]:
    columns: dict[str, Any] = dict.fromkeys(NoteRow._fields, ())
    columns |= zip(NoteRow._fields, zip(*rows, strict=True), strict=False)
    parts: dict[str, bytes] = {}
    for field, values in columns.items():
        parts |= column_parts(field, values)
    return parts


def _line_hashes(line: str) -> str:
    """Return the last value of a note's record, a string of hex digits, without parsing the others."""
    return line[line.rindex('"', 0, -2) + 1 : -2]
