"""Record feedback on a note: that it was useful, or wrong."""

from __future__ import annotations

from enum import StrEnum

from brain_cli.cli._history import mention
from brain_cli.cli._note import opened
from brain_cli.cli._workspace import Workspace
from brain_cli.memory.events import FEEDBACK, FEEDBACK_UNDONE, USEFUL, WRONG, Event


class Verdict(StrEnum):
    """The verdicts on a note."""

    USEFUL = USEFUL
    WRONG = WRONG


def give_feedback(workspace: Workspace, path: str, verdict: Verdict, *, undo: bool = False) -> None:
    """Record a verdict on a note in the history, or undo one."""
    found = opened(workspace, path)
    event = FEEDBACK_UNDONE if undo else FEEDBACK
    workspace.record([Event(workspace.now, event, [mention(found.raw, found.metadata)], verdict.value)])
