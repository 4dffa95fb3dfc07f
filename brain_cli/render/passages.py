"""Passages of notes as rows of a terminal: the line number in the margin, headings bold, code in its own colour."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.text import Text

from brain_cli.answer.inline_text import inline_text
from brain_cli.answer.results import MARGIN_COLUMNS, Recall
from brain_cli.answer.screen_rows import Line, display_lines, wrapped
from brain_cli.answer.shown import heading_of
from brain_cli.render import View
from brain_cli.render.phrases import one_line, printable
from brain_cli.render.terminal import link_style, matched_words
from brain_cli.render.window import columns_of
from brain_cli.types import Shown

CODE_STYLE = "cyan"
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\((https?://[^()\s]+)\)")


def passage_rows(passages: Sequence[Shown], recall: Recall, view: View, *, margin: int) -> Iterator[Text]:
    """Yield the rows of the passages of one note, with a blank row between two; `margin` is that of line numbers."""
    for index, each in enumerate(passages):
        if index:
            yield Text()
        number = f"{each.line}".rjust(margin - 2) + "  " if margin else ""
        start = Text(number, style=link_style("dim", each.path, view, each.line))
        heading = heading_of(each)
        if heading and (not index or passages[index - 1].heading != each.heading):
            row = Text(_cut(inline_text(one_line(heading)), columns_of(view) - MARGIN_COLUMNS), style="bold")
            yield Text.assemble(start, row)
            start = Text(" " * margin)
        for row in _rows(each, recall, view):
            yield Text.assemble(start, row)
            start = Text(" " * margin)


def _rows(passage: Shown, recall: Recall, view: View) -> Iterator[Text]:
    words = matched_words(recall) if view.color else ""
    for part in passage.parts:
        if part.has_blank_row:
            yield Text()
        links = dict(_LINK.findall(part.text)) if view.color else {}
        for line in display_lines(part.kind, printable(part.text)):
            yield from _line_rows(line, words, links, columns_of(view) - MARGIN_COLUMNS)


def _line_rows(line: Line, words: str, links: dict[str, str], columns: int) -> Iterator[Text]:
    style = CODE_STYLE if line.is_code else "bold" if line.is_heading else ""
    text = Text(line.text, style=style)
    if words:
        if not line.is_code:
            text.highlight_regex(_CODE_SPAN, style=CODE_STYLE)
            for shown, address in links.items():
                text.highlight_regex(re.escape(inline_text(shown)), style=f"link {address}")
        text.highlight_regex(words, style="bold yellow")
    mark = line.mark
    for start, end in wrapped(line, columns):
        yield Text.assemble(mark, text[start:end])
        mark = " " * len(mark)


def _cut(text: str, columns: int) -> str:
    shown = Text(text)
    shown.truncate(columns, overflow="ellipsis")
    return shown.plain
