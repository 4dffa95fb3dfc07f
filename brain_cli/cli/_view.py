"""The screen an answer is for: its format, width and colour, and where paths open from."""

from __future__ import annotations

import os

from brain_cli.cli._context import surroundings
from brain_cli.cli._workspace import Workspace
from brain_cli.render import AUTO, View


def format_name(name: str) -> str:
    """Return the format that a name stands for: `auto` is rich on a terminal, else plain."""
    if name != AUTO:
        return name
    return "rich" if _is_terminal() else "plain"


def view(here: Workspace, *, explain: bool = False, elapsed_ms: float = 0.0, separator: str = "\n") -> View:
    """Return what a format may know besides the recall; `elapsed_ms` is what that took."""
    there = surroundings()
    return View(
        vault=here.vault,
        folder=here.folder,
        body_of=lambda path: _body(here.vault, path),
        explain=explain,
        elapsed_ms=elapsed_ms,
        width=there.width,
        color=_is_terminal() and not there.environ.get("NO_COLOR"),
        separator=separator,
    )


def _is_terminal() -> bool:
    """Whether stdout is a terminal that can do more than show lines."""
    there = surroundings()
    return there.screen().out and there.environ.get("TERM") != "dumb"


def _body(vault: str, path: str) -> str:
    """A note's text as it is now, without its frontmatter."""
    from brain_cli.vault.decode import decode
    from brain_cli.vault.frontmatter import split_head

    try:
        with open(os.path.join(vault, path), "rb") as file:
            text = decode(file.read()).text.replace("\r\n", "\n")
    except OSError as error:
        return f"(The note cannot be read any more: {error.strerror}.)"
    return text[split_head(text).body_start :]
