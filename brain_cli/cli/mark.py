"""`brain pin`, `unpin`, `snooze` and `feedback`: what you say of notes, in their frontmatter or in
the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

from brain_cli.cli.common import CommonOptions, Outcome, report
from brain_cli.cli.options import NotesArgument, argument, flag
from brain_cli.errors import UsageError
from brain_cli.history.log import USEFUL, WRONG
from brain_cli.library.verbs import snooze as snoozed
from brain_cli.search.dates import time_ahead
from brain_cli.vault.clock import Clock, local_iso

OFF = "off"
HINT = (
    "Write a date (2026-12-01), a time from now (3d, 2w, 3 months), tomorrow, or next week; "
    "off ends it."
)


class Verdict(StrEnum):
    """The verdicts on a note."""

    USEFUL = USEFUL
    WRONG = WRONG


def pin(options: CommonOptions, notes: NotesArgument) -> int:
    """Keep notes from fading: `pinned: true` in their frontmatter.

    Examples:
      brain pin grpc
    """
    return _pin(options, notes, pinned=True)


def unpin(options: CommonOptions, notes: NotesArgument) -> int:
    """Let notes fade again: take `pinned` out of their frontmatter.

    Examples:
      brain unpin grpc
    """
    return _pin(options, notes, pinned=False)


def _pin(options: CommonOptions, arguments: Sequence[str], *, pinned: bool) -> int:
    """Pin or unpin notes, and report what that has changed."""
    done, back = ("pinned", "unpin") if pinned else ("unpinned", "pin")
    outcomes = []
    for each in options.open_any_vault().pin(arguments, pinned=pinned):
        path = each.path
        as_is = f"{path} is {'pinned already' if pinned else 'not pinned'}"
        document = {"path": path, "pinned": pinned, "changed": each.changed}
        undo = options.again(back, path) if each.changed else ""
        outcomes.append(Outcome(f"{done} {path}" if each.changed else as_is, document, undo))
    return report(options, outcomes)


def snooze(
    options: CommonOptions,
    notes: NotesArgument,
    until: Annotated[
        str, argument("UNTIL", "A date, tomorrow, or a time from now such as 2w; off ends it.")
    ],
) -> int:
    """Leave notes out of recall until a date: `snoozed: DATE` in their frontmatter.

    Examples:
      brain snooze grpc 2w
      brain snooze grpc 2027-01-01
      brain snooze grpc off
    """
    vault = options.open_vault()
    wakes = None if until == OFF else _end_of_snooze(until, vault.clock)
    outcomes = []
    for path in snoozed(vault, notes, wakes):
        did = f"snoozed {path} until {wakes[:10]}" if wakes else f"{path} is awake"
        outcomes.append(Outcome(did, {"path": path, "until": wakes}, options.again("undo")))
    return report(options, outcomes)


def _end_of_snooze(until: str, clock: Clock) -> str:
    """Return the end of a snooze as it is written; UsageError if it is not in the future."""
    try:
        wakes = time_ahead(until, clock)
    except UsageError:
        raise UsageError(f"“{until}” is not a date.", HINT) from None
    if wakes <= clock.local:
        raise UsageError(f"“{until}” is not in the future.", HINT)
    return local_iso(clock.moment(wakes), clock.zone)


def feedback(
    options: CommonOptions,
    notes: NotesArgument,
    verdict: Annotated[Verdict, argument("useful|wrong", "Your judgement of the note.")],
    undo: Annotated[bool, flag("--undo", "Take back the last such rating.")] = False,
) -> int:
    """Rate notes as useful or wrong; formulas with a confidence then trust it more or less.

    Examples:
      brain feedback grpc useful
      brain feedback grpc useful --undo
    """
    outcomes = []
    for path in options.open_any_vault().rate(notes, verdict.value, given=not undo):
        again = options.again("feedback", path, verdict.value, *([] if undo else ["--undo"]))
        document = {"path": path, "feedback": verdict.value, "undone": undo}
        outcomes.append(
            Outcome(f"{path}: {'no longer ' * undo}{verdict.value}", document, again)
        )
    return report(options, outcomes)
