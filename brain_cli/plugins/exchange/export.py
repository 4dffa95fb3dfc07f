"""`brain export`: write all notes as JSON lines, for another program or another vault."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from brain_cli.cli._note import explained
from brain_cli.cli._options import OutOption
from brain_cli.cli._output import STANDARD_OUTPUT, say, write_lines
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session
from brain_cli.errors import OK
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.exchange.jsonl import line_of
from brain_cli.render.phrases import counted
from brain_cli.vault.atomic_write import read_note


def command(
    options: CommonOptions,
    out: Annotated[str, OutOption(help="The file to write; default: stdout.", show_default=False)] = STANDARD_OUTPUT,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Write one JSON object a line, the only format.")] = False,
    archived: Annotated[bool, typer.Option("--archived", help="Include the notes of the archive.")] = False,
) -> int:
    """Write all notes to stdout as JSON lines; `brain import jsonl` makes the same notes of them.

    Examples:
      brain export --out notes.jsonl
    """
    workspace = options.open_workspace()
    lines, left_out = index_session(workspace).ask(
        lambda snapshot: (list(_lines(workspace, snapshot, archived=archived)), _archived_notes(snapshot))
    )
    lines = lines[: options.limit]
    if out == STANDARD_OUTPUT:
        write_lines(lines)
    else:
        path = os.path.join(workspace.folder, os.path.expanduser(out))
        with explained(path), open(path, "x", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        say(f"{counted(len(lines), 'note')} written to {path}.")
    if left_out and not archived:
        say(f"{counted(left_out, 'archived note')} {'was' if left_out == 1 else 'were'} left out; add --archived.")
    return OK


def _archived_notes(snapshot: Snapshot) -> int:
    return sum(row.archived for row in snapshot.note_table.rows.values())


def _lines(workspace: Workspace, snapshot: Snapshot, *, archived: bool) -> Iterator[str]:
    table = snapshot.note_table
    for row in sorted(table.rows.values(), key=lambda row: os.fsencode(row.path)):
        if row.archived and not archived:
            continue
        try:
            raw = read_note(workspace.vault, row.path)
        except OSError as error:
            say(f"{row.path} cannot be read: {error.strerror}.")
            continue
        yield line_of(table.metadata(row.note_id), raw)
