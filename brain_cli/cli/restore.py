"""`brain restore`: move a note back from the archive, or undo the last run of archive or sleep."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from brain_cli.cli._archive import ARCHIVED, STATUS, archive_folder, archive_of, home_of
from brain_cli.cli._completion import archived_notes
from brain_cli.cli._moving import editing, folder_named, followed, move_notes
from brain_cli.cli._note import edit, note_named, opened
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK, UsageError
from brain_cli.types import NoteMetadata
from brain_cli.vault.properties import flag_of


def command(
    options: CommonOptions,
    note: Annotated[
        str | None,
        typer.Argument(
            metavar="[NOTE]",
            autocompletion=archived_notes,
            help="A path (or path:line), a title, an alias or a file name.",
        ),
    ] = None,
    last: Annotated[
        bool, typer.Option("--last", help="Undo the last `brain sleep --apply` or `brain archive`, all of it.")
    ] = False,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FOLDER", help="Move it to this folder of the vault; . is the vault itself."),
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="TEXT", help="Its status from now on; default: none.")
    ] = None,
) -> int:
    """Bring a note back from the archive, to where it was before, with all links to it.

    Examples:
      brain restore soap-gateway
      brain restore --last
    """
    if bool(note) == last or (last and (to or status)):
        raise UsageError("Name one note, or --last alone.", "See `brain restore --help`.")
    if note:
        return run(options, note, to=to, status=status)
    from brain_cli.cli._undo import undo_last

    return undo_last(options)


def run(options: CommonOptions, argument: str, *, to: str | None, status: str | None) -> int:
    """Undo the archiving of one note: its move, its mark, or both."""
    workspace = options.open_workspace()
    folder = None if to is None else folder_named(workspace, to)
    with editing(workspace) as completed:
        path = note_named(workspace, completed.get(argument, argument))
        metadata = opened(workspace, path).metadata
        if not metadata.archived:
            options.report(f"{path} is not archived", {"path": path, "archived": False, "changed": False})
        elif archive_folder(workspace, path):
            _move(options, workspace, metadata, folder, status)
        else:
            edit(workspace, path, lambda raw: _unmarked(raw, metadata, status))
            document = {"path": path, "archived": False, "changed": True, "status": status}
            options.report(f"restored {path}", document, options.again("archive", path, "--status"))
    return OK


def _unmarked(raw: bytes, metadata: NoteMetadata, status: str | None) -> bytes:
    """Return a note's bytes without the marks of an archived note, and with the given status."""
    from brain_cli.vault.edit import with_property, without_property

    if status is not None:
        raw = with_property(raw, STATUS, status)
    elif _is_marked_by_status(metadata):
        raw = without_property(raw, STATUS)
    return without_property(raw, ARCHIVED) if ARCHIVED in metadata.properties else raw


def _is_marked_by_status(metadata: NoteMetadata) -> bool:
    status = metadata.properties.get(STATUS)
    return isinstance(status, str) and status.lower() == ARCHIVED


def _move(
    options: CommonOptions, workspace: Workspace, metadata: NoteMetadata, folder: str | None, status: str | None
) -> None:
    from brain_cli.vault.change_journal import remove_empty_folders

    path = metadata.path
    home = home_of(workspace, path) if folder is None else os.path.join(folder, os.path.basename(path))
    edits = {path: lambda raw: _unmarked(raw, metadata, status)}
    [moved] = move_notes(workspace, "restore", {path: home}, edits, can_be_undone=False)
    remove_empty_folders(workspace.vault, os.path.dirname(path), archive_folder(workspace, path) or "")
    document: dict[str, Any] = {"path": home, "archived": False, "changed": True}
    document |= {"from": path, "relinked": moved.relinked}
    undo = options.again("archive", home, *_options_to_undo(workspace, metadata, home))
    options.report(f"restored {path} as {home}{followed(moved.relinked)}", document, undo)


def _options_to_undo(workspace: Workspace, metadata: NoteMetadata, home: str) -> list[str]:
    """Return the options with which archive would move the note back."""
    was_marked = _is_marked_by_status(metadata) or flag_of(metadata.properties, ARCHIVED)
    if not was_marked and f"{archive_of(workspace)}/{home}" == metadata.path:
        return []
    return ["--to", os.path.dirname(metadata.path), *(["--status"] if was_marked else [])]
