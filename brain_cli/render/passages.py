"""Passages of notes as rows of a terminal: the line number in the margin, headings bold, code in its own colour."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from rich.text import Text

from brain_cli.answer.results import MARGIN_COLUMNS, Ranked, Recall
from brain_cli.answer.screen_rows import display_lines, wrapped
from brain_cli.answer.shown import heading_of
from brain_cli.render import View
from brain_cli.render.phrases import one_line, printable
from brain_cli.render.terminal import CODE_STYLE, link_style
from brain_cli.types import Shown
from brain_cli.vault.analyzer import is_spaceless
from brain_cli.vault.analyzer import terms as terms_of
from brain_cli.vault.inline_text import inline_text

# As in grep, so that it stands out on light and dark backgrounds.
MARK_STYLE = "bold red"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\((https?://[^()\s]+)\)")


def passage_rows(
    passages: Sequence[Shown], ranked: Ranked, recall: Recall, view: View, *, margin: int
) -> Iterator[Text]:
    """Yield the rows of the passages of one note; `margin` is that of line numbers."""
    for index, each in enumerate(passages):
        number = f"{each.line}".rjust(margin - 2) + "  " if margin else ""
        start = Text(number, style=link_style("dim", each.path, view, each.line))
        heading = heading_of(each)
        if heading and (not index or passages[index - 1].heading != each.heading):
            row = Text(_cut(one_line(heading), view.columns - MARGIN_COLUMNS), style="bold")
            yield Text.assemble(start, row)
            start = Text(" " * margin)
        for row in _rows(each, view, partial(_mark, terms=recall.terms, language=ranked.language)):
            yield Text.assemble(start, row)
            start = Text(" " * margin)


def _rows(passage: Shown, view: View, mark: Callable[[Text], None]) -> Iterator[Text]:
    for part in passage.parts:
        if part.has_blank_row:
            yield Text()
        links = dict(_LINK.findall(part.text)) if view.color else {}
        for line in display_lines(part.kind, printable(part.text)):
            text = Text(line.text, style=CODE_STYLE if line.is_code else "bold" if line.is_heading else "")
            if view.color:
                if not line.is_code:
                    text.highlight_regex(_CODE_SPAN, style=CODE_STYLE)
                for shown, address in links.items():
                    text.highlight_regex(re.escape(inline_text(shown)), style=f"link {address}")
                mark(text)
            indent = line.mark
            for start, end in wrapped(line, view.columns - MARGIN_COLUMNS):
                yield Text.assemble(indent, text[start:end])
                indent = " " * len(indent)


def _mark(text: Text, terms: frozenset[str], language: str) -> None:
    """Mark the whole words that are searched as a term of the query; pairs of characters in scripts without spaces."""
    for word in _WORD.finditer(text.plain):
        if not is_spaceless(word[0][:2]) and not terms.isdisjoint(terms_of(word[0], language)):
            text.stylize(MARK_STYLE, *word.span())
    if not text.plain.isascii():
        for pair in filter(is_spaceless, terms):
            text.highlight_regex(re.escape(pair), MARK_STYLE)


def _cut(text: str, columns: int) -> str:
    shown = Text(text)
    shown.truncate(columns, overflow="ellipsis")
    return shown.plain
