"""Record feedback on a note: that it was useful, or wrong."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from brain_cli.cli._edit import can_be_undone
from brain_cli.cli._history import mention
from brain_cli.cli._note import opened
from brain_cli.cli._workspace import Workspace
from brain_cli.memory.events import FEEDBACK, FEEDBACK_UNDONE, USEFUL, WRONG, Event


class Verdict(StrEnum):
    """The verdicts on a note."""

    USEFUL = USEFUL
    WRONG = WRONG


def give_feedback(workspace: Workspace, paths: Sequence[str], verdict: Verdict, *, undo: bool = False) -> None:
    """Record a verdict on notes in the history, or undo one."""
    found = [opened(workspace, path) for path in paths]
    event = FEEDBACK_UNDONE if undo else FEEDBACK
    workspace.record([Event(workspace.now, event, [mention(each.raw, each.metadata)], verdict.value) for each in found])
    if not undo:
        from brain_cli.vault.change_journal import ChangeSet

        rated = tuple((path, verdict.value) for path in paths)
        can_be_undone(workspace, ChangeSet("feedback", at=workspace.now, rated=rated))
