"""`brain feedback`: tell a memory that it was useful, or that it was wrong."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from brain_cli.cli._history import mention, record
from brain_cli.cli._note import note_named, opened
from brain_cli.cli._options import JsonOption, NoteArgument, NowOption, VaultOption
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK
from brain_cli.memory.events import FEEDBACK, USEFUL, WRONG, Event


class Verdict(StrEnum):
    """What may be said of a note."""

    USEFUL = USEFUL
    WRONG = WRONG


def command(
    note: NoteArgument,
    verdict: Annotated[Verdict, typer.Argument(metavar="useful|wrong")],
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Say that a note was useful, or wrong: formulas that know confidence trust it more, or less."""
    options = CommonOptions(vault, now, json)
    workspace = options.open_workspace()
    path = note_named(workspace, note)
    give_feedback(workspace, path, verdict)
    options.report(f"{path}: {verdict.value}", {"path": path, "feedback": verdict.value})
    return OK


def give_feedback(workspace: Workspace, path: str, verdict: Verdict) -> None:
    """Say in the history what was found of a note."""
    found = opened(workspace, path)
    record(workspace, [Event(workspace.now, FEEDBACK, [mention(found.raw, found.metadata)], verdict.value)])
