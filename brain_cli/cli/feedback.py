"""`brain feedback`: say that a note was useful, or that it was wrong."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from brain_cli.cli._history import mention
from brain_cli.cli._note import note_named, opened
from brain_cli.cli._options import JsonOption, NoteArgument, NowOption, VaultOption
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK
from brain_cli.memory.events import FEEDBACK, FEEDBACK_UNDONE, USEFUL, WRONG, Event


class Verdict(StrEnum):
    """The verdicts on a note."""

    USEFUL = USEFUL
    WRONG = WRONG


def command(
    note: NoteArgument,
    verdict: Annotated[Verdict, typer.Argument(metavar="useful|wrong")],
    undo: Annotated[bool, typer.Option("--undo", help="Take the last such feedback back.")] = False,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Say that a note was useful, or wrong: formulas that know confidence trust it more, or less."""
    options = CommonOptions(vault, now, json)
    workspace = options.open_workspace()
    path = note_named(workspace, note)
    give_feedback(workspace, path, verdict, undo=undo)
    options.report(
        f"{path}: {'no longer ' * undo}{verdict.value}",
        {"path": path, "feedback": verdict.value, "undone": undo},
        options.again("feedback", path, verdict.value, *([] if undo else ["--undo"])),
    )
    return OK


def give_feedback(workspace: Workspace, path: str, verdict: Verdict, *, undo: bool = False) -> None:
    """Record a verdict on a note in the history, or take one back."""
    found = opened(workspace, path)
    workspace.record(
        [
            Event(
                workspace.now,
                FEEDBACK_UNDONE if undo else FEEDBACK,
                [mention(found.raw, found.metadata)],
                verdict.value,
            )
        ],
    )
