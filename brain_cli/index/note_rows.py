"""The rows of a note table, one per note, and the two files that they are stored in: a base, and
the changes to it.

    catalogue-GENERATION.jsonl    names the base, and has the rows that have changed since;
                                  written by every refresh
    base-NUMBER.notes             all rows of one generation, and the anchor text; written when
                                  many have changed

So a refresh writes only the changes, and a recall reads two files. Each has a part for each column
of its rows, then the places of the parts, all in Python's marshal format. Parts and rows are
decoded on first use: a refresh without changes needs three columns, a recall the rows of the notes
that it shows. Of a column with long values, each value is decoded by itself.
"""

import json
from array import array
from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from functools import cached_property
from itertools import chain, compress, pairwise
from marshal import dumps, loads
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from brain_cli.index.damage import BrokenIndexError, seal, unsealed
from brain_cli.types import Link, NoteMetadata

if TYPE_CHECKING:
    from mmap import mmap

# Later versions of marshal write equal values differently, by how often they are referred to.
MARSHAL_VERSION = 2
# The columns with long values, of which a recall needs few.
LONG = frozenset(("line", "neighbours", "name_keys", "link_keys", "name_terms"))
# After so many values of such columns, the memory of the mapped file is released: the system maps
# 64 KB around each.
RELEASED_VALUES = 256


class NoteRow(NamedTuple):
    """One note: the state of its file when it was read, the inputs of ranking, and all else as one
    line of text.

    `timestamp` is the note's date in seconds, and `dated_by` the source of it; `offset` is as in
    `NoteMetadata`; `section_dates` pairs the number of a fragment, from 0, with the date in its
    heading; `kind` is as in `NoteMetadata`. `mtime_ns` is -1 if the file was so fresh that a change
    might not show in its time. `language` is that of the stemmer; `length` is the sum of the
    weighted words of all its fragments; `snoozed_until` is in seconds of the calendar, 0 for a note
    that is not snoozed. `neighbours` are note ids, both directions; `successors` the ids of the
    notes that supersede it; `tags` and `project` are case-folded; `line` is the `NoteRecord`.
    `name_keys` and `link_keys`, one a line, connect links with the notes that they may mean
    (vault/resolve.py); `name_terms` are `NameTerms`. `begins` and `ends` bound the time in which
    the note holds, in seconds of the calendar, 0 for no bound; `changes` tells that some of its
    lines do not always hold (vault/validity.py). `warnings` are those of reading it, one a line.
    """

    note_id: int
    path: str
    size: int
    mtime_ns: int
    content_hash: str
    timestamp: float
    dated_by: str
    section_dates: list[list[float]]
    kind: str
    language: str
    fragments: int
    length: int
    archived: bool
    pinned: bool
    snoozed_until: float
    project: str
    tags: list[str]
    successors: list[int]
    neighbours: list[int]
    line: str
    name_keys: str = ""
    link_keys: str = ""
    name_terms: tuple[str, Sequence[int]] = ("", ())
    offset: float | None = None
    begins: float = 0.0
    ends: float = 0.0
    changes: bool = False
    warnings: str = ""


class NoteLinks(NamedTuple):
    """The values of a row that change with the links of other notes."""

    successors: Sequence[int]
    neighbours: Sequence[int]


class NameTerms(NamedTuple):
    """The terms of a note's names, one name a line, with a space around each term; how many 4-grams
    each name has.

    A name has a 4-gram if its line contains it. Sets of 4-grams would take ten times the memory.
    """

    lines: str = ""
    sizes: Sequence[int] = ()

    def shared(self, asked: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Yield how many of some 4-grams each name has, and how many it has in all; nothing if no
        name has any.
        """
        found = [gram for gram in asked if gram in self.lines]
        for line, size in zip(self.lines.split("\n"), self.sizes, strict=True) if found else ():
            yield sum(gram in line for gram in found), size

    @property
    def of_each(self) -> list[frozenset[str]]:
        """The distinct terms of each name."""
        return [frozenset(line.split()) for line in self.lines.split("\n")]


class NoteRecord(NamedTuple):
    """The other contents of a note as a line of JSON, which is parsed on demand.

    `links` are target, heading and text, `sketch` is of the bigrams of the body
    (vault/repetition.py), `line_hashes` of its lines (vault/repetition.py).
    """

    metadata: NoteMetadata
    links: list[Link]
    sketch: str
    line_hashes: str = ""


def record_line(read_record: NoteRecord) -> str:
    """Return the record of a note as one line."""
    return json.dumps([list(read_record.metadata), *read_record[1:]], separators=(",", ":"))


def parse_record(line: str) -> NoteRecord:
    """Read the line of a record. Its timestamp, its source and whether the note is superseded may
    differ from those of the row, which count.
    """
    try:
        values, links, *hashes = json.loads(line)
    except ValueError:
        raise BrokenIndexError from None
    metadata = NoteMetadata._make(
        [tuple(value) if type(value) is list else value for value in values]
    )
    return NoteRecord(metadata, [Link._make(link) for link in links], *hashes)


class Columns:
    """The parts of a file by name, each decoded on first use; without parts, the columns of no
    rows.
    """

    def __init__(self, raw: "bytes | mmap | None" = None, number: int = 0) -> None:
        self.number = number
        # By name, where a part begins and ends.
        self._places: Mapping[str, tuple[int, int]] = {}
        if raw is not None:
            self._places = _decoded(unsealed(raw))
            self._content = memoryview(raw)
        self._raw: Any = raw
        self._values_read = 0
        self._decoded: dict[str, Any] = {}
        self._rows: dict[int, NoteRow] = {}

    def part(self, name: str, default: Any = ()) -> Any:
        """Return one part, `default` if the file lacks it; BrokenIndexError if it is damaged."""
        if name not in self._decoded:
            if name not in self._places:
                self._decoded[name] = default
            elif name in LONG:
                self._decoded[name] = [*self._long_values(name)]
            else:
                self._decoded[name] = self._read(*self._places[name])
        return self._decoded[name]

    def stream(self, field: str) -> Iterator[Any]:
        """Yield the values of a column without keeping them in memory."""
        if field in self._decoded or field not in self._places:
            return iter(self.part(field))
        if field in LONG:
            return self._long_values(field)
        return iter(self._read(*self._places[field]))

    def _long_values(self, field: str) -> Iterator[Any]:
        for start, end in pairwise(chain((0,), self._ends(field))):
            yield self._long_value(field, start, end)

    def value(self, field: str, index: int) -> Any:
        """Return one value of a column."""
        if field not in LONG or field in self._decoded:
            return self.part(field)[index]
        ends = self._ends(field)
        return self._long_value(field, ends[index - 1] if index else 0, ends[index])

    def _long_value(self, field: str, start: int, end: int) -> Any:
        self._values_read += 1
        if self._values_read % RELEASED_VALUES == 0 and hasattr(self._raw, "madvise"):
            # Imported here, because few commands read so many values.
            from mmap import MADV_DONTNEED

            self._raw.madvise(MADV_DONTNEED)
        column = self._places[field][0]
        return self._read(column + start, column + end)

    def _ends(self, field: str) -> memoryview:
        """Return where each value of a column ends within it."""
        return memoryview(self.part(f"{field} ends")).cast("Q")

    def _read(self, start: int, end: int) -> Any:
        return _decoded(self._content[start:end])

    @cached_property
    def indexes(self) -> Mapping[int, int]:
        """The index of each note in the columns, by note id."""
        return {note_id: index for index, note_id in enumerate(self.part("note_id"))}

    def row(self, note_id: int) -> NoteRow:
        """Return one row, made on first use."""
        if note_id not in self._rows:
            index = self.indexes[note_id]
            self._rows[note_id] = NoteRow._make(
                self.value(field, index) for field in NoteRow._fields
            )
        return self._rows[note_id]


class NoteRows(MutableMapping[int, NoteRow]):
    """The rows of a base with changes; new rows come last. `removed` are the notes of the base that
    were deleted, `linked` the new links of notes of the base that are otherwise unchanged.
    """

    def __init__(
        self,
        base: Columns,
        changed: Mapping[int, NoteRow],
        removed: Iterable[int] = (),
        linked: Mapping[int, Sequence[Sequence[int]]] = MappingProxyType({}),
    ) -> None:
        self.base = base
        self.changed = dict(changed)
        self.removed = set(removed)
        self.linked = {note_id: NoteLinks(*links) for note_id, links in linked.items()}

    def copy(self) -> "NoteRows":
        return NoteRows(self.base, self.changed, self.removed, self.linked)

    def link(self, note_id: int, links: NoteLinks) -> None:
        """Replace the links of a note."""
        if note_id in self.changed:
            self.changed[note_id] = self.changed[note_id]._replace(**links._asdict())
        else:
            self.linked[note_id] = links

    def column(self, field: str) -> dict[int, Any]:
        """Return one field of every row by note id, without making the rows."""
        found = dict(zip(self.base.part("note_id"), self.base.part(field), strict=True))
        for note_id in self.removed:
            del found[note_id]
        found.update(self._changes(field))
        return found

    def _changes(self, field: str) -> dict[int, Any]:
        """Return the values of a field that differ from the base, and those of new notes."""
        linked = self.linked if field in NoteLinks._fields else {}
        value = attrgetter(field)
        return {
            note_id: value(found)
            for note_id, found in chain(linked.items(), self.changed.items())
        }

    def each(self, field: str) -> Iterator[Any]:
        """Yield one field of every row, in the order of the rows, without keeping the others in
        memory.
        """
        changes = self._changes(field)
        ids = self.base.part("note_id")
        for note_id, value in zip(ids, self.base.stream(field), strict=True):
            if note_id not in self.removed:
                yield changes.pop(note_id, value)
        yield from changes.values()

    def read_all(self) -> None:
        """Read every value, keeping only what is short; BrokenIndexError if one is damaged."""
        for field in NoteRow._fields:
            for _ in self.each(field):
                pass

    def columns(self) -> Iterator[tuple[str, Any]]:
        """Yield the columns of all rows, as parts of a file."""
        for field in NoteRow._fields:
            values = self.each(field)
            yield field, values if field in LONG else [*values]

    def field_values(self, field: str) -> Sequence[Any]:
        """Return one field of every row, in the order of the rows."""
        return (
            [*self.column(field).values()]
            if self.removed or self.changed or self.linked
            else self.base.part(field)
        )

    def value(self, field: str, note_id: int) -> Any:
        """Return one field of a row, without making the row."""
        if note_id in self.changed:
            return getattr(self.changed[note_id], field)
        if note_id in self.removed:
            raise KeyError(note_id)
        if note_id in self.linked and field in NoteLinks._fields:
            return getattr(self.linked[note_id], field)
        return self.base.value(field, self.base.indexes[note_id])

    def filled(self, field: str) -> frozenset[int]:
        """Return the ids of the notes whose value in a column is not empty, 0 or false."""
        changes = self._changes(field)
        kept = set(compress(self.base.part("note_id"), self.base.part(field)))
        kept -= self.removed | changes.keys()
        return frozenset(kept.union(note_id for note_id, value in changes.items() if value))

    def values(self) -> Iterator[NoteRow]:  # type: ignore[override]
        """Yield all rows, made in one pass, which is three times faster than one by one."""
        return map(NoteRow._make, zip(*map(self.each, NoteRow._fields), strict=True))

    def __getitem__(self, note_id: int) -> NoteRow:
        if note_id in self.changed:
            return self.changed[note_id]
        if note_id in self.removed:
            raise KeyError(note_id)
        row = self.base.row(note_id)
        return row._replace(**self.linked[note_id]._asdict()) if note_id in self.linked else row

    def __setitem__(self, note_id: int, row: NoteRow) -> None:
        self.changed[note_id] = row
        self.removed.discard(note_id)

    def __delitem__(self, note_id: int) -> None:
        self.changed.pop(note_id, None)
        self.linked.pop(note_id, None)
        if note_id in self.base.indexes:
            self.removed.add(note_id)

    def __contains__(self, note_id: object) -> bool:
        return note_id in self.changed or (
            note_id in self.base.indexes and note_id not in self.removed
        )

    def __iter__(self) -> Iterator[int]:
        return iter(self.column("note_id"))

    def __len__(self) -> int:
        new = sum(note_id not in self.base.indexes for note_id in self.changed)
        return len(self.base.indexes) - len(self.removed) + new


def _decoded(content: memoryview) -> Any:
    try:
        return loads(content)
    except (ValueError, EOFError, TypeError):
        raise BrokenIndexError from None


def packed(parts: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """Yield the content of the file of some parts."""
    places = {}
    end = 0
    for name, value in parts:
        start = end
        if name in LONG:
            ends = array("Q")
            for each in value:
                content = dumps(each, MARSHAL_VERSION)
                yield content
                end += len(content)
                ends.append(end - start)
            places[name] = start, end
            name, value, start = f"{name} ends", ends.tobytes(), end
        content = dumps(value, MARSHAL_VERSION)
        yield content
        end += len(content)
        places[name] = start, end
    yield seal(dumps(places, MARSHAL_VERSION))
