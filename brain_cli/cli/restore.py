"""`brain restore`: bring a note back from the archive."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from brain_cli.cli.archive import ARCHIVED, STATUS, archive_of
from brain_cli.cli._common import Given
from brain_cli.cli._moving import archive_folder, folder_named, followed, home_of, move, remove_empty
from brain_cli.cli._note import edit, note_named, opened
from brain_cli.cli._options import JsonOption, NoteArgument, NowOption, VaultOption
from brain_cli.cli._workspace import Workspace
from brain_cli.errors import OK
from brain_cli.vault.properties import flag_of
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
    from brain_cli.vault.atomic_write import editing

    here = given.workspace()
    folder = None if to is None else folder_named(here, to)
    path = note_named(here, argument)
    with editing(here.vault):
        facts = opened(here, path).facts
        if not facts.archived:
            given.report(f"{path} is not archived", {"path": path, "archived": False, "changed": False})
            return OK
        marked = _unmark(here, facts, status)
        if archive_folder(here, path):
            _move(given, here, path, folder, ["--status"] * marked)
        else:
            document = {"path": path, "archived": False, "changed": True, "status": status}
            given.report(f"restored {path}", document, given.again("archive", path, "--status"))
    return OK


def _unmark(here: Workspace, facts: Facts, status: str | None) -> bool:
    """Take away what marks a note as archived; return whether anything did."""
    from brain_cli.vault.edit import with_property, without_property

    was = facts.properties.get(STATUS)
    by_status = isinstance(was, str) and was.lower() == ARCHIVED
    if status is not None:
        edit(here, facts.path, lambda raw: with_property(raw, STATUS, status))
    elif by_status:
        edit(here, facts.path, lambda raw: without_property(raw, STATUS))
    if ARCHIVED in facts.properties:
        edit(here, facts.path, lambda raw: without_property(raw, ARCHIVED))
    return by_status or flag_of(facts.properties, ARCHIVED)


def _move(given: Given, here: Workspace, path: str, folder: str | None, mark: list[str]) -> None:
    home = home_of(path) if folder is None else os.path.join(folder, os.path.basename(path))
    moved = move(here, path, home)
    remove_empty(here, os.path.dirname(path), path.partition("/")[0])
    document: dict[str, Any] = {"path": home, "archived": False, "changed": True}
    document |= {"from": path, "relinked": moved.relinked}
    goes_there_by_itself = f"{archive_of(here)}/{home}" == path
    back = ["--to", os.path.dirname(path), *mark] if mark or not goes_there_by_itself else []
    given.report(f"restored {path} as {home}{followed(moved)}", document, given.again("archive", home, *back))
