"""A shared memory as a recall sees it: a snapshot of the candidates alone, with the totals of the whole memory.

`gather` (search/gathering.py) asks the store for the candidates of a query and fills the snapshot with them. What else
a recall looks at is fetched when it is asked for, in bulk, so that a recall takes few round trips.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from operator import attrgetter
from typing import Any

from brain_cli.index.lru_cache import LruCache
from brain_cli.index.note_table import NoteRecord, NoteRow, NoteTable
from brain_cli.index.snapshot import LEAST_ROOM, Snapshot
from brain_cli.index.store import Details, Found, FoundNote, Places, Reader, Section, StoreError, Totals, Variants
from brain_cli.index.stored_terms import unpacked_text
from brain_cli.index.term_evidence import TermEvidence, only_linked
from brain_cli.types import Fragment, NoteMetadata
from brain_cli.vault.analyzer import Word
from brain_cli.vault.language import DEFAULT_LANGUAGE

# So many records are fetched with the candidates, and again whenever one is missing.
RECORDS_AT_ONCE = 150
# The texts of so many candidates are fetched with them; of a long note only the sections that matched.
TEXTS_AT_ONCE = 12
SHORT_SECTIONS, MOST_SECTIONS = 12, 8
MOST_TAGS = 50
STORED_FIELDS = frozenset(NoteRow._fields[:-3])


class Rows(dict[int, NoteRow]):
    """The rows of the candidates. A note that is none of them is known by its links at most."""

    def __init__(self) -> None:
        super().__init__()
        self.relays: dict[int, NoteRow] = {}

    def __missing__(self, note_id: int) -> NoteRow:
        return self.relays.get(note_id, UNKNOWN)


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


class Column(Mapping[int, Any]):
    """One field of all rows; that of a note which is no candidate can be asked for too."""

    def __init__(self, rows: Mapping[int, NoteRow], field: str) -> None:
        self._rows = rows
        self._of = attrgetter(field)

    def __getitem__(self, note_id: int) -> Any:
        return self._of(self._rows[note_id])

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class SharedNoteTable(NoteTable):
    """The notes that were fetched, and the totals of all that there are."""

    def __init__(self, reader: Reader, totals: Totals) -> None:
        super().__init__(totals.generation, rows=Rows(), boilerplate=totals.boilerplate)
        self._reader = reader
        self._totals = totals
        self._in_order: list[int] = []
        self._duplicates: dict[str, int] = {}
        self._undated: set[int] = set()
        self._former_paths: dict[str, Sequence[str]] = {}
        self.named_tags: dict[str, frozenset[str]] = {}

    def fill(self, details: Details, in_order: Sequence[int]) -> None:
        """Hold these notes and no others."""
        self.rows, self._records = Rows(), {}
        self._in_order = list(in_order)
        vars(self).pop("ids", None)
        self._add(details)

    def learn(self, note_ids: Iterable[int]) -> None:
        """Fetch the rows and records of some notes, unless they are here."""
        missing = [note_id for note_id in note_ids if not self.rows[note_id].line]
        if missing:
            self._add(self._reader.details(missing, missing, ()))

    def _add(self, details: Details) -> None:
        rows = self.rows
        assert isinstance(rows, Rows)
        for note in details.notes:
            if not note.row:
                rows.relays[note.note_id] = UNKNOWN._replace(neighbours=list(note.neighbours))
                continue
            row = rows[note.note_id] = row_of(note)
            self._duplicates[row.content_hash] = note.duplicates
            self._former_paths[row.path] = note.former_paths
            if not note.tells_date:
                self._undated.add(note.note_id)
        self._add_records(details.records)

    def read_record(self, note_id: int) -> NoteRecord:
        if note_id not in self._records and not self.rows[note_id].line:
            self._fetch_records(note_id)
        return super().read_record(note_id)

    def column(self, field: str) -> Mapping[int, Any]:
        return Column(self.rows, field)

    def stated_date(self, note_id: int) -> float | None:
        return None if note_id in self._undated else self.rows[note_id].timestamp

    def moved(self, known: Mapping[str, str]) -> dict[str, str]:
        """Return the notes that the history knows under a path that they had before."""
        moved = ((path, next(filter(known.__contains__, former), "")) for path, former in self._former_paths.items())
        return {path: before for path, before in moved if before and path not in known}

    def _fetch_records(self, note_id: int) -> None:
        missing = [each for each in self._in_order if each in self.rows and not self.rows[each].line]
        self._add_records(self._reader.records([note_id, *missing[:RECORDS_AT_ONCE]]))
        if not self.rows[note_id].line:
            raise StoreError("A note of the shared memory is gone.", "Try again.")

    def _add_records(self, records: Mapping[int, str]) -> None:
        rows = self.rows
        assert isinstance(rows, Rows)
        for note_id, line in records.items():
            if note_id in rows:
                rows[note_id] = rows[note_id]._replace(line=line)

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
        return self._reader.tags(MOST_TAGS)

    @property
    def tag_terms(self) -> dict[str, frozenset[str]]:
        """The tags that the words of the query name, with their terms."""
        return self.named_tags


class SharedIndex:
    """The fragments of the candidates, numbered from 0, note by note."""

    def __init__(self, reader: Reader, generation: int) -> None:
        self._reader = reader
        self.generation = generation
        self.note_ids: Sequence[int] = []
        self.lengths: Sequence[int] = []
        self.firsts: dict[int, int] = {}
        self._texts: dict[Section, bytes] = {}
        self.near_terms: dict[str, list[str]] = {}
        self.stems: set[str] = set()

    def fill(self, notes: Iterable[FoundNote], texts: Mapping[Section, bytes]) -> None:
        """Hold the fragments of these notes and no others."""
        note_ids: list[int] = []
        lengths: list[int] = []
        self.firsts = {}
        for note in notes:
            if note.row:
                self.firsts[note.note_id] = len(note_ids)
                note_ids += [note.note_id] * len(note.lengths)
                lengths += note.lengths
        self.note_ids, self.lengths, self._texts = note_ids, lengths, dict(texts)

    def postings(self, field: str, term: str) -> Iterator[tuple[Sequence[int], Sequence[float]]]:  # noqa: ARG002
        """Yield an empty list for a shortened word that some note has: a correction asks for no more."""
        if term in self.stems:
            yield (), ()

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:  # noqa: ARG002
        if prefix not in self.near_terms:
            self.near_terms[prefix] = self._reader.terms_with_prefix(prefix, 2 * LEAST_ROOM)
        yield from self.near_terms[prefix]

    def similar_terms(self, field: str, term: str, edits: int) -> Iterator[str]:  # noqa: ARG002
        yield from self.near_terms.get(term, ())

    def fragment(self, number: int) -> Fragment:
        note_id = self.note_ids[number]
        section = note_id, number - self.firsts[note_id]
        if section not in self._texts:
            self.read([section, *self.sections_of(note_id)])
        if section not in self._texts:
            raise StoreError("A note of the shared memory is gone.", "Try again.")
        return fragment_of(self._texts[section])

    def sections_of(self, note_id: int) -> list[Section]:
        """Return the sections of a note that are fetched together: all of it, or its beginning."""
        first = self.firsts[note_id]
        count = self.note_ids[first : first + 4 * SHORT_SECTIONS].count(note_id)
        return [(note_id, section) for section in range(count)]

    def read(self, sections: Iterable[Section]) -> None:
        """Fetch the texts of some sections, unless they are here."""
        missing = {section: None for section in sections if section not in self._texts}
        if missing:
            self._texts |= self._reader.texts(missing)

    def close(self) -> None:
        self._reader.close()


class SharedSnapshot(Snapshot):
    """One state of a shared memory, with the candidates of one query at a time."""

    is_shared = True

    def __init__(self, reader: Reader) -> None:
        totals = reader.totals()
        self.reader = reader
        self.table = SharedNoteTable(reader, totals)
        self.fetched = SharedIndex(reader, totals.generation)
        super().__init__(self.table, self.fetched)
        self.frequencies: dict[Variants, int] = {}
        self._names: list[str] = []
        self._places: dict[Variants, tuple[Places, int]] = {}

    def count(self, words: Iterable[Word]) -> None:
        """Fetch how frequent the words of a query are, and the names that write one of them as two."""
        asked = list(dict.fromkeys(word.variants for word in words))
        if asked:
            texts = [word.text for word in words if word.text.isalpha() and not word.optional]
            self._begin_query(asked, texts)

    def _begin_query(self, asked: Sequence[Variants], texts: Sequence[str]) -> None:
        counts, self._names = self.reader.frequencies(asked, texts)
        self.frequencies = dict(zip(asked, counts, strict=True))
        self._places = {variants: (Places(), count) for variants, count in self.frequencies.items()}
        self.cache = LruCache(LEAST_ROOM)

    def names_with_compound(self, text: str) -> Sequence[str]:  # noqa: ARG002 - all are few
        return self._names

    def frequencies_of(self, words: Iterable[Variants]) -> dict[Variants, int]:
        """Return how frequent some words are; those that are not known yet are fetched."""
        asked = list(dict.fromkeys(words))
        missing = [variants for variants in asked if variants not in self.frequencies]
        if missing:
            counts = self.reader.frequencies(missing).counts
            self.frequencies |= zip(missing, counts, strict=True)
        return {variants: self.frequencies[variants] for variants in asked}

    def fill(
        self, found: Found, words: Sequence[Variants], frequencies: Mapping[Variants, int], terms: Sequence[str]
    ) -> None:
        """Hold the candidates of a query, and the places of its words in them; `terms` are those of all its words."""
        in_order = [*found.note_ids, *found.joined]
        wanted = list(sections_wanted(found.places, found.note_ids[:TEXTS_AT_ONCE]))
        details = self.reader.details(in_order, in_order[:RECORDS_AT_ONCE], wanted, terms)
        self.table.named_tags = details.tags
        self._hold(details, in_order)
        self._places = {
            variants: (places, frequencies.get(variants, 0))
            for variants, places in zip(words, found.places, strict=True)
        }
        self._places |= {each: (Places(), frequencies[each]) for each in frequencies if each not in self._places}

    def _hold(self, details: Details, in_order: Sequence[int]) -> None:
        self.cache = LruCache(LEAST_ROOM)
        vars(self).pop("_firsts", None)
        details.notes.sort(key=lambda note: note.note_id)
        self.table.fill(details, in_order)
        self.fetched.fill(details.notes, details.texts)

    def evidence(self, variants: Sequence[str]) -> TermEvidence:
        """Return where a word stands in the candidates; its frequency is that in the whole memory."""
        key = tuple(variants)
        if key not in self._places:
            [places], [frequency] = self.reader.places([key], list(self.table.rows))
            self._places[key] = places, frequency
        return self._as_evidence(*self._places[key])

    def _as_evidence(self, places: Places, frequency: int) -> TermEvidence:
        body, in_links = self._by_number(*places.body), self._by_number(*places.in_links)
        about = dict(sorted(zip(*places.about, strict=True)))
        for note_id, weight in zip(*places.anchors, strict=True):
            about[note_id] = about.get(note_id, 0.0) + weight
        linked = only_linked(self.index.note_ids, body, about, in_links)
        return TermEvidence(body, about, linked, frozenset(places.anchors[0]), frequency)

    def _by_number(
        self, note_ids: Sequence[int], sections: Sequence[int], weights: Sequence[float]
    ) -> dict[int, float]:
        firsts = self.fetched.firsts
        found = (
            (firsts[each] + section, weight) for each, section, weight in zip(note_ids, sections, weights, strict=True)
        )
        return dict(sorted(found))

    def read_ahead(self, note_ids: Iterable[int], *, whole: bool = False) -> None:
        """Fetch the texts of some notes: all of a short note, of a long one the sections that matched."""
        notes = list(note_ids)
        wanted = set(sections_wanted([places for places, _ in self._places.values()], notes))
        for note_id in notes:
            if whole or len(self.numbers_of(note_id)) <= SHORT_SECTIONS:
                wanted.update((note_id, section) for section in range(len(self.numbers_of(note_id))))
        self.fetched.read(sorted(wanted))

    def read_fragments(self, numbers: Iterable[int]) -> None:
        """Fetch the texts of some fragments."""
        firsts, note_ids = self.fetched.firsts, self.index.note_ids
        self.fetched.read((note_ids[number], number - firsts[note_ids[number]]) for number in numbers)

    def learn(self, note_ids: Iterable[int]) -> None:
        """Fetch what is known of some notes, candidates or not."""
        self.table.learn(note_ids)

    def as_shown(self, metadata: NoteMetadata, note_id: int) -> NoteMetadata:
        """Return the metadata of a note as an answer names it: by its vault and its path."""
        return metadata._replace(path=self.table.rows[note_id].path)


def sections_wanted(places: Iterable[Places], note_ids: Sequence[int]) -> Iterator[Section]:
    """Yield, of each note, its first section and those with most of the words."""
    weights: dict[int, dict[int, float]] = {note_id: {} for note_id in note_ids}
    for each in places:
        for note_id, section, weight in zip(*each.body, strict=True):
            if note_id in weights:
                weights[note_id][section] = weights[note_id].get(section, 0.0) + weight / (weight + 1)
    for note_id, found in weights.items():
        best = sorted(found, key=lambda section: -found[section])[:MOST_SECTIONS]
        yield from ((note_id, section) for section in dict.fromkeys((0, *best)))


def row_of(note: FoundNote) -> NoteRow:
    """Return the row of a note under the name that it has among many vaults."""
    values = json.loads(note.row)
    if not isinstance(values, dict) or values.keys() != STORED_FIELDS:
        raise StoreError(
            f"The vault “{note.vault}” was sent by another version of brain.",
            "Send it again with this one (`brain index`), or use the same version everywhere.",
        )
    links = {"successors": list(note.successors), "neighbours": list(note.neighbours), "line": ""}
    return NoteRow(**{**values, "note_id": note.note_id, "path": f"{note.vault}:{values['path']}", **links})


def row_text(row: NoteRow) -> str:
    """Return a row as it is stored: without what other notes say of it, and without its record."""
    return json.dumps({name: getattr(row, name) for name in NoteRow._fields[:-3]}, separators=(",", ":"))


def fragment_of(raw: bytes) -> Fragment:
    trail, *values = json.loads(unpacked_text(raw))
    return Fragment(tuple(trail), *values)


def fragment_text(fragment: Fragment) -> str:
    """Return a fragment as it is stored."""
    return json.dumps(fragment, separators=(",", ":"))
