"""Read the blocks of a body by the rules of CommonMark, with tables. This is the only reader of
markdown.

Pieces are the units that can be quoted: paragraphs, list items, table rows, code. A short list item
or quotation is one piece with everything in it; of a longer one, each block is a piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

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
    from markdown_it.rules_block import StateBlock

# The parser reads only the beginning of a longer line.
MAX_LINE_CHARS = 10_000
# A part has at least so many lines, and at most twice as many: it ends at a heading if it can.
PART_LINES = 10_000
# The parser scans from each start of a quotation to the end of its part.
PART_LINES_OF_QUOTATIONS = 100
MAX_SCANNED_LINES = 100_000
# A quoted line after a line without a quotation sign; list markers may precede the sign.
_QUOTATION = re.compile(
    r"^(?![ \t]*>).*\n(?=[ \t]*(?:[-+*] |\d{1,9}[.)] )?[ \t]*>)", re.MULTILINE
)
_HEADING = re.compile(r"#{1,6}[ \t]")
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
    for first, end in pairwise(_cuts(lines, _part_lines(body, len(lines)))):
        found.add(_tokens([line[:MAX_LINE_CHARS] for line in lines[first:end]]), first)
    pieces = _with_hidden(found.pieces, lines)
    if "{{" in body:
        pieces = _joined(pieces, lines)
    return Blocks(
        tuple(found.headings),
        found.list_items,
        frozenset(found.code_lines),
        tuple(pieces),
    )


class _Found:
    """The blocks that have been read so far."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.list_items = 0
        self.code_lines: set[int] = set()
        self.pieces: list[Piece] = []

    def add(self, tokens: Sequence[Any], start: int) -> None:
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


def _part_lines(body: str, count: int) -> int:
    """Return the least number of lines of a part of a body with so many lines."""
    # Few notes have so many signs that their quotations have to be counted.
    may_be = body.count(">") * count > MAX_SCANNED_LINES
    if may_be and len(_QUOTATION.findall(body)) * count > MAX_SCANNED_LINES:
        return PART_LINES_OF_QUOTATIONS
    return PART_LINES


def _cuts(lines: Sequence[str], least: int) -> Iterator[int]:
    """Yield the lines at which the parts of a body begin, and its end; few bodies have two parts,
    because the tokens of so many lines would fill the memory.
    """
    first = 0
    yield first
    is_code = False
    for number, line in enumerate(lines if len(lines) > least else ()):
        size = number - first
        may_cut = size >= 2 * least or (size >= least and _HEADING.match(line))
        if may_cut and not is_code:
            yield (first := number)
        is_code ^= line.lstrip(" \t>").startswith(("```", "~~~"))
    yield len(lines)


# Every other kind of block, and what ends a paragraph, begins with one of these.
_SIGNS = frozenset("#>-+*_<`~|:=0123456789")


@cache
def _parser() -> tuple[MarkdownIt, type[StateBlock]]:
    """Return the parser, and its state with tokens that have only what is read here."""
    from markdown_it import MarkdownIt, rules_block

    class BriefState(rules_block.StateBlock):
        def push(self, ttype: str, tag: str, nesting: int) -> Any:
            self.level -= nesting < 0
            token: Any = _Token()
            token.type = ttype
            token.tag = tag
            token.level = self.level
            self.level += nesting > 0
            self.tokens.append(token)
            return token

    # Definitions of link references remain text, because finding their end takes quadratic time in
    # a hostile note.
    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.block.ruler.before("table", "plain_paragraph", _plain_paragraph)
    return parser, BriefState


def _plain_paragraph(state: StateBlock, start: int, _: int, silent: bool) -> bool:
    """Read a paragraph of whose lines none begins with a sign: no other rule applies to it."""
    line = start
    while line < state.lineMax and not state.isEmpty(line):
        if state.src[state.bMarks[line] + state.tShift[line]] in _SIGNS:
            return False
        line += 1
    if silent or state.is_code_block(start):
        return False
    state.push("paragraph_open", "p", 1).map = [start, line]
    state.push("inline", "", 0)
    state.push("paragraph_close", "p", -1)
    state.line = line
    return True


class _Token:
    """A token of the parser; its other fields are for renderers."""

    map = ()
    content = info = ""


def _tokens(lines: Sequence[str]) -> list[Any]:
    """Return the tokens of some lines."""
    tokens: list[Any] = []
    text = "\n".join(lines).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    parser, new_state = _parser()
    state = new_state(text, parser, {}, tokens)
    parser.block.tokenize(state, 0, state.lineMax)
    return tokens


def code_blocks(text: str) -> list[str]:
    """Return the code of each block of code of a text, without its fences."""
    tokens = _tokens(text.split("\n"))
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
