"""`brain restore`: bring a note back from the archive."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from brain_cli.commands.archive import ARCHIVED, STATUS
from brain_cli.commands.given import Given
from brain_cli.commands.moving import archive_folder, followed, move, remove_empty
from brain_cli.commands.note import edit, note_named, opened
from brain_cli.commands.options import JsonOption, NoteArgument, NowOption, VaultOption
from brain_cli.commands.workspace import Workspace
from brain_cli.errors import OK, UsageError
from brain_cli.types import Facts


def command(
    note: NoteArgument,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FOLDER", help="The folder of the vault it goes to; . is the vault.")
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="TEXT", help="Its status from now on; default: none.")
    ] = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Bring a note back from the archive, to where it was before, with all links to it."""
    return run(Given(vault, now, json), note, to=to, status=status)


def run(given: Given, argument: str, *, to: str | None, status: str | None) -> int:
    """Undo what archive does: its move, its mark, or both."""
    from brain_cli.notes.write import editing

    here = given.workspace()
    folder = None if to is None else _folder(here, to)
    path = note_named(here, argument)
    with editing(here.vault):
        facts = opened(here, path).facts
        if not facts.archived:
            given.report(f"{path} is not archived", {"path": path, "archived": False, "changed": False})
            return OK
        _unmark(here, facts, status)
        if archive_folder(here, path):
            _move(given, here, path, folder)
        else:
            document = {"path": path, "archived": False, "changed": True, "status": status}
            given.report(f"restored {path}", document, given.again("archive", path, "--status"))
    return OK


def _folder(here: Workspace, named: str) -> str:
    path = os.path.normpath(os.path.relpath(named, here.vault) if os.path.isabs(named) else named)
    if path.startswith(".."):
        raise UsageError(f"{named} is outside the vault {here.vault}.")
    if any(part.startswith(".") and part != "." for part in path.split("/")):
        raise UsageError(f"{named} is hidden, so its notes would not be found.")
    return "" if path == "." else path


def _unmark(here: Workspace, facts: Facts, status: str | None) -> None:
    from brain_cli.notes.edit import with_property, without_property

    was = facts.properties.get(STATUS)
    if status is not None:
        edit(here, facts.path, lambda raw: with_property(raw, STATUS, status))
    elif isinstance(was, str) and was.lower() == ARCHIVED:
        edit(here, facts.path, lambda raw: without_property(raw, STATUS))
    if ARCHIVED in facts.properties:
        edit(here, facts.path, lambda raw: without_property(raw, ARCHIVED))


def _move(given: Given, here: Workspace, path: str, folder: str | None) -> None:
    top, _, home = path.partition("/")
    if folder is not None:
        home = os.path.join(folder, os.path.basename(path))
    moved = move(here, path, home)
    remove_empty(here, os.path.dirname(path), top)
    document: dict[str, Any] = {"path": home, "archived": False, "changed": True}
    document |= {"from": path, "relinked": moved.relinked}
    given.report(f"restored {path} as {home}{followed(moved)}", document, given.again("archive", home))
