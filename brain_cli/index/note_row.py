"""One row of the note table, and the record of a note: the rest of its metadata, parsed on demand."""

from __future__ import annotations

import json
from typing import NamedTuple

from brain_cli.types import Link, NoteMetadata


class NoteRow(NamedTuple):
    """One note: the state of its file when it was read, the inputs of ranking, and all else as one line of text.

    `timestamp` is the note's date in seconds, and `dated_by` the source of it; `section_dates` pairs the number of a
    fragment, from 0, with the date in its heading; `kind` is as in `NoteMetadata`. `mtime_ns` is -1 if the file was so
    fresh that a change might not show in its time. `language` is that of the stemmer; `length` is the sum of the
    weighted words of all its fragments; `snoozed_until` is in seconds, 0 for a note that is not snoozed.
    `neighbours` are note ids, both directions; `successors` the ids of the notes that supersede it; `tags` and
    `project` are case-folded; `line` is the `NoteRecord`.
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


class NoteRecord(NamedTuple):
    """The other contents of a note as a line of JSON, which is parsed on demand.

    `links` are target, heading and text, `sketch` is of the bigrams of the body (vault/text_similarity.py),
    `line_hashes` of its lines (vault/boilerplate.py).
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
