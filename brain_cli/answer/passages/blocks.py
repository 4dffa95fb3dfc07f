"""Split a section into blocks: paragraphs, list items, table rows and code, each with its lines in the file.

Comments, shortcodes, embedded frames and dividers yield no block; a quotation or callout yields that of its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

_QUOTE = re.compile(r"^\s{0,3}(?:>\s?)+")
_CALLOUT = re.compile(r"\[!([\w-]+)\][+-]?\s*")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[[^\]]\]\s+)?")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([\w-]*)")
_INDENTED = re.compile(r" {4}|\t")
DELIMITER_ROW = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$")
_DEFINITION = re.compile(r"\s{0,3}:\s+")
_DIVIDER = re.compile(r"\s*(?:#{1,6}(?:\s|$)|-{3,}\s*$|={3,}\s*$|(?:\*\s*){3,}$|_{3,}\s*$|\[[^\]]*\]:\s|\^[\w-]+\s*$)")
# `Author: Mara` on its own line does not continue on the next line.
_FIELD_LINE = re.compile(r"\s*(?:\*\*)?[^\W\d_][\w ]{0,30}(?:\*\*)?:(?:\*\*)?\s+\S")
_BOLD_LINE = re.compile(r"\s*(?:\*\*[^*]+\*\*|__[^_]+__):?\s*$")
# The title of a box beside the text: `***IN PRACTICE* Backup over SSH**`.
_BOX_TITLE = re.compile(r"\s*\*{3}[^*]+\*[^*]+\*\*\s*$")
# The start and the end of hidden text that may span several lines.
_HIDDEN = (
    (re.compile(r"\s*<!--"), "-->"),
    (re.compile(r"\s*%%"), "%%"),
    (re.compile(r"\s*\{\{[<%]"), "}}"),
    (re.compile(r"\s*<(?:script|style|svg|iframe)\b", re.IGNORECASE), "</"),
)
_MATH = "$$"
# Checking the first character first saves most lines most of the patterns.
_FENCE_BEGINS = frozenset("`~{$<%")
_BULLETS = frozenset("-*+")
_DIVIDER_BEGINS = frozenset("#-=*_[^")
# A shortcode around code, such as Hugo's `highlight`, and the one that ends it.
CODE_SHORTCODE = re.compile(r"\s*\{\{[<%]\s*([\w-]*(?:code|highlight)[\w-]*)\b(?!.*/[>%]\}\}).*\}\}\s*$")
_SHORTCODE = "{{"
SHORTCODE_END = re.compile(r"\s*\{\{[<%]\s*/")
# Fenced blocks that are executed or drawn, not read.
_DRAWN = "mermaid dataview dataviewjs tasks query button base chart plantuml excalidraw compressed-json"
_NOT_READ = frozenset(_DRAWN.split())


class Kind(Enum):
    """The kind of a block."""

    PROSE = "prose"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    # A bold line used as a heading: it ends the block before it, and is not quoted.
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
    """Yield the blocks of some lines of a section."""
    reader = _Reader()
    for line in lines:
        yield from reader.read_line(line)
    yield from reader.finish()


class _Reader:
    """Tracks the open block, and the code, table or hidden text around it."""

    def __init__(self) -> None:
        self._open: Block | None = None
        self._fence = ""
        self._code: list[Line] | None = None
        self._is_quoted_code = False
        self._hidden_until = ""
        self._columns: list[str] | None = None
        self._in_list = False

    def read_line(self, line: Line) -> Iterator[Block]:
        """Read one line; yield the blocks that end with it."""
        if self._hidden_until:
            self._hidden_until = "" if self._hidden_until in line.text else self._hidden_until
            return
        is_quoted = ">" in line.text[:8] and bool(_QUOTE.match(line.text))
        if self._fence and (is_quoted or not self._is_quoted_code):
            yield from self._in_fence(line)
            return
        if self._fence:
            yield from self._close_fence()
        line = line._replace(text=_QUOTE.sub("", line.text)) if is_quoted else line
        if line.text.lstrip()[:1] in _FENCE_BEGINS and (opened := self._opened(line.text)):
            self._is_quoted_code = is_quoted
            yield from opened
        else:
            yield from self._read_text(line)

    def _opened(self, text: str) -> Iterator[Block] | None:
        """Return the blocks that end before a line that opens code or hidden text; None if it opens neither."""
        if fence := _FENCE.match(text):
            return self._open_fence(fence[1], readable=fence[2].lower() not in _NOT_READ)
        if CODE_SHORTCODE.match(text):
            return self._open_fence(_SHORTCODE, readable=True)
        if text.strip() == _MATH:
            return self._open_fence(_MATH, readable=True)
        hidden = _hidden(text)
        return self._hide(hidden) if hidden else None

    def finish(self) -> Iterator[Block]:
        """Yield the blocks that are open at the end."""
        yield from self._close()
        yield from self._close_fence()

    def _read_text(self, line: Line) -> Iterator[Block]:
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
            yield from self._read_prose(line, item)

    def _read_prose(self, line: Line, item: re.Match[str] | None) -> Iterator[Block]:
        if item:
            yield from self._close()
            indent = len(item[1].expandtabs(4))
            self._open = Block(Kind.ITEM, [Line(line.text[item.end() :], line.number)], item[2], indent)
        elif "[!" in line.text and (callout := _CALLOUT.match(line.text.strip())):
            yield from self._close()
            title = Line(line.text.strip()[callout.end() :], line.number)
            yield from [Block(Kind.PROSE, [title])] if len(title.text.split()) > 2 else []
        elif (definition := _DEFINITION.match(line.text) if ":" in line.text else None) and not self._open:
            # The term of this definition is above the lines that are read.
            self._open = Block(Kind.PROSE, [line._replace(text=line.text[definition.end() :])])
        elif definition and self._open and len(self._open.lines) == 1:
            term = self._open.lines[0]
            defined = Line(f"{term.text.strip().rstrip(':')}: {line.text[definition.end() :]}", term.number)
            self._open = self._open._replace(lines=[defined, Line("", line.number)])
        elif definition and self._open:
            self._open.lines.append(line._replace(text=line.text[definition.end() :]))
        elif self._open and not _breaks_paragraph(self._open.lines[-1].text, line.text):
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
            texts = _without_common_start([line.text for line in self._code])
            yield Block(Kind.CODE, [line._replace(text=text) for line, text in zip(self._code, texts, strict=True)])
        self._fence, self._code, self._is_quoted_code = "", None, False


def _without_common_start(code: list[str]) -> list[str]:
    """Return lines of code without the quotation marks and the indentation that all of them have."""
    while all(text.lstrip().startswith(">") for text in code):
        code = [text.lstrip()[1:] for text in code]
    margin = min((len(text) - len(text.lstrip()) for text in code if text.strip()), default=0)
    return [text[margin:].rstrip() for text in code]


def _hidden(text: str) -> str:
    """Return the end mark of the hidden text that a line leaves open; empty if it opens none."""
    for begins, end in _HIDDEN:
        start = begins.match(text)
        if start and end not in text[start.end() :]:
            return end
    return ""


def _breaks_paragraph(before: str, line: str) -> bool:
    """Return whether a paragraph is split after a line: at a hard line break, after a colon, between fields."""
    if before.endswith(("  ", "\\", "<br>", "<br/>", "<br />")) or before.rstrip().endswith(":"):
        return True
    return ":" in line and ":" in before and bool(_FIELD_LINE.match(line) and _FIELD_LINE.match(before))


def _cells(row: str) -> list[str]:
    return [cell.replace("&nbsp;", " ").strip() for cell in row.replace("\\|", "\ue001").strip().strip("|").split("|")]


def _row(columns: list[str], row: str) -> str:
    """Return a row of a table as “column: value; column: value”."""
    pairs = zip(columns + [""] * row.count("|"), _cells(row), strict=False)
    cells = (f"{column}: {cell}" if column else cell for column, cell in pairs if cell)
    return "; ".join(cells).replace("\ue001", "|")
