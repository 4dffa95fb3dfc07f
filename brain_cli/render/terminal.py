"""The parts of every screen on a terminal: a readable width, lists, and links that open a note."""

import re
from collections.abc import Iterable, Sequence
from io import StringIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from brain_cli.answer.shown import MIN_TITLE_COLUMNS, place_of, rows_below
from brain_cli.printable import one_line, printable
from brain_cli.render import View, note_uri
from brain_cli.render.formats import Row
from brain_cli.render.phrases import shown_date
from brain_cli.types import NoteMetadata
from brain_cli.vault.inline_text import breaks_of

# Fenced code and code spans, which stay as they are, wikilinks, and the first lines of callouts,
# with whether text follows in the next line of the quotation. `[[ -f x ]]` is a shell test, not a
# link.
_MARKUP = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})[\s\S]*?(?:^[ \t>]*(?P=fence)|\Z)"
    r"|`[^`\n]+`"
    r"|\[\[(?!\s)(?P<target>[^\[\]|\n]*)(?:\|(?P<words>[^\[\]\n]*))?\]\]"
    r"|^(?P<margin>[ \t]*(?:>[ \t]?)+)\[!(?P<kind>[\w-]+)\][+-]?[ \t]*(?P<title>.*)$"
    r"(?=(?P<more>\n[ \t]*>.*\S)?)",
    re.MULTILINE,
)
# Spaces at the end of a line, also among the codes that end a style or a link.
_TRAILING_SPACES = re.compile(r"(?: |\x1b\[0m|\x1b\]8;;\x1b\\)+$", re.MULTILINE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
CODE_STYLE = "cyan"


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
    return _MARKUP.sub(_words_of, printable(markdown))


def _words_of(markup: re.Match[str]) -> str:
    """Return the words of a link; the title of a callout, else its kind, in bold as a paragraph."""
    if markup["target"] is not None:
        return markup["words"] or markup["target"]
    if not (margin := markup["margin"]):
        return markup[0]
    title = readable(markup["title"].strip()) or markup["kind"].capitalize()
    return f"{margin}**{title}**" + (f"\n{margin.rstrip()}" if markup["more"] else "")


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
        for each, is_meant in zip(
            line_ends, breaks_of(token.content.split("\n")), strict=False
        ):
            each.type = "hardbreak" if is_meant else each.type
    return note


def with_location(
    name: Text, location: Text, available: int, remark: str = "", indent: int = 0
) -> Text:
    """Return a name, a remark and a location on one row, where the name is cut; a location that
    leaves no space for the name has the next row, and is never cut.
    """
    space = available - Text(remark).cell_len
    has_own_row = rows_below(name.plain, location.plain, space) > 0
    name = name.copy()
    name.truncate(
        max(MIN_TITLE_COLUMNS, space - (0 if has_own_row else location.cell_len + 2)),
        overflow="ellipsis",
    )
    row = Text.assemble(name, (remark, "dim"))
    row.truncate(available, overflow="ellipsis")
    return Text.assemble(row, f"\n{' ' * indent}" if has_own_row else "  ", location)


def within(location: Text, space: int, vaults: Iterable[str] = ()) -> Text:
    """Return a path without as many of its first folders as do not fit, but with its last part, and
    with its vault if there are several.
    """
    kept = next((f"{name}/" for name in vaults if location.plain.startswith(f"{name}/")), "")
    path = location.plain.removeprefix(kept)
    while location.cell_len > space and "/" in path[:-1]:
        path = path.partition("/")[2]
        location = Text(f"{kept}…/{path}", style=location.style)
    return location


def link_style(style: str, path: str, view: View, line: int = 1) -> str:
    """Return a style that makes the note open on a click, in terminals that support links."""
    if not view.color:
        return style
    return f"{style} link {note_uri(view.editor_uri, *view.place(path), line)}"


def note_row(
    path: str,
    title: str,
    view: View,
    columns: int,
    *,
    mark: tuple[str, str] = ("", ""),
    remark: str = "",
    place: str = "",
    line: int = 0,
) -> Text:
    """Return a note on one row, or two: a mark with its style, the title, a remark, and its place,
    which is the path if no other is given.
    """
    name = Text.assemble(mark, (one_line(title), link_style("bold", path, view, line or 1)))
    location = Text(place or one_line(path), style=link_style("dim", path, view, line or 1))
    if place and path not in place:
        # Folders alone say less than the title.
        location = within(location, columns * 2 // 5, view.roots)
    return with_location(name, location, columns, remark, indent=len(mark[0]))


def note_list(rows: Sequence[Row], view: View, heading: str = "") -> str:
    """Return the list as terminal text, below a heading if it has one."""
    columns = view.columns - max(len(each.mark) for each in rows) - 1
    # Long items are wrapped with a hanging indent, never cut.
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", style="green")
    grid.add_column(overflow="fold")
    for each in rows:
        # The title of a diary's entry repeats its day.
        name = each.title
        if _DAY.fullmatch(each.mark) and name.startswith(each.mark):
            name = name.removeprefix(each.mark).lstrip(" ,.:–—-")
        remark = f"{' ' * bool(name)}{one_line(each.remark)}" if each.remark else ""
        row = note_row(
            each.path,
            name,
            view,
            columns,
            remark=remark,
            place=place_of(each.path, each.number),
            line=each.number,
        )
        grid.add_row(each.mark, row)
        if each.passage:
            grid.add_row("", Text(one_line(each.passage)))
    above = [Text(one_line(heading), style="bold green")] if heading else []
    return printed([*above, grid], view)


def note_page(metadata: NoteMetadata, text: str, view: View) -> str:
    """Return a note as terminal text, below a line with its metadata."""
    about = [
        metadata.path,
        metadata.kind,
        shown_date(metadata, view.zone),
        *(f"#{tag}" for tag in metadata.tags),
        *["pinned"] * metadata.pinned,
        *["archived"] * metadata.archived,
    ]
    head = Text(one_line("  ".join(about)), style="dim")
    return printed([head, Text(), formatted(text, view)], view)
