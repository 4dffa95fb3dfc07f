"""Split the body of a note into sections at its top-level headings, and find a section in a file.

A fragment is the text between two headings; a section in a file extends to the next heading that is
not below its own.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from brain_cli.types import Fragment
from brain_cli.vault.analyzer import same_name
from brain_cli.vault.blocks import Blocks, Piece, packed
from brain_cli.vault.decode import lines_of
from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.inline_text import plain_title
from brain_cli.vault.markdown import Heading, read_blocks

# Every section repeats the headings above it, so a long heading over many sections would fill the
# index.
MAX_TRAIL_CHARS = 200
# A span ends with as many backticks as it begins with. Their number is bounded, to bound the search
# for the end. A pattern that begins with a plain character is searched for at full speed, so it
# looks behind that.
_CODE_SPAN = re.compile(r"(`(?<![`\\]`)`{0,8})(?!`)[^\r\n]*?(?<!`)\1(?!`)")
_VISIBLE = re.compile(r"[^\r\n]")
# The id that Pandoc, Hugo and others write behind a heading.
_ID = re.compile(r"\{#([^}\s]+)[^}]*\}$")


class Outline(NamedTuple):
    """The blocks of a body, and its fragments; `starts` are the characters of the body at which
    the texts of the fragments begin.
    """

    blocks: Blocks
    fragments: tuple[Fragment, ...]
    starts: tuple[int, ...]


def outline(body: str, first_line: int) -> Outline:
    """Split a body into fragments; it begins on line `first_line` of the file, counted from 1."""
    blocks = read_blocks(body)
    lines = body.split("\n")
    fragments = tuple(_fragments(lines, blocks, first_line))
    line_starts = [0, *accumulate(len(line) + 1 for line in lines)]
    starts = tuple(line_starts[fragment.text_line - first_line] for fragment in fragments)
    return Outline(blocks, fragments, starts)


def _fragments(lines: list[str], blocks: Blocks, first_line: int) -> Iterator[Fragment]:
    headings = blocks.headings
    starts = [Heading("", 0, 0, 0), *headings]
    ends = [heading.start for heading in headings] + [len(lines)]
    piece_starts = [piece.first for piece in blocks.pieces]
    trail: list[Heading] = []
    above = 0
    for heading, end in zip(starts, ends, strict=True):
        trail = [*_above(trail, heading), heading]
        first = next(
            (number for number in range(heading.end, end) if lines[number].strip()), None
        )
        if first is not None:
            text_line = first_line + first
            yield Fragment(
                trail=tuple(h.text[:MAX_TRAIL_CHARS] for h in trail if h.text),
                text=(text := "\n".join(lines[first:end]).rstrip()),
                line=first_line + heading.start if heading.level else text_line,
                text_line=text_line,
                above="\n".join(lines[above:first]),
                pieces=packed(
                    blocks.pieces[
                        bisect_left(piece_starts, first) : bisect_left(piece_starts, end)
                    ],
                    first,
                ),
            )
            above = first + text.count("\n") + 1


def prose(body: str, code_lines: frozenset[int]) -> str:
    """Return a body with code replaced by blanks: `[[ -f x ]]` in a script is not a link.

    Every other character keeps its offset.
    """
    if code_lines:
        lines = enumerate(lines_of(body))
        body = "".join(
            _VISIBLE.sub(" ", line) if number in code_lines else line for number, line in lines
        )
    return _CODE_SPAN.sub(lambda span: " " * len(span[0]), body)


class Section(NamedTuple):
    """A heading with all headings above it, outermost first, and its lines in the file: from 1, end
    excluded.
    """

    trail: tuple[str, ...]
    line: int
    end: int


def sections(text: str) -> list[Section]:
    """Return the sections of a note in file order; `text` has Unix line ends."""
    start = split_head(text).body_start
    first = 1 + text.count("\n", 0, start)
    body = text[start:]
    headings = read_blocks(body).headings
    last = first + body.count("\n") + (not body.endswith("\n"))
    found: list[Section] = []
    trail: list[Heading] = []
    for number, heading in enumerate(headings):
        trail = [*_above(trail, heading), heading]
        below = (headings[each] for each in range(number + 1, len(headings)))
        ends = (first + each.start for each in below if each.level <= heading.level)
        words = tuple(each.text for each in trail)
        found.append(Section(words, first + heading.start, next(ends, last)))
    return found


def _above(trail: Sequence[Heading], heading: Heading) -> list[Heading]:
    """Return the headings of a trail that another one is below."""
    return [each for each in trail if each.level < heading.level]


def section_named(text: str, heading: str) -> Section | None:
    """Return the first section with this heading, given as written or shown, as a link's anchor, as
    `Above#Below` or by its id `{#id}`; else the only one whose heading begins with these words.
    Of `^id`, return the block of that id, without a trail.
    """
    if heading.startswith("^"):
        return _block(text, heading)
    wanted = _anchor(heading)
    beginning = []
    for section in sections(text) if wanted else ():
        *above, name = section.trail
        if wanted in map(_anchor, _ID.findall(name)):
            return section
        for outer in (above[first:] for first in range(len(above) + 1)):
            address = _anchor(*outer, name)
            if address == wanted:
                return section
            if address.startswith(f"{wanted}-") and len(wanted) > len(_anchor(*outer)):
                beginning.append(section)
    return beginning[0] if len(beginning) == 1 else None


def _block(text: str, name: str) -> Section | None:
    """Return the block that ends with an id, or below which the id stands alone."""
    lines = text.split("\n")
    before: Piece | None = None
    for piece in read_blocks(text).pieces:
        words = lines[piece.last].split()
        if words[-1:] == [name]:
            block = before if before and len(words) == 1 else piece
            return Section((), block.first + 1, block.last + 2)
        before = piece
    return None


def _anchor(*headings: str) -> str:
    """Return the anchor of a heading below others; a `#` separates them, but may be part of one."""
    shown = (plain_title(_ID.sub("", each)) for each in headings)
    words = re.sub(r"[^\w\s-]", "", same_name(" ".join(shown).replace("#", " ")))
    return re.sub(r"[\s-]+", "-", words).strip("-")
