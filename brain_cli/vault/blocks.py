"""The blocks that the reader of markdown returns."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from brain_cli.record import Record
from brain_cli.types import CODE as CODE

# The kinds of pieces. A table's head has its first row; hidden pieces are comments, rules, embeds,
# link definitions.
PROSE = "p"
ITEM = "i"
QUOTE = "q"
HEAD = "t"
ROW = "r"
HTML = "h"
HIDDEN = "x"
# The kind of a heading where one is quoted; it is not a piece.
HEADING = "#"
_PACKED = re.compile(r"(.)(\d+)(?:-(\d+))?")


class Heading(NamedTuple):
    """A heading's words and level (1..6); `start` and `end` are its lines in the body, from 0, end
    excluded.
    """

    text: str
    level: int
    start: int
    end: int


class Piece(NamedTuple):
    """A unit that can be quoted, such as a paragraph or a list item: its kind, its first line and
    its last line.
    """

    kind: str
    first: int
    last: int


class Blocks(Record):
    """The headings of a body, the number of its list items, the lines that are code, and its pieces
    in order.
    """

    headings: tuple[Heading, ...]
    list_items: int
    code_lines: frozenset[int]
    pieces: tuple[Piece, ...]


def packed(pieces: Iterable[Piece], start: int) -> str:
    """Return pieces as a short text, such as `p0 i2-3`, with lines counted from `start`."""
    return " ".join(
        f"{kind}{first - start}" + (f"-{last - start}" if last > first else "")
        for kind, first, last in pieces
    )


def unpacked(text: str, start: int) -> Iterator[Piece]:
    """Yield the pieces that `packed` wrote, with lines counted on from `start`."""
    for kind, first, last in _PACKED.findall(text):
        yield Piece(kind, start + int(first), start + int(last or first))
