"""Move a note from one folder of the vault to another: what archive and restore have in common."""

from __future__ import annotations

import contextlib
import os

from brain_cli.cli._note import explained, opened
from brain_cli.cli._workspace import Workspace, index_session, refreshed
from brain_cli.errors import UsageError
from brain_cli.index.note_table import NoteTable
from brain_cli.render.phrases import counted
from brain_cli.vault.move import LinkedNote, Moved, carry_out, plan_move
from brain_cli.vault.relink import Move


def archive_folder(workspace: Workspace, path: str) -> str | None:
    """Return the archive folder that a note is in; None for a note that is in none."""
    top, below, _ = path.partition("/")
    return top if below and top in workspace.config.archive_folders else None


def home_of(path: str) -> str:
    """Return where a note of an archive folder was before."""
    return path.partition("/")[2]


def folder_named(workspace: Workspace, named: str) -> str:
    """Return a folder of the vault that is named on the command line; empty for the vault itself."""
    path = os.path.normpath(os.path.relpath(named, workspace.vault) if os.path.isabs(named) else named)
    if path.startswith(".."):
        raise UsageError(f"{named} is outside the vault {workspace.vault}.")
    if any(part.startswith(".") and part != "." for part in path.split("/")):
        raise UsageError(f"{named} is hidden, so its notes would not be found.")
    return "" if path == "." else path


def move(workspace: Workspace, old: str, new: str) -> Moved:
    """Move a note, with all links to it and from it; the vault is being edited by nobody else."""
    notes = _notes(workspace)
    with explained(old):
        plan = plan_move(workspace.vault, Move(old, new), notes)
        moved = carry_out(workspace.vault, plan)
    _record_move(workspace, moved)
    return moved


def followed(moved: Moved) -> str:
    """Say in how many other notes the links were changed."""
    count = len(moved.relinked)
    return f" (its links in {counted(count, 'note')} follow)" if count else ""


def remove_empty(workspace: Workspace, folder: str, below: str) -> None:
    """Remove a folder that a note has left empty, and those above it, up to and without `below`."""
    while folder != below and folder.startswith(f"{below}/"):
        with contextlib.suppress(OSError):
            os.rmdir(os.path.join(workspace.vault, folder))
        folder = os.path.dirname(folder)


def _notes(workspace: Workspace) -> list[LinkedNote]:
    """Return all notes and their links, from an index that knows the last change."""
    index = index_session(workspace)
    refreshed(index)
    return index.ask(lambda snapshot: _linked(snapshot.note_table))


def _linked(note_table: NoteTable) -> list[LinkedNote]:
    return [(each.metadata, each.links) for each in map(note_table.read_record, note_table.rows)]


def _record_move(workspace: Workspace, moved: Moved) -> None:
    """Tell the history, so that what is known of the note follows it even where its links have changed its content."""
    from brain_cli.cli._history import record
    from brain_cli.memory.events import MOVED, Event, Mention

    timestamp = opened(workspace, moved.after).metadata.timestamp
    record(
        workspace, [Event(workspace.now, MOVED, [Mention(moved.after, moved.content_hash, timestamp)], moved.before)]
    )
