"""The parts of every screen on a terminal: a readable width, lists, and links that open a note."""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import StringIO
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from brain_cli.render import View
from brain_cli.render.phrases import one_line, printable
from brain_cli.vault.inline_text import breaks_of

# A wikilink, or a code span, which stays as it is. `[[ -f x ]]` is a shell test, not a link.
_WIKILINK = re.compile(r"`[^`\n]+`|\[\[(?!\s)([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
# `> [!warning] Title`, and whether text follows in the next line of the quotation.
_CALLOUT = re.compile(
    r"^([ \t]*(?:>[ \t]?)+)\[!([\w-]+)\][+-]?[ \t]*(.*)$(?=(\n[ \t]*>.*\S)?)", re.MULTILINE
)
# Spaces at the end of a line, also among the codes that end a style or a link.
_TRAILING_SPACES = re.compile(r"(?: |\x1b\[0m|\x1b\]8;;\x1b\\)+$", re.MULTILINE)
CODE_STYLE = "cyan"
MIN_NAME_COLUMNS = 20


def printed(shown: Iterable[RenderableType], view: View) -> str:
    """Return parts as terminal text; escape codes only where the view has colour."""
    output = StringIO()
    console = Console(
        file=output,
        width=view.columns,
        force_terminal=view.color,
        color_system="truecolor" if view.color else None,
        no_color=not view.color,
        highlight=False,
        emoji=False,
        markup=False,
        # In the terminal's own colours: rich has a dark background for code.
        theme=Theme({"markdown.code": CODE_STYLE}),
    )
    for part in shown:
        # A command is never folded or cut, so that it can be copied.
        console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))
    # Tables fill their lines with spaces, which would be copied too.
    return _TRAILING_SPACES.sub(lambda match: match[0].replace(" ", ""), output.getvalue())


def readable(markdown: str) -> str:
    """Return a note's text for a screen: links and callouts become their words, and control
    characters are removed.

    Code stays as it is.
    """
    parts: list[tuple[bool, list[str]]] = []
    fence = ""
    for line in printable(markdown).split("\n"):
        mark = _FENCE.match(line)
        is_code = bool(fence or mark)
        if not parts or parts[-1][0] != is_code:
            parts.append((is_code, []))
        parts[-1][1].append(line)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
    texts = ((is_code, "\n".join(lines)) for is_code, lines in parts)
    return "\n".join(text if is_code else _without_links(text) for is_code, text in texts)


def _without_links(prose: str) -> str:
    text = _WIKILINK.sub(
        lambda match: match[0] if match[1] is None else match[2] or match[1], prose
    )
    return _CALLOUT.sub(_callout_title, text) if "[!" in text else text


def formatted(markdown: str, view: View) -> RenderableType:
    """Return markdown formatted for a terminal; code has no background and no padding, so that it
    can be copied.
    """
    from rich.markdown import CodeBlock, Markdown

    class Code(CodeBlock):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield Text(str(self.text).rstrip(), style=CODE_STYLE, overflow="fold")

    class NoteOnTerminal(Markdown):
        elements = {**Markdown.elements, "fence": Code, "code_block": Code}  # noqa: RUF012

    note = NoteOnTerminal(readable(markdown), hyperlinks=view.color)
    for token in note.parsed:
        line_ends = [
            each for each in token.children or () if each.type in ("softbreak", "hardbreak")
        ]
        for each, is_meant in zip(line_ends, breaks_of(token.content.split("\n")), strict=False):
            each.type = "hardbreak" if is_meant else each.type
    return note


def _callout_title(match: re.Match[str]) -> str:
    """Return the first line of a callout as a paragraph of its own, in bold: its title, else its
    kind.
    """
    title = match[3].strip() or match[2].capitalize()
    return f"{match[1]}**{title}**" + (f"\n{match[1].rstrip()}" if match[4] else "")


def on_one_row(name: Text, location: Text, available: int, remark: str = "") -> Text:
    """Return a name and its location on one row, with a remark between them: folders of the path
    are left out first, then the name is cut.
    """
    columns = available
    available = max(MIN_NAME_COLUMNS, columns - Text(remark).cell_len)
    named = min(name.cell_len, available * 3 // 5)
    while named + 2 + location.cell_len > available and "/" in location.plain.removeprefix("…/"):
        _, _, end = location.plain.removeprefix("…/").partition("/")
        location = Text(f"…/{end}", style=location.style)
    if name.cell_len + 2 + location.cell_len > available:
        name = name.copy()
        name.truncate(max(named, available - 2 - location.cell_len), overflow="ellipsis")
    row = Text.assemble(name, (remark, "dim"), "  ", location)
    row.truncate(columns, overflow="ellipsis")
    return row


def link_style(style: str, path: str, view: View, line: int = 1) -> str:
    """Return a style that makes the note open on a click, in terminals that support links."""
    return f"{style} link {view.uri_of(path, line)}" if view.color else style


class ListedNote(NamedTuple):
    """A note in a list: `mark` is printed before its title, `remark` after it, and `passage` below
    both.
    """

    title: str
    path: str
    line: int = 0
    mark: str = "•"
    remark: str = ""
    passage: str = ""


def note_list(notes: Iterable[ListedNote], view: View, heading: str = "") -> str:
    """Return the list as terminal text, below a heading if it has one."""
    parts: list[RenderableType] = [Text(one_line(heading), style="bold green")] if heading else []
    found = list(notes)
    columns = view.columns - max(len(each.mark) for each in found) - 1
    # Long items are wrapped with a hanging indent, never cut.
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", style="green")
    grid.add_column(overflow="fold")
    for each in found:
        grid.add_row(each.mark, _item(each, view, columns))
    return printed([*parts, grid], view)


def _item(note: ListedNote, view: View, columns: int) -> RenderableType:
    name = Text(one_line(note.title), style=link_style("bold", note.path, view, note.line or 1))
    if note.remark:
        name = Text.assemble(name, (f" {one_line(note.remark)}", "dim"))
    location = f"{one_line(note.path)}:{note.line}" if note.line else one_line(note.path)
    title = on_one_row(
        name, Text(location, style=link_style("dim", note.path, view, note.line or 1)), columns
    )
    return Group(title, Text(one_line(note.passage))) if note.passage else title
