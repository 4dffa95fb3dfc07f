"""`brain undo`: undo what a command changed, from the journal, for the notes that did not change
since.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import Annotated, NamedTuple

from brain_cli.cli.edit import change_notes, editing, journal_of, make_change, reserved_in_trash
from brain_cli.cli.mark import Verdict, give_feedback
from brain_cli.cli.options import argument, flag
from brain_cli.cli.output import Row
from brain_cli.cli.workspace import CommonOptions, Workspace
from brain_cli.errors import NOTHING_FOUND, OK, BrainError, UsageError
from brain_cli.printable import one_line, some_of
from brain_cli.streams import say
from brain_cli.vault.atomic_write import hash_of, read_note, remove_empty_folders
from brain_cli.vault.change_journal import DONE, ChangeSet, FileChange, state_of
from brain_cli.vault.dates import iso


class Undone(NamedTuple):
    """A note that was put back: a line about it, its path, and where it was before it was moved
    back.
    """

    did: str
    path: str
    before: str = ""


def command(
    options: CommonOptions,
    number: Annotated[
        int | None, argument("[NUMBER]", "A change of the list; default: the last of your own.")
    ] = None,
    listed: Annotated[
        bool, flag("--list", "List the changes that can be undone, newest first; undo nothing.")
    ] = False,
    archived: Annotated[
        bool, flag("--archived", "Undo only what archived notes.", hidden=True)
    ] = False,
) -> int:
    """Undo your last change of notes: archive, restore, forget, pin, snooze, add, feedback, mv,
    sleep or import.

    A note that changed since stays as it is. What a hook captured or an agent changed is undone by
    its number.

    Examples:
      brain undo
      brain undo --list
    """
    if listed and number is not None:
        raise UsageError("Name a number, or --list.", "See `brain undo --help`.")
    return (
        _list(options)
        if listed
        else _undo_change(options, number, ("archive", "review", "sleep") * archived)
    )


def _undo_change(options: CommonOptions, number: int | None, commands: Collection[str]) -> int:
    """Undo one change: the one with this number, else the user's last, of one of these commands if
    some are given.
    """
    workspace = options.open_workspace()
    with editing(workspace) as recovered:
        done = recovered.change_set
        if recovered.completed and done.undoes >= 0 and number in (None, done.undoes):
            # A killed `brain undo` was repeated.
            _report(options, done.undoes, done, _undone_by(done), [])
            return OK
        # What a hook or an agent has changed is undone by its number alone.
        changes = journal_of(workspace).changes()
        if commands:
            changes = (each for each in changes if each[1].command in commands)
        wanted = (
            each
            for each in changes
            if (each[0] == number if number is not None else each[1].is_own)
        )
        found = next(wanted, None)
        if found is None:
            what = "nothing" if number is None else f"no change {number}"
            raise BrainError(f"There is {what} to undo.", "See brain undo --list.")
        undone, left = _undo(workspace, *found)
    _report(options, *found, undone, left)
    return OK


def _undo(
    workspace: Workspace, number: int, change_set: ChangeSet
) -> tuple[list[Undone], list[str]]:
    """Undo a change and forget it; return the notes put back and those that stay. BrainError if all
    stay.
    """
    undone = [
        *_changes_undone(workspace, number, change_set),
        *_feedback_undone(workspace, change_set),
    ]
    done = {each.before or each.path for each in undone}
    left = [path for path in change_set.notes if path not in done]
    if not undone and change_set.notes:
        raise BrainError(
            f"Nothing was undone, because {_why(change_set, left)}.", "See brain undo --list."
        )
    journal_of(workspace).forget(number)
    return undone, left


def _changes_undone(workspace: Workspace, number: int, change_set: ChangeSet) -> list[Undone]:
    """Restore the bytes of the notes; if some have changed since a move, move back those that can
    be, with links.
    """
    vault = workspace.vault
    same = tuple(each for each in change_set.changes if state_of(vault, each) == DONE)
    moves = [change for change in change_set.changes if change.moves]
    if moves and len(same) < len(change_set.changes):
        back = {change.new_path: change.path for change in moves if _can_return(workspace, change)}
        moved = change_notes(workspace, "undo", moves=back, undoes=number) if back else []
        undone = [
            Undone(f"restored {each.before} as {each.after}", each.after, each.before)
            for each in moved
        ]
    else:
        new = [
            path
            for path, content_hash in change_set.created
            if _hash_at(vault, path) == content_hash
        ]
        reverse = (
            change_set._replace(changes=same)
            .reversed("undo", undoes=number)
            ._replace(
                trashed=reserved_in_trash(workspace, new),
                restored=tuple(each for each in change_set.trashed if _is_in_trash(vault, *each)),
            )
        )
        undone = _undone_by(reverse)
        if undone:
            make_change(workspace, reverse)
    remove_empty_folders(vault, change_set.folders)
    return undone


def _undone_by(reverse: ChangeSet) -> list[Undone]:
    """Return what a change that undoes another puts back: the moved notes, else those edited, new
    or forgotten.
    """
    changes = reverse.changes
    moved = [change for change in changes if change.moves]
    return [
        *(
            Undone(f"restored {each.path} as {each.new_path}", each.new_path, each.path)
            for each in moved
        ),
        *(Undone(f"{each.path} is as before", each.path) for each in (() if moved else changes)),
        *(Undone(f"moved {path} to the trash", path) for path, _, _ in reverse.trashed),
        *(Undone(f"restored {path} from the trash", path) for path, _, _ in reverse.restored),
    ]


def _feedback_undone(workspace: Workspace, change_set: ChangeSet) -> Iterator[Undone]:
    for path, verdict in change_set.rated:
        if _hash_at(workspace.vault, path):
            give_feedback(workspace, [path], Verdict(verdict), undo=True)
            yield Undone(f"{path}: no longer {verdict}", path)


def _is_in_trash(vault: str, path: str, content_hash: str, place: str) -> bool:
    return _hash_at(*os.path.split(place)) == content_hash and not os.path.lexists(
        os.path.join(vault, path)
    )


def _can_return(workspace: Workspace, change: FileChange) -> bool:
    old, new = (os.path.join(workspace.vault, path) for path in (change.path, change.new_path))
    return os.path.isfile(new) and not os.path.lexists(old)


def _hash_at(folder: str, path: str) -> str | None:
    """Return the hash of a note; None if a folder, a link or nothing is in its place."""
    try:
        return hash_of(read_note(folder, path))
    except (OSError, ValueError, BrainError):
        return None


def _report(
    options: CommonOptions,
    number: int,
    change_set: ChangeSet,
    undone: list[Undone],
    left: list[str],
) -> None:
    moved = [each for each in undone if each.before]
    document = {
        "command": change_set.command,
        "number": number,
        "undone": [each.path for each in undone],
        "restored": [{"path": each.path, "from": each.before} for each in moved],
        "left": left,
    }
    options.answer(document, (one_line(each.did) for each in undone))
    if left:
        say(f"Not all was undone, because {_why(change_set, left)}.")


def _why(change_set: ChangeSet, left: list[str]) -> str:
    is_one = len(left) == 1
    if change_set.trashed:
        return f"{some_of(left)} {'is' if is_one else 'are'} not in the trash any more, or another file has its place"
    return f"{some_of(left)} changed since `brain {change_set.command}`"


def _list(options: CommonOptions) -> int:
    found = list(journal_of(options.open_workspace()).changes())
    options.list_rows("changes", [_row(*each) for each in found])
    if not found:
        say("There is nothing to undo: brain has changed no note here.")
    return OK if found else NOTHING_FOUND


def _row(number: int, change_set: ChangeSet) -> Row:
    at = iso(change_set.at)
    by_hook = change_set.by_hook
    by_agent = change_set.by_agent
    author = " (by a hook)" if by_hook else " (by an agent)" if by_agent else ""
    line = f"{number:>4}  {at.replace('T', ' ')[:16]}  {change_set.command}{author}  {some_of(change_set.notes)}"
    document = {
        "number": number,
        "at": at,
        "command": change_set.command,
        "by_hook": by_hook,
        "by_agent": by_agent,
    }
    return Row(one_line(line), {**document, "notes": change_set.notes})
