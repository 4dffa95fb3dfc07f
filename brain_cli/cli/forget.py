"""`brain forget`: move notes to the trash of the desktop."""

from __future__ import annotations

from typing import Annotated

import typer

from brain_cli.cli._edit import Outcome, editing, make_change, notes_named, report, reserved_in_trash
from brain_cli.cli._note import opened
from brain_cli.cli._options import NotesArgument, YesOption
from brain_cli.cli._output import confirmed, say
from brain_cli.cli._workspace import CommonOptions
from brain_cli.errors import FAILED, OK, BrainError
from brain_cli.printable import some_of
from brain_cli.types import NoteMetadata
from brain_cli.vault.change_journal import ChangeSet

# A note of at least this salience is forgotten only with --force.
HIGH_SALIENCE = 0.7


def command(
    options: CommonOptions,
    notes: NotesArgument,
    yes: YesOption = False,
    force: Annotated[bool, typer.Option("--force", help="Allow a pinned note, or one of high salience.")] = False,
) -> int:
    """Move notes to the trash.

    Examples:
      brain forget slow-order-search --yes
    """
    workspace = options.open_workspace()
    # The lock is released while the user decides.
    with editing(workspace) as completed:
        found = [opened(workspace, path) for path in notes_named(workspace, notes, completed)]
    if not force:
        for note in found:
            _refuse_important_note(note.metadata)
    first = found[0].metadata
    what = f"{first.path} “{first.title}”" if len(found) == 1 else some_of([each.metadata.path for each in found])
    why_yes = "Forgetting a note needs a confirmation, and there is no terminal to ask."
    if not yes and not confirmed(f"Move {what} to the trash?", why_yes):
        say("Nothing was moved.")
        return FAILED
    with editing(workspace):
        trashed = reserved_in_trash(workspace, [each.metadata.path for each in found])
        make_change(workspace, ChangeSet("forget", at=workspace.now, trashed=trashed))
    outcomes = []
    for each, (path, _, place) in zip(found, trashed, strict=True):
        document = {"path": path, "title": each.metadata.title, "trash": place, "changed": True}
        outcomes.append(Outcome(f"forgot {path}", document, options.again("undo")))
    report(options, outcomes)
    return OK


def _refuse_important_note(metadata: NoteMetadata) -> None:
    if metadata.pinned:
        raise BrainError(f"{metadata.path} is pinned, so it is not forgotten.", "Unpin it first, or say --force.")
    if metadata.salience >= HIGH_SALIENCE:
        raise BrainError(
            f"{metadata.path} has a salience of {metadata.salience:g}, so it is not forgotten.",
            "Archive it instead, or say --force.",
        )
