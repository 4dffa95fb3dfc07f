"""Read the blocks of a body by the rules of CommonMark, with tables. This is the only reader of
markdown.

markdown-it-py takes quadratic time for some bodies. So a body that is long or full of quotations is
first cut into parts outside its fences, at headings and blank lines where there are any. It also
takes a second per megabyte of lists, so the lines of a long list whose items are plain lines are
pieces without being parsed.

Pieces are the units that can be quoted: paragraphs, list items, table rows, code. A short list item
or quotation is one piece with everything in it; of a longer one, each block is a piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.vault.blocks import (
    CODE,
    HEAD,
    HIDDEN,
    HTML,
    ITEM,
    PROSE,
    QUOTE,
    ROW,
    Blocks,
    Piece,
)
from brain_cli.vault.blocks import Heading as Heading

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
_QUOTATION = re.compile(
    r"^(?![ \t]*>).*\n(?=[ \t]*(?:[-+*] |\d{1,9}[.)] )?[ \t]*>)", re.MULTILINE
)
_FENCE = re.compile(r"[ \t>]*(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"#{1,6}[ \t]")
# Items of one plain line, as in a list of links, after a blank line or a heading or a line of text
# below one. The last item of a list is not among them, because the lines after it may belong to it.
_PLAIN_ITEMS = re.compile(
    r"(?:\A\n*|\n[ \t]*\n)(?:#{1,6} .*\n)?(?:(?:[^\W\d_]|%).*\n)?"
    r"((?:[-*+] {1,3}(?:[^\W\d_]|[\[(!]).*\n){8,})(?=[-*+] )"
)
LEAST_ITEMS = 8
_FENCES = ("```", "~~~")
# HTML that extends over blank lines, in which list markers mean nothing.
_LONG_HTML = re.compile(r"<(?:[!?]|script|pre|style|textarea)", re.IGNORECASE)
MAX_ITEM_LINES = 6
MAX_QUOTE_LINES = 12
_KINDS = {
    "fence": CODE,
    "code_block": CODE,
    "html_block": HTML,
    "table_open": HEAD,
    "tr_open": ROW,
}
# Fenced blocks that are executed or drawn, not read.
_DRAWN = (
    "mermaid",
    "dataview",
    "dataviewjs",
    "tasks",
    "query",
    "button",
    "base",
    "chart",
    "plantuml",
    "excalidraw",
)
# Text that nobody sees: comments, embeds, shortcodes and tags alone, block ids, definitions of link
# references.
_COMMENT = r"<!--(?:[^-]|-(?!->))*-->|%%[^%]*%%"
_EMBED = r"!\[\[[^\]]*\]\]|\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?"
_TAG = r"</?[A-Za-z][^<>]*>|\{\{[^{}]*\}\}|\{%[^{}]*%\}"
_BLOCK_ID = r"\^[\w-]+(?=\s|$)"
_RULE = r"[*_=-]{3,}(?![*_=-])"
_DEFINITION = r"(?<![^\n])[ ]{0,3}\[[^\]\n]+\]:[^\n]*"
_UNSEEN = re.compile(rf"(?:\s|{_COMMENT}|{_EMBED}|{_TAG}|{_BLOCK_ID}|{_DEFINITION}|{_RULE})*\Z")
MAX_UNSEEN_CHARS = 2_000
_COMMENT_MARK = "%%"
# A shortcode around code, such as Hugo's `highlight`, and the one that ends it.
_CODE_SHORTCODE = re.compile(
    r"\s*\{\{[<%]\s*(?:[\w-]*(?:code|highlight)[\w-]*)\b(?!.*/[>%]\}\})"
)
_SHORTCODE_END = re.compile(r"\{\{[<%]\s*/")


def read_blocks(body: str) -> Blocks:
    """Read the blocks of a body of any size, in linear time."""
    lines = body.split("\n")
    found = _Found()
    for part in _parts(body, lines):
        if part.kind:
            found.add_unread(part)
        elif part.end > part.first:
            found.add(_tokens(lines[part.first : part.end]), part.first)
    return Blocks(
        tuple(found.headings),
        found.list_items,
        frozenset(found.code_lines),
        tuple(_joined(_with_hidden(found.pieces, lines), lines)),
    )


class _Found:
    """The blocks that have been read so far."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.list_items = 0
        self.code_lines: set[int] = set()
        self.pieces: list[Piece] = []

    def add_unread(self, part: _Part) -> None:
        """Add a part that is not parsed: an item a line, or one piece."""
        numbers = range(part.first, part.end)
        if part.kind == ITEM:
            self.list_items += len(numbers)
            self.pieces += (Piece(ITEM, number, number) for number in numbers)
            return
        if part.kind == CODE:
            self.code_lines.update(numbers)
        self.pieces.append(Piece(part.kind, part.first, part.end - 1))

    def add(self, tokens: Sequence[Token], start: int) -> None:
        """Add the blocks of some lines, of which the first has the number `start`."""
        end = 0
        item_line = -1
        for index, token in enumerate(tokens):
            if not token.map:
                continue
            # The end of an item or a quotation may include blank lines, which `_with_hidden`
            # removes.
            first, after = token.map
            last = after - 1
            kind = _KINDS.get(token.type, "")
            if token.type == "list_item_open":
                self.list_items += 1
                kind = ITEM if last - first < MAX_ITEM_LINES else ""
                item_line = first
            elif token.type == "blockquote_open":
                kind = QUOTE if last - first < MAX_QUOTE_LINES else ""
            elif token.type == "heading_open" and token.level == 0:
                # One inside a quotation or a list item is part of that block, not of the note's
                # outline.
                words = " ".join(tokens[index + 1].content.split())
                self.headings.append(
                    Heading(words, int(token.tag[1:]), start + first, start + after)
                )
            elif token.type in ("paragraph_open", "heading_open"):
                kind = ITEM if first == item_line else PROSE
            elif (
                token.type == "fence" and token.info.strip().partition(" ")[0].lower() in _DRAWN
            ):
                kind = HIDDEN
            elif token.type == "table_open":
                # The head, the line of dashes below it and the first row are one piece.
                last = min(last, first + 2)
            if token.type in ("fence", "code_block"):
                self.code_lines.update(range(start + first, start + after))
            # A block in a piece belongs to that.
            if kind and first >= end:
                self.pieces.append(Piece(kind, start + first, start + last))
                end = last + 1


def _is_costly(body: str) -> bool:
    """Return whether the parser would take long: from each start of a quotation, it scans to the
    end of the note.
    """
    if len(body) > LARGE_BODY_CHARS:
        return True
    lines = body.count("\n")
    # Few notes have so many signs that their quotations have to be counted.
    may_be = body.count(">") * lines > MAX_LINES_OF_QUOTATIONS
    return may_be and len(_QUOTATION.findall(body)) * lines > MAX_LINES_OF_QUOTATIONS


class _Part(NamedTuple):
    """Some lines of a body, `end` excluded; with a kind, they are one piece that need not be
    parsed.
    """

    first: int
    end: int
    kind: str = ""


def _parts(body: str, lines: Sequence[str]) -> Iterator[_Part]:
    """Yield the parts of a body in order; between two plain lists, only a costly body is cut."""
    lists = dict(_plain_lists(body))
    if _is_costly(body):
        yield from _small_parts(lines, lists)
        return
    first = 0
    for start, end in lists.items() if not any(mark in body for mark in _FENCES) else ():
        yield from (_Part(first, start), _Part(start, end, ITEM))
        first = end
    yield _Part(first, len(lines))


def _plain_lists(body: str) -> Iterator[tuple[int, int]]:
    """Yield the first line of each long list of plain items, and the line after it; some may be in
    fences.
    """
    number = offset = 0
    # Most notes have no long list, which a count shows sooner than the pattern.
    has_items = sum(body.count(f"\n{marker} ") for marker in "-*+") >= LEAST_ITEMS
    for match in (
        _PLAIN_ITEMS.finditer(body) if has_items and not _LONG_HTML.search(body) else ()
    ):
        number += body.count("\n", offset, match.start(1))
        offset = match.start(1)
        yield number, number + match[1].count("\n")


def _small_parts(lines: Sequence[str], lists: Mapping[int, int]) -> Iterator[_Part]:
    """Yield the parts of a costly body; a fence, a very long line and a plain list are parts of
    their own.
    """
    first = chars = number = 0
    while number < len(lines):
        line = lines[number]
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        end = _fence_end(lines, number, fence[1]) if fence else lists.get(number, number + 1)
        size = sum(map(len, lines[number:end]))
        kind = CODE if fence else ITEM if number in lists else ""
        if size > MAX_LINE_CHARS and not kind:
            kind = PROSE
        is_short = end - number <= PART_LINES and size <= MAX_LINE_CHARS
        if kind and not (kind == CODE and is_short):
            yield _Part(first, number)
            yield _Part(number, end, kind)
            first = end
            chars = 0
        else:
            filled = max(chars / PART_CHARS, (number - first) / PART_LINES)
            if not kind and (filled >= 2 or (filled >= 1 and _may_cut(lines, number))):
                yield _Part(first, number)
                first = number
                chars = 0
            chars += size
        number = end
    yield _Part(first, len(lines))


def _fence_end(lines: Sequence[str], start: int, mark: str) -> int:
    """Return the line after a fence that begins on line `start`."""
    closing = re.compile(rf"[ \t>]*{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$")
    return next(
        (number + 1 for number in range(start + 1, len(lines)) if closing.match(lines[number])),
        len(lines),
    )


def _may_cut(lines: Sequence[str], number: int) -> bool:
    """Return whether no block continues on a line: it is a heading, or text at the margin after a
    blank line.
    """
    line = lines[number]
    after_blank = number > 0 and not lines[number - 1].strip()
    return bool(_HEADING.match(line)) or (after_blank and line[:1].isalpha())


# The signs without which a text has no such block: fewer rules are tried at each line.
_RULES = {
    "fence": _FENCES,
    "blockquote": (">",),
    "html_block": ("<",),
    "table": ("|",),
    "heading": ("#",),
}


@cache
def _parser(*rules: str) -> MarkdownIt:
    """Return a parser without these rules."""
    from markdown_it import MarkdownIt

    # Definitions of link references remain text, because finding their end takes quadratic time in
    # a hostile note.
    return MarkdownIt("commonmark").enable("table").disable(["reference", *rules])


def _tokens(lines: Sequence[str]) -> list[Token]:
    """Return the tokens of some lines."""
    tokens: list[Token] = []
    text = "\n".join(lines).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    parser = _parser(
        *(rule for rule, signs in _RULES.items() if not any(sign in text for sign in signs))
    )
    parser.block.parse(text, parser, {}, tokens)
    return tokens


def code_blocks(text: str) -> list[str]:
    """Return the code of each block of code of a text, without its fences."""
    tokens = _parser().parse(text)
    return [token.content for token in tokens if token.type in ("fence", "code_block")]


def _with_hidden(pieces: Iterable[Piece], lines: Sequence[str]) -> Iterator[Piece]:
    """Yield pieces without the blank lines at their ends; those that show nothing to a reader
    become hidden ones.
    """
    in_comment = False
    for kind, first, last in pieces:
        while last > first and not lines[last].strip():
            last -= 1
        if kind in (PROSE, HTML, ITEM):
            text = "\n".join(lines[first : last + 1])
            was_in_comment = in_comment
            if _COMMENT_MARK in text:
                in_comment ^= text.count(_COMMENT_MARK) % 2 == 1
            if (
                was_in_comment
                or in_comment
                or (len(text) < MAX_UNSEEN_CHARS and _UNSEEN.match(text))
            ):
                is_code = bool(_CODE_SHORTCODE.match(text) or _SHORTCODE_END.search(text))
                kind = kind if is_code else HIDDEN
        yield Piece(kind, first, last)


def _joined(pieces: Iterable[Piece], lines: Sequence[str]) -> Iterator[Piece]:
    """Yield pieces with those between two shortcodes of code joined to one."""
    opened: Piece | None = None
    for piece in pieces:
        if opened is None and piece.kind == PROSE and _CODE_SHORTCODE.match(lines[piece.first]):
            opened = Piece(CODE, piece.first, piece.last)
        elif opened:
            opened = opened._replace(last=piece.last)
        else:
            yield piece
            continue
        if any(_SHORTCODE_END.search(line) for line in lines[piece.first : piece.last + 1]):
            yield opened
            opened = None
    if opened:
        yield opened
