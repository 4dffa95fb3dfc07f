"""`brain archive` and `brain restore`: take notes out of ordinary recall without deleting them, and bring them back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from brain_cli.cli._completion import archived_notes
from brain_cli.cli._edit import (
    ARCHIVED,
    STATUS,
    Outcome,
    archive_folder,
    change_notes,
    editing,
    followed,
    home_of,
    notes_named,
    path_in_archive,
    remove_empty_archive_folders,
    report,
)
from brain_cli.cli._note import opened
from brain_cli.cli._options import NotesArgument
from brain_cli.cli._workspace import CommonOptions
from brain_cli.errors import OK, UsageError
from brain_cli.types import NoteMetadata


def command(
    options: CommonOptions,
    notes: NotesArgument,
    status: Annotated[
        bool, typer.Option("--status", help="Mark it with “status: archived”, and leave it where it is.")
    ] = False,
) -> int:
    """Take notes out of ordinary recall: move them to the archive folder, with all links to them.

    Examples:
      brain archive goals-2026
    """
    return run(options, notes, by_status=status)


def run(options: CommonOptions, arguments: Sequence[str], *, by_status: bool = False) -> int:
    """Move the notes, or mark them; leave alone those that are archived already."""
    workspace, outcomes, undo = options.open_workspace(), [], options.again("undo")
    with editing(workspace) as completed:
        found = [opened(workspace, path).metadata for path in notes_named(workspace, arguments, completed)]
        active = [metadata.path for metadata in found if not metadata.archived]
        edits = dict.fromkeys(active, _mark) if by_status else {}
        moves = {} if by_status else {path: path_in_archive(workspace, path) for path in active}
        moved = {each.before: each for each in change_notes(workspace, "archive", edits, moves)}
        for each in found:
            path, document = each.path, {"path": each.path, "archived": True, "changed": not each.archived}
            if each.archived:
                outcomes.append(Outcome(f"{path} is archived already", document))
            elif to := moved.get(path):
                document = {**document, "path": to.after, "from": path, "relinked": to.relinked}
                outcomes.append(Outcome(f"archived {path} as {to.after}{followed(to.relinked)}", document, undo))
            else:
                document = {**document, "status": ARCHIVED, "status_before": each.properties.get(STATUS)}
                outcomes.append(Outcome(f"archived {path} by its status", document, undo))
    report(options, outcomes)
    return OK


def _mark(raw: bytes) -> bytes:
    from brain_cli.vault.edit import with_property

    return with_property(raw, STATUS, ARCHIVED)


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
) -> int:
    """Bring notes back from the archive, to where they were before, with all links to them.

    Examples:
      brain restore soap-gateway
      brain restore --last
    """
    if bool(notes) == last:
        raise UsageError("Name a note, or --last alone.", "See `brain restore --help`.")
    if notes:
        return _restored(options, notes)
    from brain_cli.cli.undo import undo

    return undo(options, commands=("archive", "review", "sleep"))


def _restored(options: CommonOptions, arguments: Sequence[str]) -> int:
    """Undo the archiving of notes: their move, their mark, or both."""
    workspace, outcomes, undo = options.open_workspace(), [], options.again("undo")
    with editing(workspace) as completed:
        found = [opened(workspace, path).metadata for path in notes_named(workspace, arguments, completed)]
        edits = {each.path: lambda raw, each=each: _unmarked(raw, each) for each in found if each.archived}
        homes = {path: home_of(workspace, path) for path in edits if archive_folder(workspace, path)}
        moved = {each.before: each for each in change_notes(workspace, "restore", edits, homes)}
        remove_empty_archive_folders(workspace, moved)
        for each in found:
            path, document = each.path, {"path": each.path, "archived": False, "changed": each.archived}
            if not each.archived:
                outcomes.append(Outcome(f"{path} is not archived", document))
            elif to := moved.get(path):
                document = {**document, "path": to.after, "from": path, "relinked": to.relinked}
                outcomes.append(Outcome(f"restored {path} as {to.after}{followed(to.relinked)}", document, undo))
            else:
                outcomes.append(Outcome(f"restored {path}", document, undo))
    report(options, outcomes)
    return OK


def _unmarked(raw: bytes, metadata: NoteMetadata) -> bytes:
    """Return a note's bytes without the marks of an archived note."""
    from brain_cli.vault.edit import without_property

    status = metadata.properties.get(STATUS)
    if isinstance(status, str) and status.lower() == ARCHIVED:
        raw = without_property(raw, STATUS)
    return without_property(raw, ARCHIVED) if ARCHIVED in metadata.properties else raw
