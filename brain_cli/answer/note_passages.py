"""A note → the passages that are embedded of it, as they can be shown, and what a model reads of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain_cli.answer.passages.quotable import Piece, section_pieces
from brain_cli.answer.passages.windows import MOST_CHARS, joined
from brain_cli.index.snapshot import Snapshot
from brain_cli.types import Fragment, KeyPoint

MOST_PIECES = 6
# A log of megabytes would take longer than all other notes together.
MOST_PASSAGES = 200
MOST_SECTION_CHARS = 50_000


def text_of(point: KeyPoint) -> str:
    """Return what a model reads of a passage: its note's title and its heading, then its words."""
    heading = point.heading[-1] if point.heading else ""
    named = point.title if heading in ("", point.title) else f"{point.title} > {heading}"
    return f"{named}: {point.text}"


def note_passages(snapshot: Snapshot, note_id: int) -> list[KeyPoint]:
    """Return the passages that are embedded of a note, in order; of one without text, its title."""
    metadata = snapshot.note_table.metadata(note_id)
    found: list[KeyPoint] = []
    for number in snapshot.numbers_of(note_id):
        fragment = snapshot.index.fragment(number)
        found += [_point(fragment, part, metadata.path, metadata.title) for part in _parts(fragment)]
        if len(found) >= MOST_PASSAGES:
            break
    return found[:MOST_PASSAGES] or [KeyPoint(metadata.title, metadata.path, 1, 1, (), metadata.title)]


def _parts(fragment: Fragment) -> Iterator[list[Piece]]:
    """Yield neighbouring pieces of a section, as many as a passage has room for."""
    part: list[Piece] = []
    for piece in section_pieces(fragment._replace(text=fragment.text[:MOST_SECTION_CHARS])):
        chars = sum(len(each.text) for each in part) + len(piece.text)
        if part and (chars > MOST_CHARS or len(part) == MOST_PIECES):
            yield part
            part = []
        part.append(piece)
    if part:
        yield part


def _point(fragment: Fragment, part: Sequence[Piece], path: str, title: str) -> KeyPoint:
    last = max(piece.end_line for piece in part)
    return KeyPoint(joined(part), path, part[0].line, last, fragment.trail, title)
