"""`brain restore --last`: undo the last run of archive or sleep, for all of its notes together."""

from __future__ import annotations

import os

from brain_cli.cli._archive import archive_folder
from brain_cli.cli._moving import Moved, editing, journal_of, make_change, move_notes
from brain_cli.cli._output import say, write_json, write_lines
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK, BrainError
from brain_cli.printable import one_line
from brain_cli.vault.change_journal import DONE, ChangeSet, remove_empty_folders, state_of


def undo_last(options: CommonOptions) -> int:
    """Move every note of the last run back to its former path, with all links."""
    workspace = options.open_workspace()
    with editing(workspace):
        journal = journal_of(workspace)
        last = journal.last()
        if last is None:
            raise BrainError("There is nothing to undo.", "Name a note of the archive: brain restore NOTE.")
        restored = _undo(workspace, last)
        journal.forget_last()
        for moved in restored:
            folder = archive_folder(workspace, moved.before) or ""
            remove_empty_folders(workspace.vault, os.path.dirname(moved.before), folder)
    _report(options, last, restored)
    return OK


def _undo(workspace: Workspace, last: ChangeSet) -> list[Moved]:
    """Restore the bytes of every file; if some have changed since, move the notes and update the links instead."""
    if all(state_of(workspace.vault, change) == DONE for change in last.changes):
        return make_change(workspace, last.reversed("restore"), can_be_undone=False)
    back = {change.new_path: change.path for change in last.changes if change.moves and _can_return(workspace, change)}
    return move_notes(workspace, "restore", back, can_be_undone=False) if back else []


def _can_return(workspace: Workspace, change: tuple[object, ...]) -> bool:
    old, new = (os.path.join(workspace.vault, str(path)) for path in change[:2])
    return os.path.isfile(new) and not os.path.lexists(old)


def _report(options: CommonOptions, last: ChangeSet, restored: list[Moved]) -> None:
    if options.json:
        notes = [{"path": moved.after, "from": moved.before} for moved in restored]
        write_json({"command": last.command, "restored": notes})
    else:
        write_lines(one_line(f"restored {moved.before} as {moved.after}") for moved in restored)
    missing = sum(change.moves for change in last.changes) - len(restored)
    if missing:
        say(f"{missing} of the notes are no longer where `brain {last.command}` put them, so they stay.")
    for moved in restored[:1] if len(restored) == 1 else []:
        say(f"To undo: {options.again('archive', moved.after)}")
