"""Read the rows of a shared memory one by one, because other members may have stored anything.

A row that is not as this program writes it is omitted, and named once on stderr; the others are
not affected by it.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from json import JSONDecoder
from math import isfinite
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, MsgspecError, Struct, convert
from msgspec.json import Decoder

from brain_cli.index import INDEX_VERSION
from brain_cli.index.damage import BrokenIndexError
from brain_cli.index.note_rows import NoteRow, parse_record
from brain_cli.plugins.team.note import SECTIONS, storable
from brain_cli.types import Fragment, NoteMetadata
from brain_cli.vault.analyzer import LANGUAGE_BY_CODE
from brain_cli.vault.blocks import unpacked

# The times that a calendar has, in seconds, and more lines than any note has.
FIRST_TIME = -62_135_596_800
LAST_TIME = 253_402_300_799
MAX_LINES = 10_000_000
# What reading a row raises that is not as this program writes it.
ROW_ERRORS = (
    ArithmeticError,
    AttributeError,
    BrokenIndexError,
    LookupError,
    MsgspecError,
    RecursionError,
    TypeError,
    ValueError,
)
LANGUAGES = frozenset(LANGUAGE_BY_CODE.values())
Line = Annotated[int, Meta(ge=0, le=MAX_LINES)]
PLACES = Decoder(dict[str, list[Annotated[float, Meta(ge=0, le=1e9)]]])


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


# Python's own also reads NaN and infinite numbers.
parsed = JSONDecoder(parse_constant=_finite, parse_float=_finite).decode


class Facts(Struct):
    """The facts of a vault about all its notes (`_facts` in sending.py)."""

    boilerplate: list[str] = []
    projects: list[str] = []
    tags: dict[str, Line] = {}
    oldest_date: Annotated[float, Meta(ge=FIRST_TIME, le=LAST_TIME)] = 0.0


facts_of = Decoder(Facts).decode


class SentNote(NamedTuple):
    """A note of a memory: its vault, the date that it states, its row, the numbers of words of its
    sections, its terms with their weights (schema.py), and its sections as lines of JSON, if they
    are known.

    A note that is `not_found` is here only because a command names it.
    """

    note_id: int
    vault: str
    not_found: bool
    archived: bool
    former_paths: Sequence[str]
    date: float | None
    row: NoteRow
    lengths: Sequence[int]
    places: Mapping[str, Sequence[float]]
    texts: Sequence[str] | None


def sent_note(note: Any) -> SentNote:
    """Read a note; an exception if it is not as this program sends notes.

    Parts that few recalls need are read by `check_whole` alone.
    """
    version, date, *values = parsed(note.record)
    _demand(version == INDEX_VERSION)
    row = convert(values, NoteRow)
    sections = len(note.lengths)
    names, sizes = row.name_terms
    _demand(row.note_id == note.note_id)
    _demand(storable(row.path) == note.path)
    _demand(row.fragments == sections)
    _demand(row.language in LANGUAGES)
    _demand(len(sizes) == (len(names.split("\n")) if names else 0))
    _demand(all(type(length) is int and length >= 0 for length in note.lengths))
    for time in (row.timestamp, row.snoozed_until, date or 0.0):
        _demand(FIRST_TIME <= time <= LAST_TIME)
    places = PLACES.decode(note.places or "{}")
    for place in places.values():
        _demand(len(place) >= SECTIONS and not len(place) % 3)
        _demand(max(place[SECTIONS::3], default=-1) < sections)
    return SentNote(
        note_id=row.note_id,
        vault=note.vault,
        not_found=note.not_found,
        archived=note.archived,
        former_paths=note.former_paths,
        date=date,
        row=row,
        lengths=note.lengths,
        places=places,
        texts=None if note.texts is None else sections_of(note.texts, sections),
    )


def sections_of(texts: str, sections: int) -> list[str]:
    """Return the sections of a note, each a line of JSON; an exception if their number is wrong."""
    found = texts.split("\n") if sections else []
    _demand(len(found) == sections)
    return found


def check_whole(note: SentNote, texts: str) -> None:
    """Raise an exception if a part of a note cannot be read that a recall reads when it
    needs it.
    """
    row = note.row
    record = parse_record(row.line)
    metadata = convert(list(record.metadata), NoteMetadata)
    shares = (metadata.salience, metadata.confidence, metadata.quality)
    for share in (*shares, metadata.strength, metadata.decay_rate):
        _demand(share is None or 0 <= share <= 1)
    for section, time in row.section_dates:
        _demand(0 <= section < len(note.lengths) and FIRST_TIME <= time <= LAST_TIME)
    _demand(metadata.path == row.path)
    convert([record.sketch, record.line_hashes, *chain(*record.links)], list[str])
    for each in sections_of(texts, len(note.lengths)):
        fragment_of(each)


def fragment_of(text: str) -> Fragment:
    """Read a section; raise an exception for anything else."""
    fragment = convert(list(Fragment(**parsed(text))), Fragment)
    lines = (fragment.line, fragment.text_line)
    pieces = (piece.last for piece in unpacked(fragment.pieces, 0))
    _demand(min(lines) >= 0 and max(*lines, *pieces) <= MAX_LINES)
    return fragment


def _demand(fits: bool) -> None:
    if not fits:
        raise ValueError("not as brain writes it")
