"""A section's text → blocks: paragraphs, list items, table rows and code, each with its lines in the file.

Comments, shortcodes, embedded frames and dividers yield no block; a quotation or callout is read by its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from brain_cli.late_pattern import late_pattern

_QUOTE = late_pattern(r"^\s{0,3}(?:>\s?)+")
_CALLOUT = late_pattern(r"\[!([\w-]+)\][+-]?\s*")
_ITEM = late_pattern(r"(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[[^\]]\]\s+)?")
_FENCE = late_pattern(r"\s*(`{3,}|~{3,})\s*([\w-]*)")
_INDENTED = late_pattern(r" {4}|\t")
DELIMITER_ROW = late_pattern(r"\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$")
_DEFINITION = late_pattern(r"\s{0,3}:\s+")
_DIVIDER = late_pattern(
    r"\s*(?:#{1,6}(?:\s|$)|-{3,}\s*$|={3,}\s*$|(?:\*\s*){3,}$|_{3,}\s*$|\[[^\]]*\]:\s|\^[\w-]+\s*$)"
)
# `Author: Mara` on a line of its own is not the begin of the next line.
_FIELD_LINE = late_pattern(r"\s*(?:\*\*)?[^\W\d_][\w ]{0,30}(?:\*\*)?:(?:\*\*)?\s+\S")
_BOLD_LINE = late_pattern(r"\s*(?:\*\*[^*]+\*\*|__[^_]+__):?\s*$")
# The title of a box beside the text: `***IN PRACTICE* Backup over SSH**`.
_BOX_TITLE = late_pattern(r"\s*\*{3}[^*]+\*[^*]+\*\*\s*$")
# How a hidden stretch of several lines begins, and how it ends.
_HIDDEN = (
    (late_pattern(r"\s*<!--"), "-->"),
    (late_pattern(r"\s*%%"), "%%"),
    (late_pattern(r"\s*\{\{[<%]"), "}}"),
    (late_pattern(r"\s*<(?:script|style|svg|iframe)\b", re.IGNORECASE), "</"),
)
_MATH = "$$"
# A look at the first character spares most lines most of the patterns.
_FENCE_BEGINS = frozenset("`~{$<%")
_BULLETS = frozenset("-*+")
_DIVIDER_BEGINS = frozenset("#-=*_[^")
# A shortcode around code, such as Hugo's `highlight`, and the one that ends it.
CODE_SHORTCODE = late_pattern(r"\s*\{\{[<%]\s*([\w-]*(?:code|highlight)[\w-]*)\b(?!.*/[>%]\}\}).*\}\}\s*$")
_SHORTCODE = "{{"
SHORTCODE_END = late_pattern(r"\s*\{\{[<%]\s*/")
# Fenced blocks that are run or drawn rather than read.
_DRAWN = "mermaid dataview dataviewjs tasks query button base chart plantuml excalidraw compressed-json"
_NOT_READ = frozenset(_DRAWN.split())


class Kind(Enum):
    """The kind of a block."""

    PROSE = "prose"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    # A heading in bold: it ends what stood before it, and is not quoted.
    LABEL = "label"


class Line(NamedTuple):
    """A line's text, and its number in the file."""

    text: str
    number: int


class Block(NamedTuple):
    """Lines that belong together; `marker` and `indent` are of a list item."""

    kind: Kind
    lines: list[Line]
    marker: str = ""
    indent: int = 0


def blocks(lines: Iterable[Line]) -> Iterator[Block]:
    """Yield the blocks that some lines of a section make."""
    reader = _Reader()
    for line in lines:
        yield from reader.take(line)
    yield from reader.finish()


class _Reader:
    """The block that is open at a line, and the stretch of code, table or hidden text around it."""

    def __init__(self) -> None:
        self._open: Block | None = None
        self._fence = ""
        self._code: list[Line] | None = None
        self._hidden_until = ""
        self._columns: list[str] | None = None
        self._in_list = False

    def take(self, line: Line) -> Iterator[Block]:
        """Read one line; yield the blocks that end with it."""
        if self._hidden_until:
            self._hidden_until = "" if self._hidden_until in line.text else self._hidden_until
        elif self._fence:
            yield from self._in_fence(line)
        elif line.text.lstrip()[:1] in _FENCE_BEGINS and (opened := self._opened(line.text)):
            yield from opened
        else:
            yield from self._take_text(line._replace(text=_QUOTE.sub("", line.text)) if ">" in line.text[:8] else line)

    def _opened(self, text: str) -> Iterator[Block] | None:
        """Return the blocks that end where a line begins code or a hidden stretch; None where it begins neither."""
        if fence := _FENCE.match(text):
            return self._open_fence(fence[1], readable=fence[2].lower() not in _NOT_READ)
        if CODE_SHORTCODE.match(text):
            return self._open_fence(_SHORTCODE, readable=True)
        if text.strip() == _MATH:
            return self._open_fence(_MATH, readable=True)
        hidden = _hidden(text)
        return self._hide(hidden) if hidden else None

    def finish(self) -> Iterator[Block]:
        """Yield what is still open at the end."""
        yield from self._close()
        yield from self._close_fence()

    def _take_text(self, line: Line) -> Iterator[Block]:
        bare = line.text.strip()
        first = bare[:1]
        item = _ITEM.match(line.text) if first in _BULLETS or first.isdigit() else None
        self._in_list = bool(item) or (self._in_list and (not bare or line.text[0].isspace()))
        if not bare or (first in _DIVIDER_BEGINS and _DIVIDER.match(line.text)):
            yield from self._close()
        elif self._columns is not None and "|" in bare:
            yield Block(Kind.ROW, [Line(_row(self._columns, bare), line.number)])
        elif self._open and "|" in self._open.lines[-1].text and DELIMITER_ROW.match(line.text):
            yield from self._open_table()
        elif not self._open and not self._in_list and _INDENTED.match(line.text):
            yield Block(Kind.CODE, [Line(bare, line.number)])
        elif first in ("*", "_") and not item and _BOLD_LINE.match(line.text):
            yield from self._close()
            yield Block(Kind.LABEL, [line])
        elif bare.startswith("***") and _BOX_TITLE.match(line.text):
            yield from self._close()
            yield Block(Kind.PROSE, [line._replace(text=f"{line.text.rstrip()}:")])
        else:
            yield from self._take_prose(line, item)

    def _take_prose(self, line: Line, item: re.Match[str] | None) -> Iterator[Block]:
        if item:
            yield from self._close()
            indent = len(item[1].expandtabs(4))
            self._open = Block(Kind.ITEM, [Line(line.text[item.end() :], line.number)], item[2], indent)
        elif "[!" in line.text and (callout := _CALLOUT.match(line.text.strip())):
            yield from self._close()
            title = Line(line.text.strip()[callout.end() :], line.number)
            yield from [Block(Kind.PROSE, [title])] if len(title.text.split()) > 2 else []
        elif (definition := _DEFINITION.match(line.text) if ":" in line.text else None) and not self._open:
            # Its term stands further up than what is read.
            self._open = Block(Kind.PROSE, [line._replace(text=line.text[definition.end() :])])
        elif definition and self._open and len(self._open.lines) == 1:
            term = self._open.lines[0]
            defined = Line(f"{term.text.strip().rstrip(':')}: {line.text[definition.end() :]}", term.number)
            self._open = self._open._replace(lines=[defined, Line("", line.number)])
        elif definition and self._open:
            self._open.lines.append(line._replace(text=line.text[definition.end() :]))
        elif self._open and not _is_broken(self._open.lines[-1].text, line.text):
            self._open.lines.append(line)
        else:
            is_field = bool(self._open and ":" in line.text and _FIELD_LINE.match(line.text))
            if self._open and is_field:
                self._open = self._open._replace(kind=Kind.ROW)
            yield from self._close()
            self._open = Block(Kind.ROW if is_field else Kind.PROSE, [line])

    def _close(self) -> Iterator[Block]:
        if self._open:
            yield self._open
        self._open, self._columns = None, None

    def _open_table(self) -> Iterator[Block]:
        assert self._open
        header = self._open.lines.pop()
        yield from [self._open] if self._open.lines else []
        self._open, self._columns = None, _cells(header.text)

    def _open_fence(self, mark: str, *, readable: bool) -> Iterator[Block]:
        yield from self._close()
        self._fence, self._code = mark, [] if readable else None

    def _hide(self, until: str) -> Iterator[Block]:
        yield from self._close()
        self._hidden_until = until

    def _in_fence(self, line: Line) -> Iterator[Block]:
        bare = line.text.strip().lstrip("> ")
        if SHORTCODE_END.match(bare) if self._fence == _SHORTCODE else bare.startswith(self._fence):
            yield from self._close_fence()
        elif self._code is not None and line.text.strip():
            self._code.append(line)

    def _close_fence(self) -> Iterator[Block]:
        if self._code:
            margin = min(len(line.text) - len(line.text.lstrip()) for line in self._code)
            yield Block(Kind.CODE, [Line(line.text[margin:].rstrip(), line.number) for line in self._code])
        self._fence, self._code = "", None


def _hidden(text: str) -> str:
    """Return what ends the hidden stretch that a line opens and leaves open; empty where it opens none."""
    for begins, end in _HIDDEN:
        begun = begins.match(text)
        if begun and end not in text[begun.end() :]:
            return end
    return ""


def _is_broken(before: str, line: str) -> bool:
    """Return whether a paragraph reads as two at the end of a line: at a hard line break, a colon, between fields."""
    if before.endswith(("  ", "\\", "<br>", "<br/>", "<br />")) or before.rstrip().endswith(":"):
        return True
    return ":" in line and ":" in before and bool(_FIELD_LINE.match(line) and _FIELD_LINE.match(before))


def _cells(row: str) -> list[str]:
    return [cell.replace("&nbsp;", " ").strip() for cell in row.replace("\\|", "\ue001").strip().strip("|").split("|")]


def _row(columns: list[str], row: str) -> str:
    """Return a table's row as “column: value; column: value”."""
    pairs = zip(columns + [""] * row.count("|"), _cells(row), strict=False)
    told = (f"{column}: {cell}" if column else cell for column, cell in pairs if cell)
    return "; ".join(told).replace("\ue001", "|")
