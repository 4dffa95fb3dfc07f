"""The screen an answer is for: its format, width and colour, and where paths open from."""

from __future__ import annotations

import os

from brain_cli.cli._context import command_context
from brain_cli.cli._workspace import Workspace
from brain_cli.render import AUTO, View


def format_name(name: str) -> str:
    """Return the format that a name stands for: `auto` is rich on a terminal, else plain."""
    if name != AUTO:
        return name
    return "rich" if _is_terminal() else "plain"


def view(workspace: Workspace, *, explain: bool = False, elapsed_ms: float = 0.0, separator: str = "\n") -> View:
    """Return what a format may know besides the recall; `elapsed_ms` is what that took."""
    context = command_context()
    return View(
        vault=workspace.vault,
        folder=workspace.folder,
        body_of=lambda path: _body(workspace.vault, path),
        explain=explain,
        elapsed_ms=elapsed_ms,
        width=context.width,
        color=_is_terminal() and not context.environ.get("NO_COLOR"),
        separator=separator,
    )


def _is_terminal() -> bool:
    """Whether stdout is a terminal that can do more than show lines."""
    context = command_context()
    return context.screen().out and context.environ.get("TERM") != "dumb"


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
