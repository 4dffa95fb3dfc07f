"""The table of all notes with their metadata: one row per note, with the record of its other
contents.

A refresh compares the vault with this table, and a recall takes the ranking's inputs from it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain
from math import inf, sqrt
from operator import itemgetter, mul
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from brain_cli.index.note_rows import Columns, NameTerms, NoteRows, packed, parse_record
from brain_cli.index.note_rows import NoteRecord as NoteRecord
from brain_cli.index.note_rows import NoteRow as NoteRow
from brain_cli.types import INDEX_PAGES, MTIME, NoteMetadata
from brain_cli.vault.clock import offset_at, one_moment

if TYPE_CHECKING:
    from mmap import mmap

    from brain_cli.vault.resolve import NameTable
    from brain_cli.vault.walk import File

# The words of links: term → note id → the number of notes that link to it with that term.
LinkCounts = dict[str, Counter[int]]
ANCHOR_WEIGHT = 6.0
# A word of a link gets half the weight of a title's word if one note links with it, and full weight
# if four do.
ONE_LINK = 0.5
# At least this many undated files with nearly the same time come from a clone or an archive.
MIN_CLONED = 20
# A new base is written when more notes have changed than both this share of it and this number.
CHANGED_SHARE = 1 / 16
MIN_CHANGED = 32
# So many parsed records are kept; a recall reads a few hundred, and a report all.
MAX_RECORDS = 10_000


class NoteTable:
    """All rows of one generation by note id.

    `boilerplate` has the hashes of lines that are in many notes; `rules` are the settings under
    which the notes were read.
    """

    def __init__(
        self,
        generation: int = 0,
        next_id: int = 1,
        rows: Mapping[int, NoteRow] = MappingProxyType({}),
        boilerplate: frozenset[str] = frozenset(),
        anchors: Anchors | None = None,
        rules: bytes = b"",
    ) -> None:
        self.generation = generation
        self.next_id = next_id
        self.rows = rows if isinstance(rows, NoteRows) else NoteRows(Columns(), rows)
        self.boilerplate = boilerplate
        self.anchors = anchors or Anchors()
        self.rules = rules
        self._records: dict[int, NoteRecord] = {}
        self._columns: dict[str, Mapping[int, Any]] = {}

    def read_record(self, note_id: int) -> NoteRecord:
        """Return the record of a note, parsing it on first use."""
        found = self._records.get(note_id)
        if found is None:
            if len(self._records) >= MAX_RECORDS:
                self._records.clear()
            found = self._records[note_id] = self.parsed_record(note_id)
        return found

    def parsed_record(self, note_id: int) -> NoteRecord:
        """Return the record of a note without keeping it in memory."""
        found = self.stored_record(note_id)
        metadata = found.metadata._replace(
            # Making a row would need every column, and a recall needs half of them.
            timestamp=self.value("timestamp", note_id),
            dated_by=self.value("dated_by", note_id),
            superseded=bool(self.successors(note_id)) or found.metadata.superseded,
        )
        return found._replace(metadata=metadata)

    def stored_record(self, note_id: int) -> NoteRecord:
        """Return the record of a note without the values of its row that complete it."""
        return parse_record(self.value("line", note_id))

    def metadata(self, note_id: int) -> NoteMetadata:
        """Return a note's metadata."""
        return self.read_record(note_id).metadata

    def name_terms(self, note_id: int) -> NameTerms:
        """Return the terms of a note's names."""
        return NameTerms(*self.rows.value("name_terms", note_id))

    def value(self, field: str, note_id: int) -> Any:
        """Return one field of a note's row."""
        return self.rows.value(field, note_id)

    def values(self, field: str) -> Sequence[Any]:
        """Return one field of every row, in one order for all fields."""
        return self.rows.field_values(field)

    def column(self, field: str) -> Mapping[int, Any]:
        """Return one field of every row, by note id."""
        if field not in self._columns:
            self._columns[field] = self.rows.column(field)
        return self._columns[field]

    def with_rows(self, rows: NoteRows, anchors: Anchors | None = None) -> NoteTable:
        """Return a table with these rows, a changed copy of its own, and with this anchor text if
        it is given.
        """
        return NoteTable(
            generation=self.generation,
            next_id=self.next_id,
            rows=rows,
            boilerplate=self.boilerplate,
            anchors=anchors or self.anchors,
            rules=self.rules,
        )

    def neighbours(self, note_id: int) -> Sequence[int]:
        """Return the notes that a note links to, and those that link to it."""
        found: Sequence[int] = self.rows.value("neighbours", note_id)
        return found

    def successors(self, note_id: int) -> Sequence[int]:
        """Return the notes that supersede a note."""
        found: Sequence[int] = self.rows.value("successors", note_id)
        return found

    def section_dates(self, note_id: int) -> list[list[float]]:
        """Return the sections of a note whose headings name a date: the number of each from 0, and
        the date.
        """
        found: list[list[float]] = self.rows.value("section_dates", note_id)
        return found

    def stated_date(self, note_id: int) -> float | None:
        """Return the date of a note; None if it is only the time of a clone, which most undated
        files share.
        """
        timestamp: float = self.rows.value("timestamp", note_id)
        first, last = self._clone or (inf, -inf)
        is_of_clone = (
            first <= timestamp <= last and self.rows.value("dated_by", note_id) == MTIME
        )
        return None if is_of_clone else timestamp

    def invalid(self, local: float) -> dict[int, str]:
        """Return the notes that do not hold at a time of the calendar, each with the reason."""
        bounded = self.rows.filled("ends") | self.rows.filled("begins")
        if not bounded:
            return {}
        # Imported here, because few vaults have such notes.
        from brain_cli.vault.validity import Validity

        found = {}
        for note_id in bounded:
            since = self.value("begins", note_id) or -inf
            before = self.value("ends", note_id) or inf
            if why := Validity(since, before).at(local):
                found[note_id] = why
        return found

    def local_date(self, note_id: int, zone: str) -> float | None:
        """Return the stated date of a note on the calendar of a zone, in seconds."""
        moment = self.stated_date(note_id)
        offset: float | None = self.rows.value("offset", note_id)
        if moment is None:
            return None
        return moment + (offset_at(moment, zone) if offset is None else offset)

    @property
    def undated(self) -> int:
        """The number of notes without a date of their own."""
        return sum(self.stated_date(note_id) is None for note_id in self.rows)

    @cached_property
    def superseded(self) -> frozenset[int]:
        """The ids of the notes that others supersede."""
        return self.rows.filled("successors")

    @cached_property
    def pinned(self) -> frozenset[int]:
        """The ids of the pinned notes."""
        return self.rows.filled("pinned")

    @cached_property
    def archived(self) -> frozenset[int]:
        """The ids of the archived notes."""
        return self.rows.filled("archived")

    def snoozed(self, local: float) -> frozenset[int]:
        """Return the ids of the notes that are snoozed at a time of the calendar, in seconds."""
        return frozenset(
            each
            for each in self.rows.filled("snoozed_until")
            if self.value("snoozed_until", each) > local
        )

    @cached_property
    def oldest_date(self) -> float:
        """The oldest stated date of a note. In a query for the newest notes, an undated note counts
        as this old.
        """
        return min(filter(None, map(self.stated_date, self.rows)), default=0.0)

    @cached_property
    def _clone(self) -> tuple[float, float] | None:
        dates = zip(self.values("timestamp"), self.values("dated_by"), strict=True)
        times = [timestamp for timestamp, dated_by in dates if dated_by == MTIME]
        return one_moment(times) if len(times) >= MIN_CLONED else None

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The id of each note, by its path."""
        return {path: note_id for note_id, path in self.column("path").items()}

    @cached_property
    def file_states(self) -> Mapping[str, tuple[int, int]]:
        """The size and time of each note's file when it was read, by path."""
        states = zip(self.values("size"), self.values("mtime_ns"), strict=True)
        return dict(zip(self.values("path"), states, strict=True))

    def warnings_of(self, file: File) -> list[str] | None:
        """Return the warnings of reading a file; None if it has changed since, or is not a note."""
        if self.file_states.get(file.path) != (file.size, file.mtime_ns):
            return None
        warnings: str = self.value("warnings", self.ids[file.path])
        return warnings.splitlines()

    def row_at(self, path: str) -> NoteRow | None:
        """Return the row of the note at a path."""
        note_id = self.ids.get(path)
        return None if note_id is None else self.rows[note_id]

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the notes, most frequent first; English for an empty vault."""
        from brain_cli.vault.analyzer import DEFAULT_LANGUAGE

        counted = Counter(self.values("language"))
        return tuple(sorted(counted, key=lambda each: (-counted[each], each))) or (
            DEFAULT_LANGUAGE,
        )

    @cached_property
    def duplicates(self) -> Counter[str]:
        """The number of notes with each content hash."""
        return Counter(self.values("content_hash"))

    @property
    def notes(self) -> int:
        """The number of notes."""
        return len(self.rows)

    @cached_property
    def fragments(self) -> int:
        return sum(self.values("fragments"))

    @cached_property
    def length(self) -> int:
        """The weighted words of the whole vault."""
        return sum(self.values("length"))

    @cached_property
    def checksum(self) -> int:
        """The expected sum of the engine's column of note ids."""
        return sum(map(mul, self.values("note_id"), self.values("fragments")))

    @cached_property
    def tags(self) -> Counter[str]:
        """The number of active notes with each tag (case-folded)."""
        pairs = zip(self.values("tags"), self.values("archived"), strict=True)
        return Counter(tag for tags, archived in pairs if not archived for tag in tags)

    @cached_property
    def tag_terms(self) -> dict[str, frozenset[str]]:
        """The terms of each tag, in the language of most notes."""
        from brain_cli.vault.analyzer import terms

        return {tag: frozenset(terms(tag, self.languages[0])) for tag in self.tags}

    @cached_property
    def projects(self) -> frozenset[str]:
        """The projects of all notes (case-folded)."""
        return frozenset(filter(None, self.values("project")))

    def moved(self, known: Mapping[str, str]) -> dict[str, str]:
        """Return the moved notes (path → former path): the history has their content under a path
        that is gone.

        `known` maps the paths of the history to content hashes.
        """
        path_by_hash = {
            content_hash: path
            for path, content_hash in known.items()
            if content_hash and path not in self.ids
        }
        if not path_by_hash:
            return {}
        rows = (row for row in self.rows.values() if row.path not in known)
        return {
            row.path: path_by_hash[row.content_hash]
            for row in rows
            if row.content_hash in path_by_hash
        }

    def with_any(self, field: str, keys: AbstractSet[str]) -> list[int]:
        """Return the notes that have one of these keys in a column, one a line."""
        if not keys:
            return []
        return [
            note_id
            for note_id, lines in zip(self.rows, self.rows.each(field), strict=True)
            if not keys.isdisjoint(lines.split("\n"))
        ]

    def with_unknown_names(self) -> dict[int, str]:
        """Return the paths of the notes that may have a broken link, in their order: not all keys
        of their links are keys of a note.
        """
        known = {""}.union(*(keys.split("\n") for keys in self.values("name_keys")))
        found = (
            (note_id, self.value("path", note_id))
            for note_id, keys in self.column("link_keys").items()
            if not known.issuperset(keys.split("\n"))
        )
        return dict(sorted(found, key=itemgetter(1)))

    def with_shared_names(self) -> Iterator[NoteMetadata]:
        """Yield the metadata of the notes that have a name that others have, too."""
        keys = chain.from_iterable(map(str.splitlines, self.values("name_keys")))
        # A key that begins with a space is a path, not a name.
        counts = Counter(key for key in keys if key[0] != " ")
        shared = {key for key, count in counts.items() if count > 1} - INDEX_PAGES
        for note_id in self.with_any("name_keys", shared):
            yield self.parsed_record(note_id).metadata

    def names_for(self, note_ids: Iterable[int]) -> NameTable:
        """Return the names of all notes that the links of some notes may mean."""
        lines = (self.value("link_keys", note_id) for note_id in note_ids)
        return self.names_with({key for keys in lines for key in keys.split("\n")})

    def names_with(self, keys: AbstractSet[str]) -> NameTable:
        """Return the names of all notes that have one with these keys."""
        return self.names(self.with_any("name_keys", keys))

    def names(self, note_ids: Iterable[int] | None = None) -> NameTable:
        """Return the names of some notes, or of all. If two notes have the same name, the first by
        path gets it.
        """
        from brain_cli.vault.resolve import NameTable

        paths = self.column("path")
        in_order = sorted(paths if note_ids is None else note_ids, key=paths.__getitem__)
        # The records of so many notes would fill the memory.
        return NameTable(self.stored_record(note_id).metadata for note_id in in_order)


class Anchors:
    """The anchor text of all notes of one generation: the words of the links to each note.

    It is kept as text with one line for each word, so that a recall parses only the lines of its
    own words:

        "hmm":[12,3,40,1]       three notes link to note 12 with the word “hmm”, one to note 40
    """

    def __init__(self, lines: str = "") -> None:
        self.lines = lines

    def weights(self, term: str) -> dict[int, float]:
        """Return the anchor weight of a term by note id."""
        return {note_id: anchor_weight(links) for note_id, links in self.links(term).items()}

    def links(self, term: str) -> dict[int, int]:
        """Return the number of links with a term by the id of the linked note."""
        key = f"\n{json.dumps(term)}:"
        start = self.lines.find(key)
        if start < 0:
            return {}
        end = self.lines.find("\n", start + len(key))
        return _counts_in(self.lines[start : end if end >= 0 else None])


def anchor_weight(links: int) -> float:
    """Return the weight of a word with which this many notes link to a note."""
    return ANCHOR_WEIGHT * min(1.0, ONE_LINK * sqrt(links))


def anchors_of(counts: Mapping[str, Mapping[int, int]]) -> Anchors:
    """Return the anchor text of a vault from its counted links."""
    return Anchors("".join(f"\n{_anchor_line(term, counts[term])}" for term in sorted(counts)))


def changed_anchors(anchors: Anchors, old: LinkCounts, new: LinkCounts) -> Anchors:
    """Return anchor text with the links `new` instead of the links `old`."""
    terms = {term for term in {*old, *new} if old.get(term) != new.get(term)}
    if not terms:
        return anchors
    lines = {
        json.loads(line[: line.rindex(":")]): line for line in anchors.lines.split("\n")[1:]
    }
    for term in terms:
        counts = Counter(_counts_in(lines.get(term, ":[]")))
        counts.subtract(old.get(term, {}))
        counts.update(new.get(term, {}))
        if left := +counts:
            lines[term] = _anchor_line(term, left)
        else:
            lines.pop(term, None)
    return Anchors("".join(f"\n{lines[term]}" for term in sorted(lines)))


def _anchor_line(term: str, notes: Mapping[int, int]) -> str:
    values = json.dumps(
        [number for pair in sorted(notes.items()) for number in pair], separators=(",", ":")
    )
    return f"{json.dumps(term)}:{values}"


def _counts_in(line: str) -> dict[int, int]:
    values = json.loads(line[line.rindex(":") + 1 :])
    return dict(zip(values[::2], values[1::2], strict=True))


def dump(
    note_table: NoteTable, write_base: Callable[[int, Iterable[bytes]], None]
) -> Iterator[bytes]:
    """Return the file of changes for a note table; before that, call `write_base` if a new base is
    due.
    """
    rows = note_table.rows
    anchors = "anchors", note_table.anchors.lines
    number = rows.base.number
    boilerplate = None if _is_base_due(rows) else _boilerplate(rows)
    changes = NoteRows(Columns(), rows.changed)
    removed = rows.removed
    linked = {note_id: (*links,) for note_id, links in rows.linked.items()}
    parts = [*changes.columns()] if changes else []
    if boilerplate is None:
        # Imported here, because most refreshes write no base.
        from brain_cli.vault import repetition

        number += 1
        removed = set()
        linked = {}
        counted = repetition.line_counts(
            lambda: map(_line_hashes, rows.each("line")), len(rows)
        )
        boilerplate = counted.frequent((), (), len(rows)) or frozenset()
        write_base(number, packed(chain((("lines", tuple(counted)), anchors), rows.columns())))
        parts = []
    elif anchors[1] != rows.base.part("anchors", ""):
        parts.append(anchors)
    numbers = note_table.generation, note_table.next_id, number
    head = *numbers, sorted(boilerplate), sorted(removed), linked, note_table.rules
    return packed([("head", head), *parts])


def load(raw: mmap, base: Columns, read_base: Callable[[int], Columns]) -> NoteTable:
    """Read a note table, on this base if it is the right one; BrokenIndexError if it is damaged or
    of another version.
    """
    changes = Columns(raw)
    generation, next_id, number, boilerplate, removed, linked, rules = changes.part("head")
    if base.number != number:
        base = read_base(number)
    changed = {row.note_id: row for row in NoteRows(changes, {}).values()}
    return NoteTable(
        generation=generation,
        next_id=next_id,
        rows=NoteRows(base, changed, removed, linked),
        boilerplate=frozenset(boilerplate),
        anchors=Anchors(changes.part("anchors", base.part("anchors", ""))),
        rules=rules,
    )


def _is_base_due(rows: NoteRows) -> bool:
    changed = len(rows.removed) + len(rows.changed) + len(rows.linked)
    return not rows.base.number or changed > max(
        MIN_CHANGED, CHANGED_SHARE * len(rows.base.indexes)
    )


def _boilerplate(rows: NoteRows) -> frozenset[str] | None:
    """Return the hashes of boilerplate, counted from the base; None if all notes must be
    counted.
    """
    from brain_cli.vault.repetition import LineCounts

    base = rows.base
    counted = LineCounts(*base.part("lines"))
    replaced = (
        note_id for note_id in rows.removed | rows.changed.keys() if note_id in base.indexes
    )
    old = (base.value("line", base.indexes[note_id]) for note_id in replaced)
    new = (row.line for row in rows.changed.values())
    return counted.frequent(map(_line_hashes, old), map(_line_hashes, new), len(rows))


def _line_hashes(line: str) -> str:
    """Return the last value of a note's record, a string of hex digits, without parsing
    the others.
    """
    return line[line.rindex('"', 0, -2) + 1 : -2]
