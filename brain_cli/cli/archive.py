"""`brain archive`: take a note out of ordinary recall, without deleting it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from brain_cli.cli._edit import (
    ARCHIVED,
    STATUS,
    Moved,
    Outcome,
    archive_folder,
    archive_of,
    change_notes,
    editing,
    folder_named,
    followed,
    home_of,
    notes_named,
    path_in_archive,
    report,
)
from brain_cli.cli._note import opened
from brain_cli.cli._options import NotesArgument
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK, UsageError
from brain_cli.types import NoteMetadata


def command(
    options: CommonOptions,
    notes: NotesArgument,
    status: Annotated[
        bool, typer.Option("--status", help="Mark it with “status: archived”; without --to it stays where it is.")
    ] = False,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FOLDER", help="Move it to this archive folder, or a folder in it.")
    ] = None,
) -> int:
    """Take notes out of ordinary recall: move them to the archive folder, with all links to them.

    Examples:
      brain archive goals-2026
    """
    return run(options, notes, by_status=status, to=to)


def run(options: CommonOptions, arguments: Sequence[str], *, by_status: bool = False, to: str | None = None) -> int:
    """Move the notes, mark them, or both; leave alone those that are archived already."""
    workspace = options.open_workspace()
    folder = None if to is None else _folder(workspace, to)
    with editing(workspace) as completed:
        found = [opened(workspace, path).metadata for path in notes_named(workspace, arguments, completed)]
        active = [metadata.path for metadata in found if not metadata.archived]
        edits = dict.fromkeys(active, _mark) if by_status else {}
        stays = by_status and folder is None
        moves = {} if stays else {path: path_in_archive(workspace, path, folder) for path in active}
        moved = {each.before: each for each in change_notes(workspace, "archive", edits, moves)}
        report(options, [_outcome(options, workspace, each, moved, by_status=by_status) for each in found])
    return OK


def _outcome(
    options: CommonOptions,
    workspace: Workspace,
    metadata: NoteMetadata,
    moved: Mapping[str, Moved],
    *,
    by_status: bool,
) -> Outcome:
    path = metadata.path
    if metadata.archived:
        return Outcome(f"{path} is archived already", {"path": path, "archived": True, "changed": False})
    if path not in moved:
        return _marked(options, metadata)
    return _moved(options, metadata, moved[path], home_of(workspace, moved[path].after), by_status=by_status)


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


def _marked(options: CommonOptions, metadata: NoteMetadata) -> Outcome:
    was = metadata.properties.get(STATUS)
    return Outcome(
        f"archived {metadata.path} by its status",
        {"path": metadata.path, "archived": True, "changed": True, "status": ARCHIVED, "status_before": was},
        options.again("restore", metadata.path, *_status_again(metadata)),
    )


def _moved(options: CommonOptions, metadata: NoteMetadata, moved: Moved, home: str, *, by_status: bool) -> Outcome:
    document = {"path": moved.after, "archived": True, "changed": True, "from": moved.before}
    back = [] if home == moved.before else ["--to", os.path.dirname(moved.before) or "."]
    back += _status_again(metadata) if by_status else []
    document = {**document, "relinked": moved.relinked}
    return Outcome(_sentence(moved), document, options.again("restore", moved.after, *back))


def _status_again(metadata: NoteMetadata) -> list[str]:
    was = metadata.properties.get(STATUS)
    return ["--status", was] if isinstance(was, str) else []
