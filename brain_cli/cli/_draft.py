"""The text of a new note: from stdin, else written in the editor."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator

from brain_cli.cli._output import say
from brain_cli.cli._process import command_context
from brain_cli.errors import BrainError


@contextlib.contextmanager
def draft(title: str) -> Iterator[str]:
    """Yield the text of a new note; a text from the editor is saved if it cannot be added."""
    if not command_context().types():
        yield command_context().text()
        return
    handle, path = tempfile.mkstemp(prefix="brain-", suffix=".md")
    start = f"# {title}\n\n" if title else ""
    with open(handle, "w", encoding="utf-8") as file:
        file.write(start)
    text = _edited(path)
    if text.strip() == start.strip():
        os.unlink(path)
        raise BrainError("Nothing was written, so nothing was added.")
    try:
        yield text
    except BaseException:
        say(f"Your text is kept in {path}.")
        raise
    os.unlink(path)


def _edited(path: str) -> str:
    from brain_cli.cli._editor import edit

    edit(path, 3, os.environ)
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()
