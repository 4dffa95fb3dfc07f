"""`brain archive`: take a note out of ordinary recall, without losing it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from brain_cli.commands.given import Given
from brain_cli.commands.moving import followed, move
from brain_cli.commands.note import edit, note_named, opened
from brain_cli.commands.options import JsonOption, NoteArgument, NowOption, VaultOption
from brain_cli.commands.workspace import Workspace
from brain_cli.errors import OK
from brain_cli.notes.move import Moved
from brain_cli.types import Facts

STATUS = "status"
ARCHIVED = "archived"


def command(
    note: NoteArgument,
    status: Annotated[
        bool, typer.Option("--status", help="Leave it where it is; mark it with “status: archived” instead.")
    ] = False,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Take a note out of ordinary recall: move it to the archive folder, with all links to it."""
    return run(Given(vault, now, json), note, by_status=status)


def run(given: Given, argument: str, *, by_status: bool) -> int:
    """Move the note, or mark it; a note that is archived already stays as it is."""
    from brain_cli.notes.write import editing

    here = given.workspace()
    path = note_named(here, argument)
    with editing(here.vault):
        facts = opened(here, path).facts
        if facts.archived:
            given.report(f"{path} is archived already", {"path": path, "archived": True, "changed": False})
        elif by_status:
            _mark(given, here, facts)
        else:
            moved = move_to_archive(here, path)
            given.report(
                told(moved),
                {"path": moved.after, "archived": True, "changed": True, "from": path, "relinked": moved.relinked},
                given.again("restore", moved.after),
            )
    return OK


def move_to_archive(here: Workspace, path: str) -> Moved:
    """Move a note to the archive folder, the first one configured that is there; nobody else edits the vault."""
    folders = [name for name in here.config.archive_folders if name] or ["archive"]
    there = next((name for name in folders if os.path.isdir(os.path.join(here.vault, name))), folders[0])
    return move(here, path, f"{there}/{path}")


def told(moved: Moved) -> str:
    """Say what was archived, and where to."""
    return f"archived {moved.before} as {moved.after}{followed(moved)}"


def _mark(given: Given, here: Workspace, facts: Facts) -> None:
    from brain_cli.notes.edit import with_property

    edit(here, facts.path, lambda raw: with_property(raw, STATUS, ARCHIVED))
    was = facts.properties.get(STATUS)
    back = ["--status", was] if isinstance(was, str) else []
    given.report(
        f"archived {facts.path} by its status",
        {"path": facts.path, "archived": True, "changed": True, "status": ARCHIVED, "status_before": was},
        given.again("restore", facts.path, *back),
    )
