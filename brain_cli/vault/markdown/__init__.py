"""Read the blocks of a body by the rules of CommonMark, with tables. This is the only reader of markdown.

markdown-it-py takes quadratic time for some bodies, and a second per megabyte of lists. So a body that is long or full
of quotations is first cut into parts outside its fences, at headings and blank lines where there are any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.vault.blocks import CODE, PROSE, Blocks, Piece
from brain_cli.vault.blocks import Heading as Heading
from brain_cli.vault.markdown.cutting import pieces_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LARGE_BODY_CHARS = 100_000
MAX_LINES_OF_QUOTATIONS = 200_000
# A part of a costly body is at least this long, and at most twice as long.
PART_CHARS = 20_000
PART_LINES = 300
# A longer line is a paragraph, unread.
MAX_LINE_CHARS = 10_000
# A quoted line after a line without a quotation sign; list markers may precede the sign.
_QUOTATION = re.compile(r"^(?![ \t]*>).*\n(?=[ \t]*(?:[-+*] |\d{1,9}[.)] )?[ \t]*>)", re.MULTILINE)
_FENCE = re.compile(r"[ \t>]*(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"#{1,6}[ \t]")


def read_blocks(body: str) -> Blocks:
    """Read the blocks of a body of any size, in linear time."""
    if not _is_costly(body):
        return _parse(body.split("\n"), 0)
    lines = body.split("\n")
    parts = [_unread(part) if part.kind else _parse(lines[part.first : part.end], part.first) for part in _parts(lines)]
    return Blocks(
        tuple(heading for part in parts for heading in part.headings),
        sum(part.list_items for part in parts),
        frozenset(number for part in parts for number in part.code_lines),
        tuple(piece for part in parts for piece in part.pieces),
    )


def _is_costly(body: str) -> bool:
    """Return whether the parser would take long: from each start of a quotation, it scans to the end of the note."""
    if len(body) > LARGE_BODY_CHARS:
        return True
    quotations = len(_QUOTATION.findall(body)) if ">" in body else 0
    return quotations * body.count("\n") > MAX_LINES_OF_QUOTATIONS


class _Part(NamedTuple):
    """Some lines of a body, `end` excluded; with a kind, they are one piece that need not be parsed."""

    first: int
    end: int
    kind: str = ""


def _parts(lines: Sequence[str]) -> Iterator[_Part]:
    """Yield the parts of a costly body; a fence and a very long line are parts of their own."""
    first = chars = 0
    number = 0
    while number < len(lines):
        line = lines[number]
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence or len(line) > MAX_LINE_CHARS:
            end = _fence_end(lines, number, fence[1]) if fence else number + 1
            is_long = end - number > PART_LINES or sum(map(len, lines[number:end])) > MAX_LINE_CHARS
            if is_long:
                yield _Part(first, number)
                yield _Part(number, end, CODE if fence else PROSE)
                first, chars, number = end, 0, end
                continue
            chars += sum(map(len, lines[number:end]))
            number = end
            continue
        size = max(chars / PART_CHARS, (number - first) / PART_LINES)
        if size >= 2 or (size >= 1 and _may_cut(lines, number)):
            yield _Part(first, number)
            first, chars = number, 0
        chars += len(line)
        number += 1
    yield _Part(first, len(lines))


def _fence_end(lines: Sequence[str], start: int, mark: str) -> int:
    """Return the line after a fence that begins on line `start`."""
    closing = re.compile(rf"[ \t>]*{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$")
    return next((number + 1 for number in range(start + 1, len(lines)) if closing.match(lines[number])), len(lines))


def _may_cut(lines: Sequence[str], number: int) -> bool:
    """Return whether no block continues on a line: it is a heading, or text at the margin after a blank line."""
    line = lines[number]
    after_blank = number > 0 and not lines[number - 1].strip()
    return bool(_HEADING.match(line)) or (after_blank and line[:1].isalpha())


def _unread(part: _Part) -> Blocks:
    code_lines = range(part.first, part.end) if part.kind == CODE else ()
    return Blocks((), 0, frozenset(code_lines), (Piece(part.kind, part.first, part.end - 1),))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Definitions of link references remain text, because finding their end takes quadratic time in a hostile note.
    return MarkdownIt("commonmark").enable("table").disable("reference")


def _parse(lines: Sequence[str], first: int) -> Blocks:
    """Read the blocks of some lines, of which the first has this number."""
    parser = _parser()
    tokens: list[Token] = []
    text = "\n".join(lines).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    parser.block.parse(text, parser, {}, tokens)
    return Blocks(
        headings=tuple(_headings(tokens, first)),
        list_items=sum(token.type == "list_item_open" for token in tokens),
        code_lines=frozenset(
            first + number
            for token in tokens
            if token.type in ("fence", "code_block") and token.map
            for number in range(*token.map)
        ),
        pieces=tuple(Piece(kind, first + start, first + last) for kind, start, last in pieces_of(tokens, lines)),
    )


def _headings(tokens: Sequence[Token], first: int) -> Iterator[Heading]:
    for index, token in enumerate(tokens):
        # A heading inside a quotation or a list item is part of that block, not of the note's outline.
        if token.type == "heading_open" and token.level == 0 and token.map:
            words = " ".join(tokens[index + 1].content.split())
            yield Heading(words, int(token.tag[1:]), first + token.map[0], first + token.map[1])
