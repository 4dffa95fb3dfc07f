"""Edit notes under the vault's lock, and move notes together with the links to them, all or nothing."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.cli._note import edited, explained, opened
from brain_cli.cli._output import say
from brain_cli.cli._workspace import Workspace, index_session, refreshed
from brain_cli.errors import BrainError, UsageError
from brain_cli.memory.events import MOVED, Event, Mention
from brain_cli.printable import some_of
from brain_cli.render.phrases import counted
from brain_cli.vault.decode import hash_of

if TYPE_CHECKING:
    from brain_cli.index.note_table import NoteTable
    from brain_cli.vault.change_journal import ChangeSet, Journal, Recovery
    from brain_cli.vault.move import ByteEdit, LinkedNote

NO_EDITS: Mapping[str, ByteEdit] = {}


class Moved(NamedTuple):
    """A note's old and new path, and the other notes whose links were changed for it."""

    before: str
    after: str
    relinked: tuple[str, ...] = ()


@contextlib.contextmanager
def editing(workspace: Workspace) -> Iterator[Mapping[str, str]]:
    """Hold the lock for editing this vault's notes, after completing or undoing any interrupted change.

    Yield the moves that were completed by that (path → new path).
    """
    from brain_cli.vault.atomic_write import vault_lock

    with vault_lock(workspace.vault):
        yield _recover(workspace)


def journal_of(workspace: Workspace) -> Journal:
    """Return the vault's journal, in the user's state folder."""
    from brain_cli.vault.change_journal import Journal

    return Journal(Path(workspace.state_home) / "brain" / workspace.index_directory.folder.name)


def folder_named(workspace: Workspace, named: str) -> str:
    """Return the path of a folder named on the command line, relative to the vault; empty for the vault itself."""
    path = os.path.normpath(os.path.relpath(named, workspace.vault) if os.path.isabs(named) else named)
    if path.startswith(".."):
        raise UsageError(f"{named} is outside the vault {workspace.vault}.")
    if any(part.startswith(".") and part != "." for part in path.split("/")):
        raise UsageError(f"{named} is hidden, so its notes would not be found.")
    return "" if path == "." else path


def move_notes(
    workspace: Workspace,
    command: str,
    moves: Mapping[str, str],
    edits: Mapping[str, ByteEdit] = NO_EDITS,
    *,
    can_be_undone: bool = True,
) -> list[Moved]:
    """Move notes (path → new path), with all links to them and from them; the caller holds the vault's lock.

    `edits` change the notes' own bytes too. `brain restore --last` undoes the last run that `can_be_undone`.
    """
    from brain_cli.vault.change_journal import ChangeSet
    from brain_cli.vault.move import plan_moves

    checked = {path: partial(edited, path, edit) for path, edit in edits.items()}
    with explained("A note"):
        changes = plan_moves(workspace.vault, moves, _linked_notes(workspace), checked)
    return make_change(workspace, ChangeSet(command, changes), can_be_undone=can_be_undone)


def make_change(workspace: Workspace, change_set: ChangeSet, *, can_be_undone: bool) -> list[Moved]:
    """Make a planned change, all or nothing, and record the moves of notes in the history."""
    from brain_cli.vault.change_journal import apply_change_set

    journal = journal_of(workspace)
    apply_change_set(workspace.vault, change_set, journal)
    _record_moves(workspace, change_set)
    journal.finish(can_be_undone=can_be_undone)
    relinked = tuple(change.path for change in change_set.changes if not change.moves)
    return [Moved(change.path, change.new_path, relinked) for change in change_set.changes if change.moves]


def followed(relinked: tuple[str, ...]) -> str:
    """Return how many other notes had their links changed, in words."""
    return f" (its links in {counted(len(relinked), 'note')} follow)" if relinked else ""


def _recover(workspace: Workspace) -> Mapping[str, str]:
    from brain_cli.vault.change_journal import recover

    journal = journal_of(workspace)
    found = recover(workspace.vault, journal)
    if found is None:
        return {}
    if found.completed:
        # The notes are where they belong: if one cannot be read, only its history lacks the move.
        with contextlib.suppress(BrainError):
            _record_moves(workspace, found.change_set)
        journal.finish(can_be_undone=found.change_set.command != "restore")
    say(_say_recovery(found))
    moves = (change for change in found.change_set.changes if change.moves and found.completed)
    return {change.path: change.new_path for change in moves}


def _say_recovery(found: Recovery) -> str:
    if not found.change_set.changes:
        return f"The journal of an interrupted edit cannot be read, so it was set aside: {found.set_aside}."
    moves = [f"{change.path} → {change.new_path}" for change in found.change_set.changes if change.moves]
    what = some_of(moves)
    command = f"An interrupted `brain {found.change_set.command}`"
    if found.completed:
        return f"{command} was completed: {what}."
    if found.left:
        left = f"{', '.join(found.left)} could not be put back"
        return f"{command} was undone in part: {left}; the former texts are in {found.set_aside}."
    return f"{command} was undone, for its notes have changed since: {what}."


def _linked_notes(workspace: Workspace) -> list[LinkedNote]:
    """Return all notes and their links, from an up-to-date index."""
    index = index_session(workspace)
    refreshed(index)
    return index.ask(lambda snapshot: _links_of(snapshot.note_table))


def _links_of(note_table: NoteTable) -> list[LinkedNote]:
    return [(each.metadata, each.links) for each in map(note_table.read_record, note_table.rows)]


def _record_moves(workspace: Workspace, change_set: ChangeSet) -> None:
    """Record moves in the history, so that a note keeps its usage even if its content changed with its links."""
    moved = [change for change in change_set.changes if change.moves]
    events = []
    for change in moved:
        timestamp = opened(workspace, change.new_path).metadata.timestamp
        note = Mention(change.new_path, hash_of(change.after), timestamp)
        events.append(Event(workspace.now, MOVED, [note], change.path))
    if events:
        workspace.record(events)
