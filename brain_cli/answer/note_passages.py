"""Cut a note into the passages that are embedded, and find the passage to show for an embedded one.

The pieces of a section (sentences, list items) are embedded in groups. Single pieces besides would find no more notes
and take twice as long. Boilerplate and lists of bare links are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from brain_cli.answer.passages.passage_text import joined
from brain_cli.answer.passages.quotable import Piece, section_pieces
from brain_cli.answer.passages.windows import MAX_CHARS, understandable_around
from brain_cli.index.snapshot import Snapshot
from brain_cli.types import Fragment, KeyPoint

MAX_PIECES = 6
# A log of megabytes would take longer than all other notes together.
MAX_PASSAGES = 400
MAX_SECTION_CHARS = 50_000
# About 100 words.
OPENING_CHARS = 600


class Position(NamedTuple):
    """The position of a passage in a file: the line on which it begins, and its number of pieces.

    `ordinal` is the index of its first piece among those on the line. A passage of no pieces is the note's title.
    """

    line: int = 0
    ordinal: int = 0
    pieces: int = 0


class EmbeddedPassage(NamedTuple):
    """A passage of a note, and the text that the model reads: the note's title, the heading, the passage."""

    position: Position
    text: str


def note_passages(snapshot: Snapshot, note_id: int) -> list[EmbeddedPassage]:
    """Return the passages of a note to embed, in order; of a note without any, its short pieces or its title."""
    found = _passages(snapshot, note_id, lambda piece: piece.says_something)
    found = found or _passages(snapshot, note_id, lambda piece: not piece.bare)
    return found or [EmbeddedPassage(Position(), snapshot.note_table.metadata(note_id).title)]


def _passages(snapshot: Snapshot, note_id: int, is_wanted: Callable[[Piece], bool]) -> list[EmbeddedPassage]:
    title = snapshot.note_table.metadata(note_id).title
    found: list[EmbeddedPassage] = []
    for number in snapshot.numbers_of(note_id):
        fragment = snapshot.index.fragment(number)
        found += _of_section(fragment, _pieces(snapshot, fragment), title, is_wanted)
        if len(found) >= MAX_PASSAGES:
            break
    return found[:MAX_PASSAGES]


def opening(snapshot: Snapshot, note_id: int) -> EmbeddedPassage:
    """Return the beginning of a note as one passage: embedded alone, it finds almost as many notes as all passages."""
    title = snapshot.note_table.metadata(note_id).title
    fragments = map(snapshot.index.fragment, snapshot.numbers_of(note_id))
    words: list[str] = []
    for fragment in fragments:
        words += (piece.text for piece in _pieces(snapshot, fragment))
        if sum(map(len, words)) > OPENING_CHARS:
            break
    return EmbeddedPassage(Position(), f"{title}: {' '.join(words)[:OPENING_CHARS]}")


def embedded_texts(snapshot: Snapshot, note_id: int, positions: Collection[Position]) -> list[str]:
    """Return the texts that were embedded for some passages of a note."""
    if any(not position.pieces for position in positions):
        return [opening(snapshot, note_id).text]
    texts = {each.position: each.text for each in note_passages(snapshot, note_id)}
    return [texts[position] for position in positions if position in texts]


def passage_at(snapshot: Snapshot, note_id: int, position: Position) -> KeyPoint | None:
    """Return the passage to show: a group unchanged, a single piece with the context it needs."""
    fragments = [snapshot.index.fragment(number) for number in snapshot.numbers_of(note_id)]
    fragment = next((each for each in reversed(fragments) if each.text_line <= position.line), None)
    found = _pieces(snapshot, fragment) if fragment and position.pieces else []
    indexes = [index for index, piece in enumerate(found) if piece.line == position.line]
    if not fragment or position.ordinal >= len(indexes):
        return None
    first = indexes[position.ordinal]
    alone = position.pieces == 1
    shown = understandable_around(found, first) if alone else found[first : first + position.pieces]
    metadata = snapshot.note_table.metadata(note_id)
    last_line = max(piece.end_line for piece in shown)
    return KeyPoint(joined(shown), metadata.path, shown[0].line, last_line, fragment.trail, metadata.title)


def _pieces(snapshot: Snapshot, fragment: Fragment) -> list[Piece]:
    return section_pieces(fragment._replace(text=fragment.text[:MAX_SECTION_CHARS]), snapshot.note_table.boilerplate)


def _of_section(
    fragment: Fragment, found: Sequence[Piece], title: str, is_wanted: Callable[[Piece], bool]
) -> Iterator[EmbeddedPassage]:
    """Yield the groups of a section that have a meaningful piece."""
    heading = fragment.trail[-1] if fragment.trail else ""
    context = title if heading in ("", title) else f"{title} > {heading}"
    positions = _positions(found)
    index = 0
    for group in _groups(found):
        if any(map(is_wanted, group)):
            yield EmbeddedPassage(positions[index]._replace(pieces=len(group)), f"{context}: {joined(group)}")
        index += len(group)


def _positions(found: Sequence[Piece]) -> list[Position]:
    """Return the position of each piece alone."""
    positions: list[Position] = []
    for piece in found:
        before = positions[-1] if positions else Position()
        index = before.ordinal + 1 if before.line == piece.line else 0
        positions.append(Position(piece.line, index, 1))
    return positions


def _groups(found: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield groups of neighbouring pieces, each as large as a passage may be."""
    group: list[Piece] = []
    for piece in found:
        chars = sum(len(each.text) for each in group) + len(piece.text)
        if group and (chars > MAX_CHARS or len(group) == MAX_PIECES):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group
