"""`brain archive`: take a note out of ordinary recall, without losing it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from brain_cli.cli._common import Given
from brain_cli.cli._moving import archive_folder, folder_named, followed, home_of, move
from brain_cli.cli._note import edit, note_named, opened
from brain_cli.cli._options import JsonOption, NoteArgument, NowOption, VaultOption
from brain_cli.cli._workspace import Workspace
from brain_cli.errors import OK, UsageError
from brain_cli.vault.move import Moved
from brain_cli.types import Facts

STATUS = "status"
ARCHIVED = "archived"


def command(
    note: NoteArgument,
    status: Annotated[
        bool, typer.Option("--status", help="Mark it with “status: archived”; without --to it stays where it is.")
    ] = False,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FOLDER", help="The archive folder, or one below it, that it goes to.")
    ] = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Take a note out of ordinary recall: move it to the archive folder, with all links to it."""
    return run(Given(vault, now, json), note, by_status=status, to=to)


def run(given: Given, argument: str, *, by_status: bool = False, to: str | None = None) -> int:
    """Move the note, or mark it, or both; a note that is archived already stays as it is."""
    from brain_cli.vault.edit import with_property
    from brain_cli.vault.atomic_write import editing

    here = given.workspace()
    folder = None if to is None else _folder(here, to)
    path = note_named(here, argument)
    with editing(here.vault):
        facts = opened(here, path).facts
        if facts.archived:
            given.report(f"{path} is archived already", {"path": path, "archived": True, "changed": False})
            return OK
        if by_status:
            edit(here, path, lambda raw: with_property(raw, STATUS, ARCHIVED))
        if by_status and folder is None:
            _report_mark(given, facts)
        else:
            _report_move(given, facts, move_to_archive(here, path, folder), by_status=by_status)
    return OK


def archive_of(here: Workspace) -> str:
    """Return the archive folder: the first one configured that is there."""
    folders = [name for name in here.config.archive_folders if name] or ["archive"]
    return next((name for name in folders if os.path.isdir(os.path.join(here.vault, name))), folders[0])


def move_to_archive(here: Workspace, path: str, folder: str | None = None) -> Moved:
    """Move a note to the archive, into a folder like its own if into no other; nobody else edits the vault."""
    new = f"{archive_of(here)}/{path}" if folder is None else f"{folder}/{os.path.basename(path)}"
    return move(here, path, new)


def told(moved: Moved) -> str:
    """Say what was archived, and where to."""
    return f"archived {moved.before} as {moved.after}{followed(moved)}"


def _folder(here: Workspace, named: str) -> str:
    folder = folder_named(here, named)
    if archive_folder(here, f"{folder}/") is None:
        raise UsageError(f"{named} is no archive folder.", f"Name {archive_of(here)}, or a folder in it.")
    return folder


def _report_mark(given: Given, facts: Facts) -> None:
    was = facts.properties.get(STATUS)
    given.report(
        f"archived {facts.path} by its status",
        {"path": facts.path, "archived": True, "changed": True, "status": ARCHIVED, "status_before": was},
        given.again("restore", facts.path, *_status_again(facts)),
    )


def _report_move(given: Given, facts: Facts, moved: Moved, *, by_status: bool) -> None:
    document = {"path": moved.after, "archived": True, "changed": True, "from": moved.before}
    back = [] if home_of(moved.after) == moved.before else ["--to", os.path.dirname(moved.before) or "."]
    back += _status_again(facts) if by_status else []
    given.report(told(moved), {**document, "relinked": moved.relinked}, given.again("restore", moved.after, *back))


def _status_again(facts: Facts) -> list[str]:
    was = facts.properties.get(STATUS)
    return ["--status", was] if isinstance(was, str) else []
