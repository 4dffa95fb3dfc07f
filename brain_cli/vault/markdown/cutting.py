"""Cut the blocks of a note into pieces, the units that can be quoted: paragraphs, list items, table rows, code.

A short list item or quotation is one piece with everything in it; of a longer one, each block is a piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from brain_cli.vault.blocks import CODE, HEAD, HIDDEN, HTML, ITEM, PROSE, QUOTE, ROW, Piece

if TYPE_CHECKING:
    from markdown_it.token import Token

MAX_ITEM_LINES = 6
MAX_QUOTE_LINES = 12
# Fenced blocks that are executed or drawn, not read.
_DRAWN = ("mermaid", "dataview", "dataviewjs", "tasks", "query", "button", "base", "chart", "plantuml", "excalidraw")
# Text that nobody sees: comments, embeds, shortcodes and tags alone, block ids, definitions of link references.
_COMMENT = r"<!--(?:[^-]|-(?!->))*-->|%%[^%]*%%"
_EMBED = r"!\[\[[^\]]*\]\]|\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?"
_TAG = r"</?[A-Za-z][^<>]*>|\{\{[^{}]*\}\}|\{%[^{}]*%\}"
_BLOCK_ID, _RULE = r"\^[\w-]+(?=\s|$)", r"[*_=-]{3,}(?![*_=-])"
_DEFINITION = r"(?<![^\n])[ ]{0,3}\[[^\]\n]+\]:[^\n]*"
_UNSEEN = re.compile(rf"(?:\s|{_COMMENT}|{_EMBED}|{_TAG}|{_BLOCK_ID}|{_DEFINITION}|{_RULE})*\Z")
MAX_UNSEEN_CHARS = 2_000
_COMMENT_MARK = "%%"
# A shortcode around code, such as Hugo's `highlight`, and the one that ends it.
_CODE_SHORTCODE = re.compile(r"\s*\{\{[<%]\s*(?:[\w-]*(?:code|highlight)[\w-]*)\b(?!.*/[>%]\}\})")
_SHORTCODE_END = re.compile(r"\{\{[<%]\s*/")


def shown(pieces: Iterable[Piece], lines: Sequence[str]) -> Iterator[Piece]:
    """Yield the pieces of a body as they are shown: with hidden ones, and with code between shortcodes as one."""
    return _joined(_with_hidden(pieces, lines), lines)


def cut(tokens: Sequence[Token], start: int) -> Iterator[Piece]:
    """Yield the pieces of some lines from their tokens; the first of these lines has the number `start`."""
    end, item_line = 0, -1
    for token in tokens:
        # The end of a list item or quotation may include blank lines, which `_with_hidden` removes.
        if not token.map or token.map[0] < end:
            continue
        first, last = token.map[0], token.map[1] - 1
        kind = ""
        if token.type == "list_item_open":
            kind, item_line = (ITEM if last - first < MAX_ITEM_LINES else ""), first
        elif token.type == "blockquote_open":
            kind = QUOTE if last - first < MAX_QUOTE_LINES else ""
        elif token.type == "paragraph_open" or (token.type == "heading_open" and token.level):
            kind = ITEM if first == item_line else PROSE
        elif token.type == "fence":
            language = token.info.strip().partition(" ")[0].lower()
            kind = HIDDEN if language in _DRAWN else CODE
        elif token.type == "code_block":
            kind = CODE
        elif token.type == "html_block":
            kind = HTML
        elif token.type == "table_open":
            # The head, the line of dashes below it and the first row are one piece.
            kind, last = HEAD, min(last, first + 2)
        elif token.type == "tr_open":
            kind = ROW
        if kind:
            yield Piece(kind, start + first, start + last)
            end = last + 1


def _with_hidden(pieces: Iterable[Piece], lines: Sequence[str]) -> Iterator[Piece]:
    """Yield pieces without the blank lines at their ends; those that show nothing to a reader become hidden ones."""
    in_comment = False
    for kind, first, last in pieces:
        while last > first and not lines[last].strip():
            last -= 1
        if kind in (PROSE, HTML, ITEM):
            text = "\n".join(lines[first : last + 1])
            was_in_comment = in_comment
            if _COMMENT_MARK in text:
                in_comment ^= text.count(_COMMENT_MARK) % 2 == 1
            if was_in_comment or in_comment or (len(text) < MAX_UNSEEN_CHARS and _UNSEEN.match(text)):
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
