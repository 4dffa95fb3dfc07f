"""Edit and move notes under the vault's lock, all or nothing, through the one journal that `brain
undo` reads.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.errors import BrainError, UsageError, explained
from brain_cli.history.log import FEEDBACK, FEEDBACK_UNDONE, MOVED, Event
from brain_cli.library.names import note_named
from brain_cli.library.note import opened
from brain_cli.printable import some_of
from brain_cli.process import command_context
from brain_cli.streams import say
from brain_cli.vault.atomic_write import vault_lock
from brain_cli.vault.change_journal import (
    AGENT,
    Change,
    ChangeSet,
    Journal,
    PlannedChanges,
    Recovery,
    apply_change_set,
    recover,
    unchanged,
)
from brain_cli.vault.edit import UneditableError
from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.move import plan_moves
from brain_cli.vault.trash import home_trash
from brain_cli.vault.walk import exclusion_of

if TYPE_CHECKING:
    from brain_cli.library.vault import Vault
    from brain_cli.vault.move import ByteEdit, LinkedNote

# Set by `brain mcp` for the commands that it runs.
BY_AGENT = "BRAIN_BY_AGENT"
# Coding agents set these for the commands that they run.
AGENT_VARIABLES = (
    BY_AGENT,
    "AI_AGENT",
    "CLAUDECODE",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
)
REDACTED_NOTICE = "Secrets in the text were replaced by [redacted], because an agent wrote it."
NO_EDITS: Mapping[str, ByteEdit] = {}
NO_MOVES: Mapping[str, str] = {}


class Changed(NamedTuple):
    """A note that a verb was asked to change: its path now, its former path if it was moved, the
    other notes whose links were changed for it, and whether the verb has `changed` anything.

    One that `is_shared` is on a server, so its change is not in the journal.
    """

    path: str
    before: str = ""
    relinked: tuple[str, ...] = ()
    changed: bool = True
    is_shared: bool = False


def without_secrets(text: str) -> str:
    """Return a text that an agent writes without its secrets, which is said; a person's text as it
    is.
    """
    if not any(map(command_context().environ.get, AGENT_VARIABLES)):
        return text
    # Compiling its patterns takes long.
    from brain_cli.vault.secrets import redacted

    kept = redacted(text)
    if kept != text:
        say(REDACTED_NOTICE)
    return kept


@contextmanager
def editing(vault: Vault) -> Iterator[Recovery]:
    """Hold the lock for editing this vault's notes, after completing or undoing any interrupted
    change; yield that.
    """
    with vault_lock(vault.folder) as is_exclusive:
        if not is_exclusive:
            say(
                "The vault is on a file system without locks: let no other brain process edit it "
                "at the same time."
            )
        yield _recover(vault)


def journal_of(vault: Vault) -> Journal:
    """Return the vault's journal, in the user's state folder."""
    folder = Path(vault.state_home) / "brain" / vault.index_directory.folder.name
    return Journal(folder, home_trash(os.environ))


def folder_named(vault: Vault, named: str) -> str:
    """Return the path of a folder named on the command line, relative to the vault; empty for the
    vault itself.
    """
    if not named:
        raise UsageError("The name is empty.", "Name a folder; . is the vault itself.")
    path = os.path.normpath(
        os.path.relpath(named, vault.folder) if os.path.isabs(named) else named
    )
    if path.startswith(".."):
        raise UsageError(
            f"{named} is outside the vault {vault.folder}.", "Name a path inside it."
        )
    if path != "." and re.search(r"(^|/)\.", path):
        raise UsageError(
            f"{named} is hidden, so its notes would not be found.", "Leave out the dot."
        )
    return "" if path == "." else path


def file_of_note(named: str, suffix: str = NOTE_SUFFIXES[0]) -> str:
    """Return a name with the suffix of a note; UsageError if it has the suffix of another kind of
    file.
    """
    if named.lower().endswith(NOTE_SUFFIXES):
        return named
    if re.search(r"\.[A-Za-z]{1,8}\Z", named):
        raise UsageError(
            f"{named} does not end as a note does.",
            f"Name it {os.path.splitext(named)[0]}{suffix}, or {named}{suffix} if the dot is "
            "part of it.",
        )
    return f"{named}{suffix}"


def notes_named(vault: Vault, arguments: Iterable[str], completed: Recovery) -> list[str]:
    """Return the paths of the named notes, each once, also after moves that were completed just
    now.
    """
    moves = completed.moves
    return list(dict.fromkeys(note_named(vault, moves.get(each, each)) for each in arguments))


def change_notes(
    vault: Vault,
    command: str,
    edits: Mapping[str, ByteEdit] = NO_EDITS,
    moves: Mapping[str, str] = NO_MOVES,
    undoes: int = -1,
    folders: tuple[str, ...] = (),
) -> list[Changed]:
    """Edit notes (path → edit) and move notes with all links (path → new path), all or nothing;
    return the moved ones.

    The caller holds the vault's lock. `brain undo` undoes it, unless it `undoes` a change itself,
    which has made `folders`.
    """
    checked = {path: partial(_edited, path, edit) for path, edit in edits.items()}
    planned: list[Change] = []
    if moves:
        with explained("A note"):
            planned = plan_moves(vault.folder, moves, _linked_notes(vault), checked)
    moving = [change for change in planned if change.before is None or change.after is None]
    staying = {change.path: change for change in planned if change not in moving}
    for path in [path for path in edits if path not in moves]:
        change = staying.get(path) or note_at(vault, path)
        staying[path] = change._replace(after=checked[path](change.after or b""))
    edited = [change for change in staying.values() if change.before != change.after]
    change_set = ChangeSet(
        command,
        (*edited, *moving),
        vault.now,
        moves=tuple(moves.items()),
        undoes=undoes,
        folders=folders,
    )
    if change_set.changes:
        make_change(vault, change_set)
    for new in moves.values():
        if excluded := exclusion_of(vault.folder, new):
            say(f"{new} is not found by recalls any more, because {excluded.text}.")
    relinked = tuple(change.path for change in edited)
    return [Changed(new, old, relinked) for old, new in moves.items()]


def note_at(vault: Vault, path: str) -> Change:
    """Return a note as a change that changes nothing yet."""
    with explained(path):
        return unchanged(vault.folder, path)


def make_change(vault: Vault, change_set: ChangeSet) -> None:
    """Make a planned change, all or nothing, and record in the history what was moved and rated.

    The caller holds the vault's lock. If only the journal's last step fails, the change is made,
    and that is said.
    """
    journal = journal_of(vault)
    if command_context().environ.get(BY_AGENT):
        change_set = change_set._replace(author=AGENT)
    apply_change_set(vault.folder, change_set, journal)
    try:
        _record(vault, change_set)
    except BrainError:
        # The history cannot take a rating, so nothing was done.
        with suppress(OSError):
            journal.drop()
        raise
    _finish(journal, change_set)


def _finish(journal: Journal, change_set: ChangeSet) -> None:
    try:
        journal.finish(change_set)
    except OSError as error:
        say(
            f"All was done, but the journal cannot be completed: {error.strerror}. "
            "The next command that edits notes does that."
        )


def _recover(vault: Vault) -> Recovery:
    journal = journal_of(vault)
    found = recover(vault.folder, journal)
    if found is None:
        return Recovery()
    if found.completed:
        with suppress(BrainError):
            _record(vault, found.change_set, again=True)
        _finish(journal, found.change_set)
    say(_say_recovery(found))
    return found


def _say_recovery(found: Recovery) -> str:
    if not found.change_set.command:
        return (
            "The journal of an interrupted edit cannot be read, so it was set aside: "
            f"{found.set_aside}."
        )
    what = some_of(found.change_set.names)
    undo = found.change_set.undoes >= 0
    command = f"An interrupted `brain {'undo' if undo else found.change_set.command}`"
    if found.completed:
        return f"{command} was completed: {what}."
    if found.left:
        left = f"{', '.join(found.left)} could not be put back"
        return (
            f"{command} was undone in part: {left}; the former texts are in {found.set_aside}."
        )
    return f"{command} was undone, for its notes have changed since: {what}."


def _linked_notes(vault: Vault) -> list[LinkedNote]:
    """Return all notes and their links, from an up-to-date index."""
    vault.index()
    records = vault.ask(
        lambda snapshot: [*map(snapshot.note_table.read_record, snapshot.note_table.rows)]
    )
    return [(each.metadata, each.links) for each in records]


def _record(vault: Vault, change_set: ChangeSet, *, again: bool = False) -> None:
    """Record moves and ratings in the history, so that a note keeps its usage wherever it is.

    A killed command may have recorded them; `again` omits what the history has.
    """
    events = []
    for old, new in change_set.moves:
        # If the note cannot be read, only its history lacks the move.
        with suppress(BrainError):
            events.append(Event(change_set.at, MOVED, [opened(vault, new).mention], old))
    for path, verdict, given in change_set.rated:
        event = FEEDBACK if given else FEEDBACK_UNDONE
        events.append(Event(change_set.at, event, [opened(vault, path).mention], verdict))
    if again:
        events = [each for each in events if not vault.history.has(each)]
    if events:
        vault.record(events)


def _edited(path: str, change: ByteEdit, before: bytes) -> bytes:
    """Return a note's bytes after a change; BrainError if its frontmatter cannot be edited."""
    try:
        return change(before)
    except UneditableError as error:
        raise BrainError(
            f"{path} was left as it is: {error}.", "Change it by hand: brain open."
        ) from None


def create_new_note(
    vault: Vault, paths: Iterable[str], raw: bytes, command: str = "add"
) -> str:
    """Write a note to the first of these paths that is free; return that path. The caller holds the
    vault's lock.
    """
    plan = PlannedChanges(vault.folder)
    for path in paths:
        with explained(path), suppress(FileExistsError):
            plan.create(path, raw)
            make_change(vault, ChangeSet(command, plan.changes, vault.now))
            return path
    raise BrainError("There is already a note at this path.", "Name another --path.")
