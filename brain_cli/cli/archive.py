"""`brain archive` and `brain restore`: take notes out of ordinary recall without deleting them, and bring them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

import typer

from brain_cli.cli._completion import archived_notes
from brain_cli.cli._edit import (
    ARCHIVED,
    STATUS,
    Moved,
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
from brain_cli.cli._note import NoteElsewhere, by_place, opened
from brain_cli.cli._options import NotesArgument
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK
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


def run(options: CommonOptions, arguments: Sequence[str], *, archived: bool = True, by_status: bool = False) -> int:
    """Archive notes, or restore them; leave alone those that are so already."""
    elsewhere, mine = by_place(options, arguments)
    outcomes = [_outcome_elsewhere(options, each, archived=archived) for each in elsewhere]
    report(options, [*outcomes, *(_changed(options, mine, archived=archived, by_status=by_status) if mine else ())])
    return OK


def archive_notes(
    workspace: Workspace, notes: Iterable[NoteMetadata], *, by_status: bool = False
) -> Mapping[str, Moved]:
    """Archive those of some notes that are not; return the moved ones by their former paths."""
    active = [metadata.path for metadata in notes if not metadata.archived]
    edits = dict.fromkeys(active, _mark) if by_status else {}
    moves = {} if by_status else {path: path_in_archive(workspace, path) for path in active}
    return {each.before: each for each in change_notes(workspace, "archive", edits, moves)}


def _outcome_elsewhere(options: CommonOptions, note: NoteElsewhere, *, archived: bool) -> Outcome:
    path, changed = note.archive(archived=archived)
    done, back = ("archived", "restore") if archived else ("restored", "archive")
    document = {"path": path, "archived": archived, "changed": changed}
    return Outcome(
        f"{done} {path}" if changed else _as_is(path, archived=archived),
        document,
        options.again(back, path) if changed else "",
    )


def _changed(options: CommonOptions, arguments: Sequence[str], *, archived: bool, by_status: bool) -> Iterator[Outcome]:
    """Archive or restore the notes that a command names, and yield what became of each."""
    workspace, undo, done = options.open_workspace(), options.again("undo"), "archived" if archived else "restored"
    with editing(workspace) as completed:
        found = [opened(workspace, path).metadata for path in notes_named(workspace, arguments, completed)]
        moved = archive_notes(workspace, found, by_status=by_status) if archived else restore_notes(workspace, found)
    for each in found:
        path, document = each.path, {"path": each.path, "archived": archived, "changed": each.archived != archived}
        if each.archived == archived:
            yield Outcome(_as_is(path, archived=archived), document)
        elif to := moved.get(path):
            document = {**document, "path": to.after, "from": path, "relinked": to.relinked}
            yield Outcome(f"{done} {path} as {to.after}{followed(to.relinked)}", document, undo)
        else:
            yield Outcome(f"{done} {path}{' by its status' * archived}", document, undo)


def _as_is(path: str, *, archived: bool) -> str:
    return f"{path} is {'archived already' if archived else 'not archived'}"


def _mark(raw: bytes) -> bytes:
    from brain_cli.vault.edit import with_property

    return with_property(raw, STATUS, ARCHIVED)


def restore(
    options: CommonOptions,
    notes: Annotated[
        list[str],
        typer.Argument(
            metavar="NOTE…", autocompletion=archived_notes, help="Paths (or path:line), titles, aliases or file names."
        ),
    ],
) -> int:
    """Bring notes back from the archive, to where they were before, with all links to them.

    Examples:
      brain restore soap-gateway
    """
    return run(options, notes, archived=False)


def restore_notes(workspace: Workspace, notes: Iterable[NoteMetadata]) -> Mapping[str, Moved]:
    """Restore those of some notes that are archived; return the moved ones by their former paths."""
    edits = {each.path: lambda raw, each=each: _unmarked(raw, each) for each in notes if each.archived}
    homes = {path: home_of(workspace, path) for path in edits if archive_folder(workspace, path)}
    moved = {each.before: each for each in change_notes(workspace, "restore", edits, homes)}
    remove_empty_archive_folders(workspace, moved)
    return moved


def _unmarked(raw: bytes, metadata: NoteMetadata) -> bytes:
    from brain_cli.vault.edit import without_property

    status = metadata.properties.get(STATUS)
    if isinstance(status, str) and status.lower() == ARCHIVED:
        raw = without_property(raw, STATUS)
    return without_property(raw, ARCHIVED) if ARCHIVED in metadata.properties else raw
