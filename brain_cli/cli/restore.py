"""`brain restore`: bring a note back from the archive."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from brain_cli.cli._moving import archive_folder, folder_named, followed, home_of, move, remove_empty
from brain_cli.cli._note import edit, note_named, opened
from brain_cli.cli._options import JsonOption, NoteArgument, NowOption, VaultOption
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.cli.archive import ARCHIVED, STATUS, archive_of
from brain_cli.errors import OK
from brain_cli.types import NoteMetadata
from brain_cli.vault.properties import flag_of


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
    return run(CommonOptions(vault, now, json), note, to=to, status=status)


def run(options: CommonOptions, argument: str, *, to: str | None, status: str | None) -> int:
    """Undo what archive does: its move, its mark, or both."""
    from brain_cli.vault.atomic_write import editing

    workspace = options.open_workspace()
    folder = None if to is None else folder_named(workspace, to)
    path = note_named(workspace, argument)
    with editing(workspace.vault):
        metadata = opened(workspace, path).metadata
        if not metadata.archived:
            options.report(f"{path} is not archived", {"path": path, "archived": False, "changed": False})
            return OK
        marked = _unmark(workspace, metadata, status)
        if archive_folder(workspace, path):
            _move(options, workspace, path, folder, ["--status"] * marked)
        else:
            document = {"path": path, "archived": False, "changed": True, "status": status}
            options.report(f"restored {path}", document, options.again("archive", path, "--status"))
    return OK


def _unmark(workspace: Workspace, metadata: NoteMetadata, status: str | None) -> bool:
    """Take away what marks a note as archived; return whether anything did."""
    from brain_cli.vault.edit import with_property, without_property

    was = metadata.properties.get(STATUS)
    by_status = isinstance(was, str) and was.lower() == ARCHIVED
    if status is not None:
        edit(workspace, metadata.path, lambda raw: with_property(raw, STATUS, status))
    elif by_status:
        edit(workspace, metadata.path, lambda raw: without_property(raw, STATUS))
    if ARCHIVED in metadata.properties:
        edit(workspace, metadata.path, lambda raw: without_property(raw, ARCHIVED))
    return by_status or flag_of(metadata.properties, ARCHIVED)


def _move(options: CommonOptions, workspace: Workspace, path: str, folder: str | None, mark: list[str]) -> None:
    home = home_of(path) if folder is None else os.path.join(folder, os.path.basename(path))
    moved = move(workspace, path, home)
    remove_empty(workspace, os.path.dirname(path), path.partition("/")[0])
    document: dict[str, Any] = {"path": home, "archived": False, "changed": True}
    document |= {"from": path, "relinked": moved.relinked}
    goes_there_by_itself = f"{archive_of(workspace)}/{home}" == path
    back = ["--to", os.path.dirname(path), *mark] if mark or not goes_there_by_itself else []
    options.report(f"restored {path} as {home}{followed(moved)}", document, options.again("archive", home, *back))
