"""A list of notes on a terminal, for `brain recent`, `brain related` and `brain context`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from brain_cli.render import View
from brain_cli.render.phrases import one_line, readable_title
from brain_cli.render.terminal import link_style, listed, printed, with_location


class ListedNote(NamedTuple):
    """A note in a list: `mark` is printed before its title, `remark` after it, and `passage` below both."""

    title: str
    path: str
    line: int = 0
    mark: str = "•"
    remark: str = ""
    passage: str = ""


def note_list(notes: Iterable[ListedNote], view: View, heading: str = "") -> str:
    """Return the list as terminal text, below a heading if it has one."""
    parts: list[RenderableType] = [Text(one_line(heading), style="bold green")] if heading else []
    return printed([*parts, listed((each.mark, _item(each, view)) for each in notes)], view)


def _item(note: ListedNote, view: View) -> RenderableType:
    name = Text(one_line(readable_title(note.title)), style=link_style("bold", note.path, view, note.line or 1))
    if note.remark:
        name = Text.assemble(name, (f" {one_line(note.remark)}", "dim"))
    location = f"{one_line(note.path)}:{note.line}" if note.line else one_line(note.path)
    title = with_location(name, Text(location, style=link_style("dim", note.path, view, note.line or 1)), view)
    return Group(title, Text(one_line(note.passage))) if note.passage else title
