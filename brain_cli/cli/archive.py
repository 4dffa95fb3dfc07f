"""`brain archive`: take a note out of ordinary recall, without deleting it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from brain_cli.cli._archive import ARCHIVED, STATUS, archive_folder, archive_of, home_of, path_in_archive
from brain_cli.cli._moving import Moved, editing, folder_named, followed, move_notes
from brain_cli.cli._note import edit, note_named, opened
from brain_cli.cli._options import NoteArgument
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK, UsageError
from brain_cli.types import NoteMetadata


def command(
    options: CommonOptions,
    note: NoteArgument,
    status: Annotated[
        bool, typer.Option("--status", help="Mark it with “status: archived”; without --to it stays where it is.")
    ] = False,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FOLDER", help="Move it to this archive folder, or a folder in it.")
    ] = None,
) -> int:
    """Take a note out of ordinary recall: move it to the archive folder, with all links to it.

    Examples:
      brain archive goals-2026
    """
    return run(options, note, by_status=status, to=to)


def run(options: CommonOptions, argument: str, *, by_status: bool = False, to: str | None = None) -> int:
    """Move the note, mark it, or both; do nothing if it is archived already."""
    workspace = options.open_workspace()
    folder = None if to is None else _folder(workspace, to)
    with editing(workspace) as completed:
        path = note_named(workspace, completed.get(argument, argument))
        metadata = opened(workspace, path).metadata
        if metadata.archived:
            options.report(f"{path} is archived already", {"path": path, "archived": True, "changed": False})
        elif by_status and folder is None:
            edit(workspace, path, _mark)
            _report_mark(options, metadata)
        else:
            edits = {path: _mark} if by_status else {}
            [moved] = move_notes(workspace, "archive", {path: path_in_archive(workspace, path, folder)}, edits)
            _report_move(options, metadata, moved, home_of(workspace, moved.after), by_status=by_status)
    return OK


def _sentence(moved: Moved) -> str:
    """Return a sentence with the note and its new path."""
    return f"archived {moved.before} as {moved.after}{followed(moved.relinked)}"


def _mark(raw: bytes) -> bytes:
    from brain_cli.vault.edit import with_property

    return with_property(raw, STATUS, ARCHIVED)


def _folder(workspace: Workspace, named: str) -> str:
    folder = folder_named(workspace, named)
    if archive_folder(workspace, f"{folder}/") is None:
        raise UsageError(f"{named} is not an archive folder.", f"Name {archive_of(workspace)}, or a folder in it.")
    return folder


def _report_mark(options: CommonOptions, metadata: NoteMetadata) -> None:
    was = metadata.properties.get(STATUS)
    options.report(
        f"archived {metadata.path} by its status",
        {"path": metadata.path, "archived": True, "changed": True, "status": ARCHIVED, "status_before": was},
        options.again("restore", metadata.path, *_status_again(metadata)),
    )


def _report_move(options: CommonOptions, metadata: NoteMetadata, moved: Moved, home: str, *, by_status: bool) -> None:
    document = {"path": moved.after, "archived": True, "changed": True, "from": moved.before}
    back = [] if home == moved.before else ["--to", os.path.dirname(moved.before) or "."]
    back += _status_again(metadata) if by_status else []
    document = {**document, "relinked": moved.relinked}
    options.report(_sentence(moved), document, options.again("restore", moved.after, *back))


def _status_again(metadata: NoteMetadata) -> list[str]:
    was = metadata.properties.get(STATUS)
    return ["--status", was] if isinstance(was, str) else []
