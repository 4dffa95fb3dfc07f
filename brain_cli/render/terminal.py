"""The parts of every screen on a terminal: a readable width, lists, and links that open a note."""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import StringIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from brain_cli.answer.results import Recall
from brain_cli.render import View
from brain_cli.render.phrases import printable
from brain_cli.render.window import columns_of

# `[[ -f x ]]` is a shell test, not a link.
_WIKILINK = re.compile(r"\[\[(?!\s)([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
# `> [!warning] Title`, and whether text follows in the next line of the quotation.
_CALLOUT = re.compile(r"^([ \t]*(?:>[ \t]?)+)\[!([\w-]+)\][+-]?[ \t]*(.*)$(?=(\n[ \t]*>.*\S)?)", re.MULTILINE)
# Spaces at the end of a line, also among the codes that end a style or a link.
_TRAILING_SPACES = re.compile(r"(?: |\x1b\[0m|\x1b\]8;;\x1b\\)+$", re.MULTILINE)
_BACKGROUND = re.compile(r"\x1b\[[\d;]*48;[\d;]*m[^\x1b]*\Z")
LIST_MARK_COLUMNS = 4


def printed(shown: Iterable[RenderableType], view: View) -> str:
    """Return parts as terminal text; escape codes only where the view has colour."""
    output = StringIO()
    console = Console(
        file=output,
        width=columns_of(view),
        force_terminal=view.color,
        color_system="truecolor" if view.color else None,
        no_color=not view.color,
        highlight=False,
        emoji=False,
        markup=False,
    )
    for part in shown:
        # A command is never folded or cut, so that it can be copied.
        console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))
    # Tables fill their lines with spaces, which would be copied too.
    return _TRAILING_SPACES.sub(_unpadded, output.getvalue())


def _unpadded(match: re.Match[str]) -> str:
    """Return the end of a line without its spaces, unless they have a background colour, as in a block of code."""
    line_start = match.string.rfind("\n", 0, match.start()) + 1
    return match[0] if _BACKGROUND.search(match.string[line_start : match.start()]) else match[0].replace(" ", "")


def readable(markdown: str) -> str:
    """Return a note's text for a screen: links and callouts become their words, and control characters are removed."""
    text = _WIKILINK.sub(lambda match: match[2] or match[1], printable(markdown))
    return _CALLOUT.sub(_callout_title, text) if "[!" in text else text


def _callout_title(match: re.Match[str]) -> str:
    """Return the first line of a callout as a paragraph of its own, in bold: its title, else its kind."""
    title = match[3].strip() or match[2].capitalize()
    return f"{match[1]}**{title}**" + (f"\n{match[1].rstrip()}" if match[4] else "")


class Tight:
    """Renders something without blank lines at its ends, and with at most one blank line in a row."""

    def __init__(self, shown: RenderableType) -> None:
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        has_begun = False
        blank_line: list[Segment] = []
        for line in console.render_lines(self._shown, options, pad=False):
            if not any(segment.text.strip() for segment in line):
                blank_line = [Segment.line()] if has_begun else []
                continue
            yield from (*blank_line, *line, Segment.line())
            blank_line, has_begun = [], True


def listed(items: Iterable[tuple[str, RenderableType]]) -> Table:
    """Return items after their marks; long items are wrapped with a hanging indent, never cut."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", style="green")
    grid.add_column(overflow="fold")
    for mark, item in items:
        grid.add_row(mark, item)
    return grid


def with_location(name: Text, location: Text, view: View) -> Text:
    """Return a name and its location on one line. Folders of a long path are left out, never a part of the file name.

    If the file name does not fit after the name, the whole location goes on its own line.
    """
    available = columns_of(view) - LIST_MARK_COLUMNS - name.cell_len - 2
    shortened = location
    while shortened.cell_len > available and "/" in shortened.plain.removeprefix("…/"):
        _, _, end = shortened.plain.removeprefix("…/").partition("/")
        shortened = Text(f"…/{end}", style=location.style)
    return (
        Text.assemble(name, "  ", shortened) if shortened.cell_len <= available else Text.assemble(name, "\n", location)
    )


def on_one_row(name: Text, location: Text, view: View) -> Text:
    """Return a name and its location on one row: folders of the path are left out first, then the name is cut."""
    available = columns_of(view)
    named = min(name.cell_len, available * 3 // 5)
    while named + 2 + location.cell_len > available and "/" in location.plain.removeprefix("…/"):
        _, _, end = location.plain.removeprefix("…/").partition("/")
        location = Text(f"…/{end}", style=location.style)
    if name.cell_len + 2 + location.cell_len > available:
        name = name.copy()
        name.truncate(max(named, available - 2 - location.cell_len), overflow="ellipsis")
    row = Text.assemble(name, "  ", location)
    row.truncate(available, overflow="ellipsis")
    return row


def matched_words(recall: Recall) -> str:
    """Return a pattern for the words of the query that the shown notes have, in any ending."""
    words = {word for ranked in recall.results for word in ranked.matched}
    prefixes = (re.escape(word[: max(3, len(word) - 2)]) for word in sorted(words, key=len, reverse=True))
    return rf"(?i)\b(?:{'|'.join(prefixes)})\w*" if words else r"(?!)"


def link_style(style: str, path: str, view: View, line: int = 1) -> str:
    """Return a style that makes the note open on a click, in terminals that support links."""
    return f"{style} link {view.uri_of(path, line)}" if view.color else style
