"""A note → the passages that are embedded of it, with what a model reads of each; and a passage as it is shown.

Each section gives its sentences and list items one by one, for one of them may be the answer, and stretches of them,
for several may be it together. Boilerplate and lists of bare links say nothing and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from brain_cli.answer.passages.quotable import Piece, section_pieces
from brain_cli.answer.passages.windows import MAX_CHARS, joined, understandable_around
from brain_cli.index.snapshot import Snapshot
from brain_cli.types import Fragment, KeyPoint

MAX_PIECES = 6
# A log of megabytes would take longer than all other notes together.
MAX_PASSAGES = 400
MAX_SECTION_CHARS = 50_000


class Position(NamedTuple):
    """The position of a passage in a file: the line on which it begins, and how many pieces it has.

    `place` counts the pieces that begin on the same line before it. A passage of no pieces is the note's title.
    """

    line: int = 0
    place: int = 0
    pieces: int = 0


class EmbeddedPassage(NamedTuple):
    """A passage of a note, and what a model reads of it: the note's title, the heading, the words."""

    position: Position
    text: str


def note_passages(snapshot: Snapshot, note_id: int) -> list[EmbeddedPassage]:
    """Return the passages that are embedded of a note, in order; of one that says little, its words or title."""
    found = _passages(snapshot, note_id, lambda piece: piece.says_something)
    found = found or _passages(snapshot, note_id, lambda piece: not piece.bare)
    return found or [EmbeddedPassage(Position(), snapshot.note_table.metadata(note_id).title)]


def _passages(snapshot: Snapshot, note_id: int, is_said: Callable[[Piece], bool]) -> list[EmbeddedPassage]:
    title = snapshot.note_table.metadata(note_id).title
    found: list[EmbeddedPassage] = []
    for number in snapshot.numbers_of(note_id):
        fragment = snapshot.index.fragment(number)
        found += _of_section(fragment, _pieces(snapshot, fragment), title, is_said)
        if len(found) >= MAX_PASSAGES:
            break
    return found[:MAX_PASSAGES]


def passage_at(snapshot: Snapshot, note_id: int, position: Position) -> KeyPoint | None:
    """Return a passage as it is shown: one piece with as much around it as it needs, a stretch as it is."""
    fragments = [snapshot.index.fragment(number) for number in snapshot.numbers_of(note_id)]
    fragment = next((each for each in reversed(fragments) if each.text_line <= position.line), None)
    found = _pieces(snapshot, fragment) if fragment and position.pieces else []
    places = [place for place, piece in enumerate(found) if piece.line == position.line]
    if not fragment or position.place >= len(places):
        return None
    first = places[position.place]
    alone = position.pieces == 1
    shown = understandable_around(found, first) if alone else found[first : first + position.pieces]
    metadata = snapshot.note_table.metadata(note_id)
    last_line = max(piece.end_line for piece in shown)
    return KeyPoint(joined(shown), metadata.path, shown[0].line, last_line, fragment.trail, metadata.title)


def _pieces(snapshot: Snapshot, fragment: Fragment) -> list[Piece]:
    return section_pieces(fragment._replace(text=fragment.text[:MAX_SECTION_CHARS]), snapshot.note_table.boilerplate)


def _of_section(
    fragment: Fragment, found: Sequence[Piece], title: str, is_said: Callable[[Piece], bool]
) -> Iterator[EmbeddedPassage]:
    """Yield the stretches of a section that say something, then its pieces that do so alone."""
    heading = fragment.trail[-1] if fragment.trail else ""
    named = title if heading in ("", title) else f"{title} > {heading}"
    positions = _positions(found)
    place = 0
    for stretch in _stretches(found):
        if len(stretch) > 1 and any(map(is_said, stretch)):
            position = positions[place]._replace(pieces=len(stretch))
            yield EmbeddedPassage(position, f"{named}: {joined(stretch)}")
        place += len(stretch)
    for piece, position in zip(found, positions, strict=True):
        if is_said(piece):
            yield EmbeddedPassage(position, f"{named}: {piece.text}")


def _positions(found: Sequence[Piece]) -> list[Position]:
    """Return the position of each piece alone."""
    positions: list[Position] = []
    for piece in found:
        before = positions[-1] if positions else Position()
        place = before.place + 1 if before.line == piece.line else 0
        positions.append(Position(piece.line, place, 1))
    return positions


def _stretches(found: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield neighbouring pieces of a section, as many as a passage has room for."""
    stretch: list[Piece] = []
    for piece in found:
        chars = sum(len(each.text) for each in stretch) + len(piece.text)
        if stretch and (chars > MAX_CHARS or len(stretch) == MAX_PIECES):
            yield stretch
            stretch = []
        stretch.append(piece)
    if stretch:
        yield stretch
