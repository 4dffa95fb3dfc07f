"""`brain undo`: undo what a command changed, from the journal, for the notes that did not change
since.
"""

import os
from collections.abc import Iterable
from typing import Annotated

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import argument, flag
from brain_cli.errors import NOTHING_FOUND, OK, BrainError
from brain_cli.library.edit import change_notes, editing, journal_of, make_change
from brain_cli.library.vault import Vault
from brain_cli.printable import one_line, some_of
from brain_cli.render.formats import Row
from brain_cli.streams import say
from brain_cli.vault.change_journal import AGENT, DONE, HOOK, ChangeSet, state_of
from brain_cli.vault.clock import iso, on_calendar

# The commands that take back others, on notes that changed since too.
OPPOSITES = {
    "pin": "unpin",
    "unpin": "pin",
    "archive": "restore",
    "snooze": "snooze",
}


def command(
    options: CommonOptions,
    number: Annotated[
        int | None,
        argument("[NUMBER]", "Number from --list, 1 is the newest; without, your last change."),
    ] = None,
    listed: Annotated[
        bool, flag("--list", "List the changes that can be undone, newest first; undo nothing.")
    ] = False,
) -> int:
    """Undo your last change of notes: archive, restore, forget, pin, snooze, add, feedback, mv,
    review or import.

    A note that changed since stays as it is. What a hook captured or an agent changed is undone by
    its number.

    Examples:
      brain undo
      brain undo --list
    """
    return _list(options) if listed else _undo_change(options, number)


def _undo_change(options: CommonOptions, number: int | None) -> int:
    """Undo one change: the one with this number in the list, else the user's last."""
    vault = options.open_vault()
    with editing(vault) as recovered:
        back = recovered.change_set
        if recovered.completed and back.undoes >= 0:
            # A killed `brain undo` was repeated.
            return _report(options, number, back, [])
        # What a hook or an agent has changed is undone by its number alone.
        changes = list(enumerate(journal_of(vault).changes(), start=1))
        found = [
            (place, key, change_set)
            for place, (key, change_set) in changes
            if place == number or (number is None and not change_set.author)
        ]
        if not found:
            what = "nothing" if number is None else f"no change {number}"
            raise BrainError(f"There is {what} to undo.", "See brain undo --list.")
        place, key, change_set = found[0]
        back = _undo(vault, key, change_set)
        if not back.notes and change_set.notes:
            raise BrainError(
                f"Nothing was undone, because {_why(change_set, change_set.notes)}.",
                _instead(options, vault, change_set, changes[place:]),
            )
    undone = {*back.reversed().notes}
    left = [path for path in change_set.notes if path not in undone]
    return _report(options, place, back, left)


def _undo(vault: Vault, key: int, change_set: ChangeSet) -> ChangeSet:
    """Undo what can be undone of a change, and forget it; return what that was.

    If notes have changed since a move, those that can be are moved back, with their links.
    """
    folder = vault.folder
    same = tuple(each for each in change_set.changes if state_of(folder, each) == DONE)
    rated = tuple(each for each in change_set.rated if _is_there(folder, each.path))
    back = change_set._replace(changes=same, rated=rated).reversed(undoes=key)
    if change_set.moves and len(same) < len(change_set.changes):
        moves = {new: old for old, new in change_set.moves if _can_return(folder, old, new)}
        change_notes(
            vault, change_set.command, moves=moves, undoes=key, folders=change_set.folders
        )
        back = back._replace(changes=(), moves=tuple(moves.items()))
    elif back.changes or back.rated:
        make_change(vault, back._replace(at=vault.now))
    return back


def _instead(
    options: CommonOptions,
    vault: Vault,
    change_set: ChangeSet,
    earlier: Iterable[tuple[int, tuple[int, ChangeSet]]],
) -> str:
    """Return a command that works in place of undoing a change: the opposite one, else to undo one
    of the changes before it.
    """
    is_new = bool(change_set.changes) and all(
        each.before is None for each in change_set.changes
    )
    opposite = "forget" if is_new else OPPOSITES.get(change_set.command)
    folder = vault.folder
    there = [note for note in change_set.notes if _is_there(folder, note)]
    if opposite and there and not change_set.moves:
        end = ["off"] if opposite == "snooze" else []
        return f"Instead: {options.again(opposite, *there, *end)}"
    for place, (_, each) in earlier:
        # Whether something of it can still be undone.
        moves = (_can_return(folder, old, new) for old, new in each.moves)
        changes = (state_of(folder, change) == DONE for change in each.changes)
        rated = (_is_there(folder, rating.path) for rating in each.rated)
        can_undo = any(moves) if each.moves else any((*changes, *rated))
        if can_undo and not each.author:
            return f"An earlier change: {options.again('undo', str(place))}"
    return "See brain undo --list."


def _is_there(vault: str, path: str) -> bool:
    return os.path.isfile(os.path.join(vault, path))


def _can_return(vault: str, old: str, new: str) -> bool:
    """Return whether a moved note is where it was moved to, and its old place is free."""
    return _is_there(vault, new) and not os.path.lexists(os.path.join(vault, old))


def _report(
    options: CommonOptions, number: int | None, back: ChangeSet, left: list[str]
) -> int:
    """Print what was undone by a change, and the notes that stay as they are."""
    undone = back.reversed()
    document = {
        "command": back.command,
        "number": number,
        "undone": back.notes,
        "restored": [{"path": new, "from": old} for old, new in back.moves],
        "left": left,
    }
    new = [each.path for each in back.changes if each.after is None and not back.moves]
    to_trash = " (now in the trash)" if new else ""
    options.answer(
        document, [one_line(f"undid: {back.command} {some_of(undone.names)}{to_trash}")]
    )
    if left:
        say(f"Not all was undone, because {_why(undone, left)}.")
    return OK


def _why(change_set: ChangeSet, left: list[str]) -> str:
    return f"{some_of(left)} changed since `brain {change_set.command}`"


def _list(options: CommonOptions) -> int:
    vault = options.open_vault()
    found = [change_set for _, change_set in journal_of(vault).changes()]
    rows = [_row(place, each, vault.zone) for place, each in enumerate(found, start=1)]
    options.list_rows("changes", rows, notes_of=vault)
    if not found:
        say("There is nothing to undo: brain has changed no note here.")
    return OK if found else NOTHING_FOUND


def _row(place: int, change_set: ChangeSet, zone: str) -> Row:
    when = iso(on_calendar(change_set.at, zone)).replace("T", " ")[:16]
    author = change_set.author
    by = f" (by {'an' if author == AGENT else 'a'} {author})" * bool(author)
    notes = change_set.notes
    at = iso(change_set.at)
    document = {
        "number": place,
        "at": at,
        "command": change_set.command,
        "by_hook": author == HOOK,
        "by_agent": author == AGENT,
        "date": at,
        "notes": notes,
    }
    return Row(
        one_line(f"{place:>4}  {when}  {change_set.command}{by}  {some_of(change_set.names)}"),
        document,
        path=next(iter(notes), ""),
        title=change_set.command,
        mark=f"{place}.",
        remark=f"{by} {when}{f', {len(notes)} notes' if len(notes) > 1 else ''}".strip(),
    )
