"""The two files of a note table: a base, and the changes since it was written.

    catalogue-GENERATION.jsonl    names the base, and has the rows that have changed since; written by every refresh
    base-NUMBER.notes             all rows of one generation, and the anchor text; written when many have changed

So a refresh writes only the changes, and a recall reads two files. Each has a checksum of its whole content, then its
parts by name, one for each column of its rows; the file and each part are in Python's marshal format. Parts and rows
are decoded on first use: a refresh without changes needs three columns, a recall the rows of the notes that it shows.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, MutableMapping, Sequence, ValuesView
from functools import cached_property
from itertools import compress
from marshal import dumps, loads
from typing import TYPE_CHECKING, Any, TypeAlias

from brain_cli.index.damage import seal, unsealed
from brain_cli.index.note_table import Anchors, NoteRecord, NoteRow, NoteTable, parse_record, tag_terms

if TYPE_CHECKING:
    from mmap import mmap

# A new base is written when more notes have changed than both this share of it and this number.
CHANGED_SHARE = 1 / 16
MIN_CHANGED = 32
# Later versions of marshal write equal values differently, by how often they are referred to.
MARSHAL_VERSION = 2
# The parts of a file, each marshalled on its own.
Parts: TypeAlias = Mapping[str, bytes]


class StoredRows(Mapping[int, NoteRow]):
    """The rows of a file by note id, each made on first use."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._columns: dict[str, Sequence[Any]] = {}
        self._rows: dict[int, NoteRow] = {}

    def values_of(self, field: str) -> Sequence[Any]:
        """Return one column, in the order of the file."""
        found = self._columns.get(field)
        if found is None:
            found = self._columns[field] = loads(self._parts[field])
        return found

    @cached_property
    def indexes(self) -> Mapping[int, int]:
        """The index of each note in the columns, by note id."""
        return {note_id: index for index, note_id in enumerate(self.values_of("note_id"))}

    def filled(self, field: str) -> Iterator[int]:
        """Yield the ids of the notes whose list in a column is not empty."""
        return compress(self.values_of("note_id"), self.values_of(field))

    def make_all(self) -> Mapping[int, NoteRow]:
        """Return all rows, decoded in one pass, which is three times faster than one by one."""
        if len(self._rows) < len(self):
            rows = map(NoteRow._make, zip(*self._all_columns, strict=True))
            self._rows = {**dict(zip(self.values_of("note_id"), rows, strict=True)), **self._rows}
        return self._rows

    def __getitem__(self, note_id: int) -> NoteRow:
        row = self._rows.get(note_id)
        if row is None:
            index = self.indexes[note_id]
            row = self._rows[note_id] = NoteRow._make([column[index] for column in self._all_columns])
        return row

    def __iter__(self) -> Iterator[int]:
        return iter(self.values_of("note_id"))

    def __len__(self) -> int:
        return len(self.values_of("note_id"))

    @cached_property
    def _all_columns(self) -> list[Sequence[Any]]:
        return [self.values_of(field) for field in NoteRow._fields]


class ChangedRows(MutableMapping[int, NoteRow]):
    """The rows of a base with changes, in the order of a dict with the same changes.

    `removed` are the notes of the base that were deleted. One that was added again after that is in both.
    """

    def __init__(self, base: StoredRows, changed: Mapping[int, NoteRow], removed: Iterable[int]) -> None:
        self.base = base
        self.changed = dict(changed)
        self.removed = set(removed)

    def copy(self) -> ChangedRows:
        return ChangedRows(self.base, self.changed, self.removed)

    def column(self, field: str) -> dict[int, Any]:
        """Return one field of every row by note id, without decoding the rows."""
        found = dict(zip(self.base, self.base.values_of(field), strict=True))
        for note_id in self.removed:
            del found[note_id]
        found.update((note_id, getattr(row, field)) for note_id, row in self.changed.items())
        return found

    def value(self, field: str, note_id: int) -> Any:
        """Return one field of a row, without decoding the row."""
        if note_id in self.changed or note_id in self.removed:
            return getattr(self[note_id], field)
        return self.base.values_of(field)[self.base.indexes[note_id]]

    def filled(self, field: str) -> frozenset[int]:
        """Return the ids of the notes whose list in a column is not empty."""
        kept = {each for each in self.base.filled(field) if each not in self.removed and each not in self.changed}
        return frozenset(kept.union(note_id for note_id, row in self.changed.items() if getattr(row, field)))

    def values(self) -> ValuesView[NoteRow]:
        self.base.make_all()
        return super().values()

    def items(self) -> ItemsView[int, NoteRow]:
        self.base.make_all()
        return super().items()

    def __getitem__(self, note_id: int) -> NoteRow:
        row = self.changed.get(note_id)
        if row is not None:
            return row
        if note_id in self.removed:
            raise KeyError(note_id)
        return self.base[note_id]

    def __setitem__(self, note_id: int, row: NoteRow) -> None:
        self.changed[note_id] = row

    def __delitem__(self, note_id: int) -> None:
        if note_id not in self:
            raise KeyError(note_id)
        self.changed.pop(note_id, None)
        if note_id in self.base.indexes:
            self.removed.add(note_id)

    def __contains__(self, note_id: object) -> bool:
        return note_id in self.changed or (note_id in self.base.indexes and note_id not in self.removed)

    def __iter__(self) -> Iterator[int]:
        yield from (note_id for note_id in self.base if note_id not in self.removed) if self.removed else self.base
        yield from (note_id for note_id in self.changed if self._is_added(note_id))

    def __len__(self) -> int:
        return len(self.base) - len(self.removed) + sum(map(self._is_added, self.changed))

    def _is_added(self, note_id: int) -> bool:
        return note_id in self.removed or note_id not in self.base.indexes


class Base:
    """A base that has been read: its number, its rows and its anchor text."""

    def __init__(self, number: int, parts: Parts) -> None:
        self.number = number
        self.parts = parts
        self.rows = StoredRows(parts)

    @cached_property
    def anchors(self) -> Anchors:
        return Anchors(loads(self.parts["anchors"]))


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
        found: Sequence[int] = self.rows.value("neighbours", note_id)
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
        language, known = loads(self.base.parts["tag terms"])
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
    return _packed({"head": _head(note_table, number, boilerplate, ())})


def load(raw: bytes | mmap, read_base: Callable[[int], Base]) -> StoredNoteTable:
    """Read a note table; BrokenIndexError if it is damaged or of another version.

    `raw` may be a file mapped into memory, of which most parts are read on demand.
    """
    parts: Parts = loads(unsealed(raw))
    generation, next_id, number, boilerplate, removed = loads(parts["head"])
    base = read_base(number)
    changed = StoredRows(parts).make_all() if "note_id" in parts else {}
    anchors = Anchors(loads(parts["anchors"])) if "anchors" in parts else base.anchors
    rows = ChangedRows(base.rows, changed, removed)
    return StoredNoteTable(base, rows, generation, next_id, frozenset(boilerplate), anchors)


def load_base(number: int, raw: bytes | mmap) -> Base:
    """Read a base; BrokenIndexError if it is damaged."""
    return Base(number, loads(unsealed(raw)))


def _is_base_due(rows: ChangedRows) -> bool:
    return len(rows.removed | rows.changed.keys()) > max(MIN_CHANGED, CHANGED_SHARE * len(rows.base))


def _boilerplate(note_table: StoredNoteTable) -> frozenset[str] | None:
    """Return the hashes of boilerplate, counted from the base; None if all notes must be counted."""
    from brain_cli.vault.repetition import LineCounts

    rows = note_table.rows
    counted = LineCounts(*loads(note_table.base.parts["lines"]))
    replaced = (note_id for note_id in rows.removed | rows.changed.keys() if note_id in rows.base.indexes)
    old = (rows.base.values_of("line")[rows.base.indexes[note_id]] for note_id in replaced)
    new = (row.line for row in rows.changed.values())
    return counted.frequent(map(_line_hashes, old), map(_line_hashes, new), len(rows))


def _base(note_table: NoteTable) -> tuple[bytes, frozenset[str]]:
    """Return the file of a base with all rows of a table, and the hashes of its boilerplate."""
    from brain_cli.vault.repetition import frequent_lines, line_counts

    rows = list(note_table.rows.values())
    counted = line_counts(_line_hashes(row.line) for row in rows)
    language = note_table.languages[0]
    tags = tag_terms({tag for row in rows for tag in row.tags}, language)
    parts = {
        "lines": (counted.threshold, counted.counts),
        "tag terms": (language, {tag: " ".join(sorted(each)) for tag, each in sorted(tags.items())}),
        **_columns(rows),
        "anchors": note_table.anchors.lines,
    }
    return _packed(parts), frequent_lines(counted, len(rows))


def _changes(note_table: StoredNoteTable, boilerplate: frozenset[str]) -> bytes:
    base, rows, anchors = note_table.base, note_table.rows, note_table.anchors
    parts: dict[str, object] = {"head": _head(note_table, base.number, boilerplate, rows.removed)}
    if rows.changed:
        parts |= _columns(rows.changed.values())
    if anchors is not base.anchors and anchors.lines != base.anchors.lines:
        parts["anchors"] = anchors.lines
    return _packed(parts)


def _head(note_table: NoteTable, base: int, boilerplate: Iterable[str], removed: Iterable[int]) -> object:
    return note_table.generation, note_table.next_id, base, sorted(boilerplate), sorted(removed)


def _columns(rows: Iterable[NoteRow]) -> dict[str, object]:
    columns = zip(*rows, strict=True)
    return {field: list(next(columns, ())) for field in NoteRow._fields}


def _packed(parts: Mapping[str, Any]) -> bytes:
    marshalled = {name: dumps(value, MARSHAL_VERSION) for name, value in parts.items()}
    return seal(dumps(marshalled, MARSHAL_VERSION))


def _line_hashes(line: str) -> str:
    """Return the last value of a note's record, a string of hex digits, without parsing the others."""
    return line[line.rindex('"', 0, -2) + 1 : -2]
