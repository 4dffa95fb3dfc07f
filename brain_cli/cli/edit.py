"""Edit and move notes under the vault's lock, all or nothing, through the one journal that `brain
undo` reads.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.cli.note import explained, note_named, opened
from brain_cli.cli.workspace import CommonOptions, Workspace, index_session, refreshed
from brain_cli.errors import OK, BrainError, UsageError
from brain_cli.history.log import MOVED, Event, Mention
from brain_cli.printable import one_line, some_of
from brain_cli.process import command_context
from brain_cli.render.phrases import counted
from brain_cli.streams import say
from brain_cli.vault.atomic_write import hash_of, read_note

if TYPE_CHECKING:
    from brain_cli.vault.atomic_write import Written
    from brain_cli.vault.change_journal import ChangeSet, FileChange, Journal, Recovery
    from brain_cli.vault.move import ByteEdit, LinkedNote

# Set by `brain mcp` for the commands that it runs.
BY_AGENT = "BRAIN_BY_AGENT"
NO_EDITS: Mapping[str, ByteEdit] = {}
NO_MOVES: Mapping[str, str] = {}


class Moved(NamedTuple):
    """A note's old and new path, and the other notes whose links were changed for it."""

    before: str
    after: str
    relinked: tuple[str, ...] = ()


@contextlib.contextmanager
def editing(workspace: Workspace) -> Iterator[Recovery]:
    """Hold the lock for editing this vault's notes, after completing or undoing any interrupted
    change; yield that.
    """
    from brain_cli.vault.atomic_write import vault_lock

    with vault_lock(workspace.vault) as is_exclusive:
        if not is_exclusive:
            say(
                "The vault is on a file system without locks: let no other brain process edit it at the same time."
            )
        yield _recover(workspace)


def journal_of(workspace: Workspace) -> Journal:
    """Return the vault's journal, in the user's state folder."""
    from brain_cli.vault.change_journal import Journal

    return Journal(Path(workspace.state_home) / "brain" / workspace.index_directory.folder.name)


def folder_named(workspace: Workspace, named: str) -> str:
    """Return the path of a folder named on the command line, relative to the vault; empty for the
    vault itself.
    """
    if not named:
        raise UsageError("The name is empty.", "Name a folder; . is the vault itself.")
    path = os.path.normpath(
        os.path.relpath(named, workspace.vault) if os.path.isabs(named) else named
    )
    if path.startswith(".."):
        raise UsageError(f"{named} is outside the vault {workspace.vault}.")
    if any(part.startswith(".") and part != "." for part in path.split("/")):
        raise UsageError(f"{named} is hidden, so its notes would not be found.")
    return "" if path == "." else path


def notes_named(
    workspace: Workspace, arguments: Sequence[str], recovered: Recovery | None = None
) -> list[str]:
    """Return the paths of the named notes, each once, also after moves that were completed just
    now.
    """
    moves = recovered.moves if recovered else {}
    return list(dict.fromkeys(note_named(workspace, moves.get(each, each)) for each in arguments))


def change_notes(
    workspace: Workspace,
    command: str,
    edits: Mapping[str, ByteEdit] = NO_EDITS,
    moves: Mapping[str, str] = NO_MOVES,
    undoes: int = -1,
) -> list[Moved]:
    """Edit notes (path → edit) and move notes with all links (path → new path), all or nothing;
    return the moved ones.

    The caller holds the vault's lock. `brain undo` undoes it, unless it `undoes` a change itself.
    """
    from brain_cli.vault.change_journal import ChangeSet
    from brain_cli.vault.move import plan_moves
    from brain_cli.vault.walk import exclusion_of

    checked = {path: partial(_edited, path, edit) for path, edit in edits.items()}
    planned: dict[str, FileChange] = {}
    if moves:
        with explained("A note"):
            changes = plan_moves(workspace.vault, moves, _linked_notes(workspace), checked)
        planned = {change.path: change for change in changes}
    for path in [path for path in edits if path not in moves]:
        change = planned.get(path) or _unchanged(workspace, path)
        planned[path] = change._replace(after=checked[path](change.after))
    change_set = ChangeSet(
        command,
        tuple(each for each in planned.values() if each != each.reversed()),
        workspace.now,
        undoes=undoes,
    )
    moved = make_change(workspace, change_set) if change_set.changes else []
    for each in moved:
        if excluded := exclusion_of(workspace.vault, each.after):
            say(f"{each.after} is not found by recalls any more, because {excluded.text}.")
    return moved


def _unchanged(workspace: Workspace, path: str) -> FileChange:
    from brain_cli.vault.change_journal import FileChange

    with explained(path):
        raw = read_note(workspace.vault, path)
        return FileChange(
            path, path, raw, raw, os.stat(os.path.join(workspace.vault, path)).st_mtime_ns
        )


def make_change(workspace: Workspace, change_set: ChangeSet) -> list[Moved]:
    """Make a planned change, all or nothing, and record the moves of notes in the history."""
    from brain_cli.vault.change_journal import apply_change_set

    journal = journal_of(workspace)
    change_set = _with_author(change_set)
    apply_change_set(workspace.vault, change_set, journal)
    _record_moves(workspace, change_set)
    journal.finish(change_set)
    relinked = tuple(change.path for change in change_set.changes if not change.moves)
    return [
        Moved(change.path, change.new_path, relinked)
        for change in change_set.changes
        if change.moves
    ]


def can_be_undone(workspace: Workspace, change_set: ChangeSet) -> bool:
    """Record a change that was made without the journal. If that fails, only its undo is missing,
    which is said.
    """
    try:
        journal_of(workspace).add(_with_author(change_set))
    except OSError as error:
        say(
            f"`brain undo` cannot take this back, for the journal cannot be written: {error.strerror}."
        )
        return False
    return True


def _with_author(change_set: ChangeSet) -> ChangeSet:
    """Return a change marked as an agent's if `brain mcp` asks for it."""
    return change_set._replace(by_agent=bool(command_context().environ.get(BY_AGENT)))


@contextlib.contextmanager
def recording(
    workspace: Workspace, command: str, *, by_hook: bool = False
) -> Iterator[list[Written]]:
    """Record all notes of the vault that are written meanwhile as one change; yield them, none if
    that fails.
    """
    from brain_cli.vault.atomic_write import recorded
    from brain_cli.vault.change_journal import change_set_of

    with recorded() as written:
        try:
            yield written
        finally:
            change_set = change_set_of(command, written, workspace.now, by_hook=by_hook)
            if written and not can_be_undone(workspace, change_set):
                written.clear()


@contextlib.contextmanager
def creating(workspace: Workspace, command: str) -> Iterator[list[Written]]:
    """Hold the lock for editing this vault's notes, and record those that are written as one
    change; yield them.
    """
    with editing(workspace), recording(workspace, command) as written:
        yield written


def reserved_in_trash(
    workspace: Workspace, paths: Iterable[str]
) -> tuple[tuple[str, str, str], ...]:
    """Reserve places in the trash of the desktop for notes; return the path, hash and place of
    each.
    """
    from brain_cli.vault import trash

    home = trash.home_trash(os.environ)
    reserved: list[tuple[str, str, str]] = []
    try:
        for path in paths:
            with explained(path):
                content_hash = hash_of(read_note(workspace.vault, path))
                reserved.append(
                    (path, content_hash, trash.reserve(workspace.vault, path, home, workspace.now))
                )
    except BaseException:
        for _, _, place in reserved:
            trash.release(place)
        raise
    return tuple(reserved)


class Outcome(NamedTuple):
    """The outcome for one note: what was done, as a line and as JSON, and the command that undoes
    it, if any.
    """

    did: str
    document: Mapping[str, object]
    undo: str = ""


def report(options: CommonOptions, outcomes: Sequence[Outcome]) -> int:
    """Print what was done to one note, or to several; return the exit code."""
    if len(outcomes) == 1:
        options.report(*outcomes[0])
        return OK
    document = {"notes": [outcome.document for outcome in outcomes]}
    options.answer(document, (one_line(outcome.did) for outcome in outcomes))
    if any(outcome.undo for outcome in outcomes):
        say(f"To undo: {options.again('undo')}")
    return OK


def followed(relinked: tuple[str, ...]) -> str:
    """Return how many other notes had their links changed, in words."""
    return f" (its links in {counted(len(relinked), 'note')} follow)" if relinked else ""


def _recover(workspace: Workspace) -> Recovery:
    from brain_cli.vault.change_journal import Recovery, recover

    journal = journal_of(workspace)
    found = recover(workspace.vault, journal)
    if found is None:
        return Recovery()
    if found.completed:
        # The notes are where they belong: if one cannot be read, only its history lacks the move.
        with contextlib.suppress(BrainError):
            _record_moves(workspace, found.change_set)
        journal.finish(found.change_set)
    say(_say_recovery(found))
    return found


def _say_recovery(found: Recovery) -> str:
    if not found.change_set.command:
        return f"The journal of an interrupted edit cannot be read, so it was set aside: {found.set_aside}."
    moves = [
        f"{change.path} → {change.new_path}" for change in found.change_set.changes if change.moves
    ]
    what = some_of(moves or found.change_set.notes)
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
    records = index.ask(
        lambda snapshot: [*map(snapshot.note_table.read_record, snapshot.note_table.rows)]
    )
    return [(each.metadata, each.links) for each in records]


def _record_moves(workspace: Workspace, change_set: ChangeSet) -> None:
    """Record moves in the history, so that a note keeps its usage even if its content changed with
    its links.
    """
    moved = [change for change in change_set.changes if change.moves]
    events = []
    for change in moved:
        timestamp = opened(workspace, change.new_path).metadata.timestamp
        note = Mention(change.new_path, hash_of(change.after), timestamp)
        events.append(Event(workspace.now, MOVED, [note], change.path))
    if events:
        workspace.record(events)


def _edited(path: str, change: ByteEdit, before: bytes) -> bytes:
    """Return a note's bytes after a change; BrainError if its frontmatter cannot be edited."""
    from brain_cli.vault.edit import UneditableError

    try:
        return change(before)
    except UneditableError as error:
        raise BrainError(
            f"{path} was left as it is: {error}.", "Change it by hand: brain open."
        ) from None
