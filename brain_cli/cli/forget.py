"""`brain forget`: move a note to the trash of the desktop."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

import typer

from brain_cli.cli._moving import editing
from brain_cli.cli._note import explained, note_named, opened
from brain_cli.cli._options import NoteArgument
from brain_cli.cli._output import confirmed, say
from brain_cli.cli._workspace import CommonOptions
from brain_cli.errors import FAILED, OK, BrainError
from brain_cli.types import NoteMetadata

# A note of at least this salience is forgotten only with --force.
HIGH_SALIENCE = 0.7


def command(
    options: CommonOptions,
    note: NoteArgument,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Allow a pinned note, or one of high salience.")] = False,
) -> int:
    """Move a note to the trash.

    Examples:
      brain forget slow-order-search --yes
    """
    return run(options, note, yes=yes, force=force)


def run(options: CommonOptions, argument: str, *, yes: bool, force: bool) -> int:
    """Ask, then move the note's file to the trash."""
    from brain_cli.vault.trash import home_trash, move_to_trash

    workspace = options.open_workspace()
    # The lock is released while the user decides.
    with editing(workspace) as completed:
        path = note_named(workspace, completed.get(argument, argument))
        metadata = opened(workspace, path).metadata
    if not force:
        _refuse_important_note(metadata)
    question = f"Move {metadata.path} “{metadata.title}” to the trash?"
    if not yes and not confirmed(question, "Forgetting a note needs a confirmation, and there is no terminal to ask."):
        say("Nothing was moved.")
        return FAILED
    with editing(workspace), explained(path):
        trash_path = move_to_trash(workspace.vault, path, home_trash(os.environ), workspace.now)
    options.report(
        f"forgot {path}",
        {"path": path, "title": metadata.title, "trash": trash_path, "changed": True},
        shlex.join(["mv", trash_path, os.path.join(workspace.vault, path)]),
    )
    return OK


def _refuse_important_note(metadata: NoteMetadata) -> None:
    if metadata.pinned:
        raise BrainError(f"{metadata.path} is pinned, so it is not forgotten.", "Unpin it first, or say --force.")
    if metadata.salience >= HIGH_SALIENCE:
        raise BrainError(
            f"{metadata.path} has a salience of {metadata.salience:g}, so it is not forgotten.",
            "Archive it instead, or say --force.",
        )
