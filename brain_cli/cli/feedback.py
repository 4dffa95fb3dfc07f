"""`brain feedback`: rate a note as useful or wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from brain_cli.cli._feedback import Verdict, give_feedback
from brain_cli.cli._history import note_history_of
from brain_cli.cli._note import memory_with, note_named
from brain_cli.cli._options import MemoryOption, NoteArgument
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session
from brain_cli.errors import OK, BrainError
from brain_cli.index.snapshot import Snapshot
from brain_cli.memory.events import FEEDBACK, FEEDBACK_UNDONE
from brain_cli.types import Usage


def command(
    options: CommonOptions,
    note: NoteArgument,
    verdict: Annotated[Verdict, typer.Argument(metavar="useful|wrong", help="Your judgement of the note.")],
    undo: Annotated[bool, typer.Option("--undo", help="Take back the last such rating.")] = False,
    memory: MemoryOption = None,
) -> int:
    """Rate a note as useful or wrong; formulas with a confidence then trust it more or less.

    Examples:
      brain feedback grpc useful
      brain feedback grpc useful --undo
    """
    path = _recorded(options, note, verdict, memory, undo=undo)
    options.report(
        f"{path}: {'no longer ' * undo}{verdict.value}",
        {"path": path, "feedback": verdict.value, "undone": undo},
        options.again("feedback", path, verdict.value, *([] if undo else ["--undo"]), memory=memory),
    )
    return OK


def _recorded(options: CommonOptions, note: str, verdict: Verdict, memory: str | None, *, undo: bool) -> str:
    """Record the verdict where the note is, in the vault or in the shared memory; return the note's path."""
    if shared := memory_with(options, note, memory):
        from brain_cli.cli._shared_notes import record_of_note

        return record_of_note(shared, note, FEEDBACK_UNDONE if undo else FEEDBACK, verdict.value)
    workspace = options.open_workspace()
    path = note_named(workspace, note)
    if undo and not _was_given(workspace, path, verdict):
        raise BrainError(f"No feedback says that {path} is {verdict.value}, so there is none to take back.")
    give_feedback(workspace, path, verdict, undo=undo)
    return path


def _was_given(workspace: Workspace, path: str, verdict: Verdict) -> bool:
    """Return whether the history has such feedback on a note that was not taken back."""

    def count(snapshot: Snapshot) -> int:
        note_id = snapshot.note_table.ids.get(path)
        usage = Usage() if note_id is None else note_history_of(workspace, snapshot).usage(note_id)
        return usage.useful if verdict is Verdict.USEFUL else usage.wrong

    return index_session(workspace).ask(count) > 0
