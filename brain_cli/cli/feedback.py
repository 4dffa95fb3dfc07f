"""`brain feedback`: rate a note as useful or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from brain_cli.cli._edit import Outcome, can_be_undone, notes_named, report
from brain_cli.cli._note import by_place, opened
from brain_cli.cli._options import NotesArgument
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session, mention, note_history_of
from brain_cli.errors import OK, BrainError
from brain_cli.history.log import FEEDBACK, FEEDBACK_UNDONE, USEFUL, WRONG, Event
from brain_cli.index.snapshot import Snapshot
from brain_cli.types import Usage


class Verdict(StrEnum):
    """The verdicts on a note."""

    USEFUL = USEFUL
    WRONG = WRONG


def command(
    options: CommonOptions,
    notes: NotesArgument,
    verdict: Annotated[Verdict, typer.Argument(metavar="useful|wrong", help="Your judgement of the note.")],
    undo: Annotated[bool, typer.Option("--undo", help="Take back the last such rating.")] = False,
) -> int:
    """Rate notes as useful or wrong; formulas with a confidence then trust it more or less.

    Examples:
      brain feedback grpc useful
      brain feedback grpc useful --undo
    """
    outcomes = []
    for path in _recorded(options, notes, verdict, undo=undo):
        again = options.again("feedback", path, verdict.value, *([] if undo else ["--undo"]))
        did = f"{path}: {'no longer ' * undo}{verdict.value}"
        outcomes.append(Outcome(did, {"path": path, "feedback": verdict.value, "undone": undo}, again))
    report(options, outcomes)
    return OK


def _recorded(options: CommonOptions, notes: Sequence[str], verdict: Verdict, *, undo: bool) -> Iterator[str]:
    """Record the verdict in the history of the notes' vault, or where else each is; yield the notes' paths."""
    elsewhere, mine = by_place(options, notes)
    yield from (each.record(FEEDBACK_UNDONE if undo else FEEDBACK, verdict.value) for each in elsewhere)
    if not mine:
        return
    workspace = options.open_workspace()
    paths = notes_named(workspace, mine)
    for path in paths:
        if undo and not _was_given(workspace, path, verdict):
            raise BrainError(f"No feedback says that {path} is {verdict.value}, so there is none to take back.")
    give_feedback(workspace, paths, verdict, undo=undo)
    yield from paths


def _was_given(workspace: Workspace, path: str, verdict: Verdict) -> bool:
    """Return whether the history has such feedback on a note that was not taken back."""

    def count(snapshot: Snapshot) -> int:
        note_id = snapshot.note_table.ids.get(path)
        usage = Usage() if note_id is None else note_history_of(workspace, snapshot).usage(note_id)
        return usage.useful if verdict is Verdict.USEFUL else usage.wrong

    return index_session(workspace).ask(count) > 0


def give_feedback(workspace: Workspace, paths: Sequence[str], verdict: Verdict, *, undo: bool = False) -> None:
    """Record a verdict on notes in the history, or undo one."""
    found = [opened(workspace, path) for path in paths]
    event = FEEDBACK_UNDONE if undo else FEEDBACK
    workspace.record([Event(workspace.now, event, [mention(each.raw, each.metadata)], verdict.value) for each in found])
    if not undo:
        from brain_cli.vault.change_journal import ChangeSet

        rated = tuple((path, verdict.value) for path in paths)
        can_be_undone(workspace, ChangeSet("feedback", at=workspace.now, rated=rated))
