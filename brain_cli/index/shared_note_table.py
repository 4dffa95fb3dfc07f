"""The notes fetched from a shared memory, with the totals of the whole memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import inf
from operator import attrgetter
from typing import Any

from brain_cli.index.note_table import NoteRecord, NoteRow, NoteTable
from brain_cli.index.shared_store import Reader, StoreError
from brain_cli.index.shared_store_values import Details, FoundNote, Totals
from brain_cli.vault.language import DEFAULT_LANGUAGE

# This many records are fetched with the candidates; all others when one of them is missing.
RECORDS_AT_ONCE = 150
MAX_TAGS = 50
STORED_FIELDS = NoteRow._fields[:-3]


class Rows(dict[int, NoteRow]):
    """The rows of the candidates. Of any other note, at most the links are known."""

    def __init__(self) -> None:
        super().__init__()
        self.relays: dict[int, Sequence[int]] = {}

    def __missing__(self, note_id: int) -> NoteRow:
        return UNKNOWN._replace(neighbours=list(self.relays[note_id])) if note_id in self.relays else UNKNOWN


UNKNOWN = NoteRow(
    note_id=0,
    path="",
    size=0,
    mtime_ns=0,
    content_hash="",
    timestamp=0.0,
    dated_by="",
    section_dates=[],
    kind="",
    language="",
    fragments=0,
    length=0,
    archived=True,
    pinned=False,
    snoozed_until=inf,
    project="",
    tags=[],
    successors=[],
    neighbours=[],
    line="",
)


class Column(dict[int, Any]):
    """One field of the fetched rows, which can also return the field of any other note."""

    def __init__(self, rows: Mapping[int, NoteRow], field: str) -> None:
        self._rows = rows
        self._of = attrgetter(field)
        super().__init__(zip(rows, map(self._of, rows.values()), strict=True))

    def __missing__(self, note_id: int) -> Any:
        return self._of(self._rows[note_id])


class SharedNoteTable(NoteTable):
    """The fetched notes, and the totals of all notes."""

    def __init__(self, reader: Reader, totals: Totals) -> None:
        super().__init__(totals.generation, rows=Rows(), boilerplate=totals.boilerplate)
        self._reader = reader
        self._totals = totals
        self._columns: dict[str, Column] = {}
        self._spare: dict[int, FoundNote] = {}
        self._spare_records: dict[int, str] = {}
        self._order: list[int] = []
        self._duplicates: dict[str, int] = {}
        self._undated: set[int] = set()
        self._former_paths: dict[str, Sequence[str]] = {}
        self._pins = reader.pins()
        self.named_tags: dict[str, frozenset[str]] = {}

    def fill(self, details: Details, order: Sequence[int]) -> None:
        """Replace the notes by these."""
        self.rows, self._records = Rows(), {}
        self._order = list(order)
        for name in ("ids", "pinned"):
            vars(self).pop(name, None)
        # Notes that are linked with the best come too: they are candidates only where they were found.
        candidates = set(order)
        self._spare = {note.note_id: note for note in details.notes if note.row and note.note_id not in candidates}
        self._spare_records = {note_id: details.records[note_id] for note_id in self._spare}
        self._add(details._replace(notes=[note for note in details.notes if note.note_id not in self._spare]))
        self._relay(self._spare.values())

    def learn(self, note_ids: Iterable[int]) -> bool:
        """Fetch the rows and records of some notes that are missing; return whether new links became known."""
        missing = [note_id for note_id in note_ids if not self.rows[note_id].line]
        known = list(self.rows)
        fetched = [note_id for note_id in missing if note_id not in self._spare]
        spare = [self._spare[note_id] for note_id in missing if note_id in self._spare]
        self._add(Details(spare, {note.note_id: self._spare_records[note.note_id] for note in spare}, {}, {}))
        if fetched:
            self._add(self._reader.details(fetched, fetched, (), receivers=fetched, known=known))
        return bool(fetched)

    def _relay(self, notes: Iterable[FoundNote]) -> None:
        """Add the links of some notes that relay activation between candidates."""
        assert isinstance(self.rows, Rows)
        self.rows.relays.update((note.note_id, note.neighbours) for note in notes)

    def _add(self, details: Details) -> None:
        rows = self.rows
        assert isinstance(rows, Rows)
        found = [note for note in details.notes if note.row]
        for note, row in zip(found, rows_of(found), strict=True):
            rows[note.note_id] = self._pinned(row, note.former_paths) if self._pins else row
            self._duplicates[row.content_hash] = note.duplicates
            if note.former_paths:
                self._former_paths[row.path] = note.former_paths
            if not note.tells_date:
                self._undated.add(note.note_id)
        self._relay(note for note in details.notes if not note.row)
        self._columns = {}
        self.add_records(details.records)

    def read_record(self, note_id: int) -> NoteRecord:
        if note_id not in self._records and not self.rows[note_id].line:
            self._fetch_records(note_id)
        found = super().read_record(note_id)
        if found.metadata.pinned != self.rows[note_id].pinned:
            metadata = found.metadata._replace(pinned=self.rows[note_id].pinned)
            found = self._records[note_id] = found._replace(metadata=metadata)
        return found

    def column(self, field: str) -> Mapping[int, Any]:
        if field not in self._columns:
            self._columns[field] = Column(self.rows, field)
        return self._columns[field]

    def stated_date(self, note_id: int) -> float | None:
        return None if note_id in self._undated else self.rows[note_id].timestamp

    def moved(self, known: Mapping[str, str]) -> dict[str, str]:
        """Return the moved notes (path → former path) that the history has under a former path."""
        moved = ((path, next(filter(known.__contains__, former), "")) for path, former in self._former_paths.items())
        return {path: before for path, before in moved if before and path not in known}

    def _fetch_records(self, note_id: int) -> None:
        missing = [each for each in self._order if each in self.rows and not self.rows[each].line]
        # A formula that needs this record will probably need the others.
        self.add_records(self._reader.records([note_id, *missing]))
        if not self.rows[note_id].line:
            raise StoreError("A note of the shared memory is gone.", "Try again.")

    def _pinned(self, row: NoteRow, former_paths: Sequence[str]) -> NoteRow:
        """Return a row with this user's pin for the note's path or a former one, else with the note's own flag."""
        pinned = next((self._pins[path] for path in (row.path, *former_paths) if path in self._pins), row.pinned)
        return row._replace(pinned=pinned)

    def add_records(self, records: Mapping[int, str]) -> None:
        rows = self.rows
        assert isinstance(rows, Rows)
        for note_id, line in records.items():
            if note_id in rows:
                rows[note_id] = NoteRow._make((*rows[note_id][:-1], line))

    @property
    def notes(self) -> int:
        return self._totals.notes

    @cached_property
    def fragments(self) -> int:
        return self._totals.fragments

    @cached_property
    def length(self) -> int:
        return self._totals.length

    @cached_property
    def languages(self) -> tuple[str, ...]:
        return self._totals.languages or (DEFAULT_LANGUAGE,)

    @cached_property
    def projects(self) -> frozenset[str]:
        return self._totals.projects

    @cached_property
    def oldest_date(self) -> float:
        return self._totals.oldest_date

    @property
    def duplicates(self) -> Mapping[str, int]:  # type: ignore[override]
        return self._duplicates

    @cached_property
    def tags(self) -> Mapping[str, int]:  # type: ignore[override]
        return self._reader.tags(MAX_TAGS)

    @property
    def tag_terms(self) -> dict[str, frozenset[str]]:
        """The tags that the words of the query name, with their terms."""
        return self.named_tags


def rows_of(notes: Sequence[FoundNote]) -> list[NoteRow]:
    """Return the rows of notes, with paths that begin with the vault's name."""
    # Parsing all at once is faster than one by one.
    documents = json.loads(f"[{','.join(note.row for note in notes)}]")
    return [_row(note, values) for note, values in zip(notes, documents, strict=True)]


def _row(note: FoundNote, values: object) -> NoteRow:
    if not isinstance(values, dict) or tuple(values) != STORED_FIELDS:
        raise StoreError(
            f"The vault “{note.vault}” was sent by another version of brain.",
            "Send it again with this one (`brain index`), or use the same version everywhere.",
        )
    _, path, *rest = values.values()
    return NoteRow._make((note.note_id, f"{note.vault}:{path}", *rest, note.successors, note.neighbours, ""))


def row_text(row: NoteRow) -> str:
    """Return a row in its stored form: without links, and without its record."""
    return json.dumps({name: getattr(row, name) for name in NoteRow._fields[:-3]}, separators=(",", ":"))
