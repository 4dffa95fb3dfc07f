"""`brain add --append`: add a dated section to the end of a note, and change nothing else in it."""

from __future__ import annotations

from brain_cli.cli._edit import change_notes, editing, notes_named
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import CommonOptions
from brain_cli.errors import OK, UsageError
from brain_cli.vault.dates import iso


def append_section(options: CommonOptions, note: str, title: str) -> int:
    """Append the text on stdin below a heading with today's date and the title."""
    text = "" if command_context().types() else command_context().text()
    if not (text.strip() or title):
        raise UsageError("There is nothing to append.", "Give the text on stdin, or name a title.")
    workspace = options.open_workspace()
    heading = f"## {iso(workspace.now)[:10]} {title}".rstrip()
    body = text.strip("\r\n")
    section = f"{heading}\n\n{body}\n" if body else f"{heading}\n"
    with editing(workspace) as completed:
        [path] = notes_named(workspace, [note], completed)
        change_notes(workspace, "add --append", {path: lambda raw: _appended(raw, section)})
    options.report(f"added to {path}", {"path": path, "stored": True})
    return OK


def _appended(raw: bytes, section: str) -> bytes:
    """Return a note with a new section at its end, using the note's own line ends."""
    end = "\r\n" if b"\r\n" in raw else "\n"
    lines = f"\n{section}".replace("\n", end)
    return raw.rstrip(b"\r\n") + end.encode() + lines.encode("utf-8", "surrogateescape")
