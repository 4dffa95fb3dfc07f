"""The screen an answer is for: its format, width and colour, and where paths open from."""

from __future__ import annotations

import os

from brain_cli.commands.request import Request
from brain_cli.commands.setting import Setting
from brain_cli.commands.surroundings import surroundings
from brain_cli.render import AUTO, View


def format_name(name: str) -> str:
    if name != AUTO:
        return name
    there = surroundings()
    return "rich" if there.screen().out and there.environ.get("TERM") != "dumb" else "plain"


def view(request: Request, here: Setting, elapsed_ms: float) -> View:
    there = surroundings()
    return View(
        vault=here.vault,
        folder=here.folder,
        body_of=lambda path: _body(here.vault, path),
        explain=request.explain,
        elapsed_ms=elapsed_ms,
        width=there.width,
        color=there.screen().out and not there.environ.get("NO_COLOR") and there.environ.get("TERM") != "dumb",
        separator="\0" if request.null else "\n",
    )


def _body(vault: str, path: str) -> str:
    """A note's text as it is now, without its frontmatter."""
    from brain_cli.notes.decode import decode
    from brain_cli.notes.frontmatter import split_head

    try:
        with open(os.path.join(vault, path), "rb") as file:
            text = decode(file.read()).text.replace("\r\n", "\n")
    except OSError as error:
        return f"(The note cannot be read any more: {error.strerror}.)"
    return text[split_head(text).body_start :]
