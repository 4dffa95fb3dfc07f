"""`brain archive` and `brain restore`: take notes out of ordinary recall without deleting them, and bring them back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated

import typer

from brain_cli.cli._completion import archived_notes
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
    remove_empty_archive_folders,
    report,
)
from brain_cli.cli._note import opened
from brain_cli.cli._options import NotesArgument
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK, UsageError
from brain_cli.types import NoteMetadata
from brain_cli.vault.properties import flag_of


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


def restore(
    options: CommonOptions,
    notes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NOTE…]",
            autocompletion=archived_notes,
            help="Paths (or path:line), titles, aliases or file names.",
        ),
    ] = None,
    last: Annotated[
        bool, typer.Option("--last", help="Undo the last `brain review --apply` or `brain archive`, all of it.")
    ] = False,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FOLDER", help="Move it to this folder of the vault; . is the vault itself."),
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="TEXT", help="Its status from now on; default: none.")
    ] = None,
) -> int:
    """Bring notes back from the archive, to where they were before, with all links to them.

    Examples:
      brain restore soap-gateway
      brain restore --last
    """
    if bool(notes) == last or (last and (to or status)):
        raise UsageError("Name a note, or --last alone.", "See `brain restore --help`.")
    if notes:
        return _restored(options, notes, to=to, status=status)
    from brain_cli.cli.undo import undo

    return undo(options, commands=("archive", "review", "sleep"))


def _restored(options: CommonOptions, arguments: Sequence[str], *, to: str | None, status: str | None) -> int:
    """Undo the archiving of notes: their move, their mark, or both."""
    workspace = options.open_workspace()
    folder = None if to is None else folder_named(workspace, to)
    with editing(workspace) as completed:
        found = [opened(workspace, path).metadata for path in notes_named(workspace, arguments, completed)]
        edits = {each.path: partial(_unmarked, metadata=each, status=status) for each in found if each.archived}
        homes = {path: _home(workspace, path, folder) for path in edits if archive_folder(workspace, path)}
        moved = {each.before: each for each in change_notes(workspace, "restore", edits, homes)}
        remove_empty_archive_folders(workspace, moved)
        report(options, [_outcome_of_restoring(options, workspace, each, moved, status) for each in found])
    return OK


def _home(workspace: Workspace, path: str, folder: str | None) -> str:
    return home_of(workspace, path) if folder is None else os.path.join(folder, os.path.basename(path))


def _outcome_of_restoring(
    options: CommonOptions,
    workspace: Workspace,
    metadata: NoteMetadata,
    moved: Mapping[str, Moved],
    status: str | None,
) -> Outcome:
    path = metadata.path
    if not metadata.archived:
        return Outcome(f"{path} is not archived", {"path": path, "archived": False, "changed": False})
    if path not in moved:
        document: dict[str, object] = {"path": path, "archived": False, "changed": True, "status": status}
        return Outcome(f"restored {path}", document, options.again("archive", path, "--status"))
    home, relinked = moved[path].after, moved[path].relinked
    document = {"path": home, "archived": False, "changed": True, "from": path, "relinked": relinked}
    undo = options.again("archive", home, *_options_to_undo(workspace, metadata, home))
    return Outcome(f"restored {path} as {home}{followed(relinked)}", document, undo)


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


def _options_to_undo(workspace: Workspace, metadata: NoteMetadata, home: str) -> list[str]:
    """Return the options with which archive would move the note back."""
    was_marked = _is_marked_by_status(metadata) or flag_of(metadata.properties, ARCHIVED)
    if not was_marked and f"{archive_of(workspace)}/{home}" == metadata.path:
        return []
    return ["--to", os.path.dirname(metadata.path), *(["--status"] if was_marked else [])]
