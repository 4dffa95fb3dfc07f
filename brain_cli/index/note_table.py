"""The table of all notes with their metadata: one row per note, with the record of its other contents.

A refresh compares the vault with this table, and a recall takes the ranking's inputs from it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from functools import cached_property
from math import inf
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from brain_cli.types import MTIME, Link, NoteMetadata

if TYPE_CHECKING:
    from brain_cli.vault.resolve import NameTable

# The words of links: term → note id → the number of notes that link to it with that term.
LinkCounts = Mapping[str, Mapping[int, int]]
# At least this many undated files with nearly the same time come from a clone or an archive.
MIN_CLONED = 20


class NoteRow(NamedTuple):
    """One note: the state of its file when it was read, the inputs of ranking, and all else as one line of text.

    `timestamp` is the note's date in seconds, and `dated_by` the source of it; `section_dates` pairs the number of a
    fragment, from 0, with the date in its heading; `kind` is as in `NoteMetadata`. `mtime_ns` is -1 if the file was so
    fresh that a change might not show in its time. `language` is that of the stemmer; `length` is the sum of the
    weighted words of all its fragments; `snoozed_until` is in seconds, 0 for a note that is not snoozed.
    `neighbours` are note ids, both directions; `successors` the ids of the notes that supersede it; `tags` and
    `project` are case-folded; `line` is the `NoteRecord`. `name_keys` and `link_keys`, one a line, connect links with
    the notes that they may mean (vault/resolve.py).
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


class NoteRecord(NamedTuple):
    """The other contents of a note as a line of JSON, which is parsed on demand.

    `links` are target, heading and text, `sketch` is of the bigrams of the body (vault/repetition.py),
    `line_hashes` of its lines (vault/repetition.py).
    """

    metadata: NoteMetadata
    links: list[Link]
    sketch: str
    line_hashes: str = ""


def record_line(read_record: NoteRecord) -> str:
    """Return the record of a note as one line."""
    return json.dumps([list(read_record.metadata), *read_record[1:]], separators=(",", ":"))


def read_record(row: NoteRow) -> NoteRecord:
    """Return a note's metadata, from its own record and from its row."""
    return parse_record(row.line, row.timestamp, row.dated_by, bool(row.successors))


def parse_record(line: str, timestamp: float, dated_by: str, has_successors: bool) -> NoteRecord:
    """Read the line of a record, and complete it from the note's row."""
    values, links, *hashes = json.loads(line)
    metadata = NoteMetadata._make([tuple(value) if type(value) is list else value for value in values])
    superseded = has_successors or metadata.superseded
    known = metadata._replace(timestamp=timestamp, dated_by=dated_by, superseded=superseded)
    return NoteRecord(known, [Link._make(link) for link in links], *hashes)


class NoteTable:
    """All rows of one generation by note id; `boilerplate` has the hashes of lines that are in many notes."""

    def __init__(
        self,
        generation: int = 0,
        next_id: int = 1,
        rows: Mapping[int, NoteRow] | None = None,
        boilerplate: frozenset[str] = frozenset(),
        anchors: Anchors | None = None,
    ) -> None:
        self.generation = generation
        self.next_id = next_id
        self.rows = {} if rows is None else rows
        self.boilerplate = boilerplate
        self.anchors = anchors or Anchors()
        self._records: dict[int, NoteRecord] = {}

    def read_record(self, note_id: int) -> NoteRecord:
        """Return the record of a note, parsing it on first use."""
        found = self._records.get(note_id)
        if found is None:
            found = self._records[note_id] = self._parsed_record(note_id)
        return found

    def _parsed_record(self, note_id: int) -> NoteRecord:
        return read_record(self.rows[note_id])

    def metadata(self, note_id: int) -> NoteMetadata:
        """Return a note's metadata."""
        return self.read_record(note_id).metadata

    def column(self, field: str) -> Mapping[int, Any]:
        """Return one field of every row, by note id."""
        return {note_id: getattr(row, field) for note_id, row in self.rows.items()}

    def changeable_rows(self) -> MutableMapping[int, NoteRow]:
        """Return a copy of the rows that can be changed."""
        return dict(self.rows)

    def with_rows(self, rows: MutableMapping[int, NoteRow], anchors: Anchors | None = None) -> NoteTable:
        """Return a table with these rows, made from `changeable_rows`, and with this anchor text if it is given."""
        return NoteTable(self.generation, self.next_id, rows, anchors=anchors or self.anchors)

    def neighbours(self, note_id: int) -> Sequence[int]:
        """Return the notes that a note links to, and those that link to it."""
        return self.rows[note_id].neighbours

    def successors(self, note_id: int) -> Sequence[int]:
        """Return the notes that supersede a note."""
        return self.rows[note_id].successors

    def section_dates(self, note_id: int) -> list[list[float]]:
        """Return the sections of a note whose headings name a date: the number of each from 0, and the date."""
        return self.rows[note_id].section_dates

    def stated_date(self, note_id: int) -> float | None:
        """Return the date of a note; None if it is only the time of a clone, which most undated files share."""
        row = self.rows[note_id]
        first, last = self._clone or (inf, -inf)
        return None if row.dated_by == MTIME and first <= row.timestamp <= last else row.timestamp

    @cached_property
    def superseded(self) -> frozenset[int]:
        """The ids of the notes that others supersede."""
        return frozenset(note_id for note_id, row in self.rows.items() if row.successors)

    @cached_property
    def pinned(self) -> frozenset[int]:
        """The ids of the pinned notes."""
        return frozenset(note_id for note_id, is_pinned in self.column("pinned").items() if is_pinned)

    @cached_property
    def oldest_date(self) -> float:
        """The oldest stated date of a note. In a query for the newest notes, an undated note counts as this old."""
        return min(filter(None, map(self.stated_date, self.rows)), default=0.0)

    @cached_property
    def _clone(self) -> tuple[float, float] | None:
        from brain_cli.vault.dates import one_moment

        dates = zip(self.column("timestamp").values(), self.column("dated_by").values(), strict=True)
        times = [timestamp for timestamp, dated_by in dates if dated_by == MTIME]
        return one_moment(times) if len(times) >= MIN_CLONED else None

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The id of each note, by its path."""
        return {path: note_id for note_id, path in self.column("path").items()}

    @cached_property
    def file_states(self) -> Mapping[str, tuple[int, int]]:
        """The size and time of each note's file when it was read, by path."""
        states = zip(self.column("size").values(), self.column("mtime_ns").values(), strict=True)
        return dict(zip(self.column("path").values(), states, strict=True))

    def row_at(self, path: str) -> NoteRow | None:
        """Return the row of the note at a path."""
        note_id = self.ids.get(path)
        return None if note_id is None else self.rows[note_id]

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the notes, most frequent first; English for an empty vault."""
        from brain_cli.vault.analyzer import DEFAULT_LANGUAGE

        counted = Counter(self.column("language").values())
        return tuple(sorted(counted, key=lambda each: (-counted[each], each))) or (DEFAULT_LANGUAGE,)

    @cached_property
    def duplicates(self) -> Counter[str]:
        """The number of notes with each content hash."""
        return Counter(self.column("content_hash").values())

    @property
    def notes(self) -> int:
        """The number of notes."""
        return len(self.rows)

    @cached_property
    def fragments(self) -> int:
        return sum(self.column("fragments").values())

    @cached_property
    def length(self) -> int:
        """The weighted words of the whole vault."""
        return sum(self.column("length").values())

    @cached_property
    def checksum(self) -> int:
        """The expected sum of the engine's column of note ids."""
        return sum(map(mul, self.column("note_id").values(), self.column("fragments").values()))

    @cached_property
    def tags(self) -> Counter[str]:
        """The number of active notes with each tag (case-folded)."""
        pairs = zip(self.column("tags").values(), self.column("archived").values(), strict=True)
        return Counter(tag for tags, archived in pairs if not archived for tag in tags)

    @cached_property
    def tag_terms(self) -> dict[str, frozenset[str]]:
        """The terms of each tag, in the language of most notes."""
        return tag_terms(self.tags, self.languages[0])

    @cached_property
    def projects(self) -> frozenset[str]:
        """The projects of all notes (case-folded)."""
        return frozenset(filter(None, self.column("project").values()))

    def moved(self, known: Mapping[str, str]) -> dict[str, str]:
        """Return the moved notes (path → former path): the history has their content under a path that is gone.

        `known` maps the paths of the history to content hashes.
        """
        path_by_hash = {
            content_hash: path for path, content_hash in known.items() if content_hash and path not in self.ids
        }
        if not path_by_hash:
            return {}
        rows = (row for row in self.rows.values() if row.path not in known)
        return {row.path: path_by_hash[row.content_hash] for row in rows if row.content_hash in path_by_hash}

    def names(self, note_ids: Iterable[int] | None = None) -> NameTable:
        """Return the names of some notes, or of all. If two notes have the same name, the first by path gets it."""
        from brain_cli.vault.resolve import NameTable

        notes = map(self.metadata, self.rows if note_ids is None else note_ids)
        return NameTable(sorted(notes, key=lambda note: note.path))


def tag_terms(tags: Iterable[str], language: str) -> dict[str, frozenset[str]]:
    """Return the terms of each tag in a language."""
    from brain_cli.vault.analyzer import terms

    return {tag: frozenset(terms(tag, language)) for tag in tags}


class Anchors:
    """The anchor text of all notes of one generation: the words of the links to each note.

    It is kept as text with one line for each word, so that a recall parses only the lines of its own words:

        "hmm":[12,3,40,1]       three notes link to note 12 with the word “hmm”, one to note 40
    """

    def __init__(self, lines: str = "") -> None:
        self.lines = lines

    def weights(self, term: str) -> dict[int, float]:
        """Return the anchor weight of a term by note id."""
        from brain_cli.index.field_weights import anchor_weight

        return {note_id: anchor_weight(links) for note_id, links in self.links(term).items()}

    def links(self, term: str) -> dict[int, int]:
        """Return the number of links with a term by the id of the linked note."""
        key = f"\n{json.dumps(term)}:"
        start = self.lines.find(key)
        if start < 0:
            return {}
        end = self.lines.find("\n", start + len(key))
        return _counts_in(self.lines[start : end if end >= 0 else None])


def anchors_of(counts: LinkCounts) -> Anchors:
    """Return the anchor text of a vault from its counted links."""
    return Anchors("".join(f"\n{_anchor_line(term, counts[term])}" for term in sorted(counts)))


def changed_anchors(anchors: Anchors, old: LinkCounts, new: LinkCounts) -> Anchors:
    """Return anchor text with the links `new` instead of the links `old`."""
    terms = {term for term in {*old, *new} if old.get(term) != new.get(term)}
    if not terms:
        return anchors
    lines = {_term_of(line): line for line in anchors.lines.split("\n")[1:]}
    for term in terms:
        counts = Counter(_counts_in(lines.get(term, ":[]")))
        counts.subtract(old.get(term, {}))
        counts.update(new.get(term, {}))
        lines[term] = _anchor_line(term, +counts)
        if not +counts:
            del lines[term]
    return Anchors("".join(f"\n{lines[term]}" for term in sorted(lines)))


def count_links(links: Iterable[Mapping[int, Iterable[str]]]) -> LinkCounts:
    """Count the links by term and target; `links` has the terms by target of every linking note."""
    counts: dict[str, dict[int, int]] = {}
    for targets in links:
        for target, terms in targets.items():
            for term in terms:
                notes = counts.setdefault(term, {})
                notes[target] = notes.get(target, 0) + 1
    return counts


def _anchor_line(term: str, notes: Mapping[int, int]) -> str:
    values = json.dumps([number for pair in sorted(notes.items()) for number in pair], separators=(",", ":"))
    return f"{json.dumps(term)}:{values}"


def _term_of(line: str) -> str:
    term: str = json.loads(line[: line.rindex(":")])
    return term


def _counts_in(line: str) -> dict[int, int]:
    values = json.loads(line[line.rindex(":") + 1 :])
    return dict(zip(values[::2], values[1::2], strict=True))
