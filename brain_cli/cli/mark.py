"""`brain pin`, `unpin`, `snooze` and `feedback`: what you say of notes, in their frontmatter or in
the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from brain_cli.cli.common import CommonOptions, Outcome, by_place, report
from brain_cli.cli.options import NotesArgument, argument, flag
from brain_cli.errors import BrainError, UsageError
from brain_cli.history.log import FEEDBACK, FEEDBACK_UNDONE, USEFUL, WRONG
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.edit import change_notes, editing, make_change, notes_named
from brain_cli.library.note import opened
from brain_cli.library.recalling import note_history_of
from brain_cli.library.vault import Vault
from brain_cli.search.dates import time_ahead
from brain_cli.vault.change_journal import ChangeSet, Rating
from brain_cli.vault.clock import Clock, local_iso
from brain_cli.vault.edit import with_property, without_property

if TYPE_CHECKING:
    from brain_cli.vault.move import ByteEdit

PINNED = "pinned"
SNOOZED = "snoozed"
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
    """Pin or unpin notes where they are, and report what that has changed."""
    shared, mine = by_place(options, arguments)
    changed = dict(each.pin(pinned=pinned) for each in shared)
    verb, done, back = ("pin", "pinned", "unpin") if pinned else ("unpin", "unpinned", "pin")
    if mine:
        vault = options.open_vault()
        with editing(vault) as completed:
            paths = notes_named(vault, mine, completed)
            own = {path: opened(vault, path).metadata.pinned != pinned for path in paths}
            edit = setting(PINNED, pinned)
            change_notes(vault, verb, {path: edit for path in paths if own[path]})
        changed |= own
    outcomes = []
    for path, changes in changed.items():
        as_is = f"{path} is {'pinned already' if pinned else 'not pinned'}"
        document = {"path": path, "pinned": pinned, "changed": changes}
        undo = options.again(back, path) if changes else ""
        outcomes.append(Outcome(f"{done} {path}" if changes else as_is, document, undo))
    return report(options, outcomes)


def setting(key: str, value: str | bool | None) -> ByteEdit:
    """Return the edit that sets a key of the frontmatter, or without a value removes it, and
    changes no other byte.
    """
    return lambda raw: with_property(raw, key, value) if value else without_property(raw, key)


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
    with editing(vault) as completed:
        paths = notes_named(vault, notes, completed)
        change_notes(vault, "snooze", dict.fromkeys(paths, setting(SNOOZED, wakes)))
    outcomes = []
    for path in paths:
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
    shared, mine = by_place(options, notes)
    event = FEEDBACK_UNDONE if undo else FEEDBACK
    paths = [each.record(event, verdict.value) for each in shared]
    if mine:
        vault = options.open_vault()
        with editing(vault) as completed:
            own = notes_named(vault, mine, completed)
            for path in own:
                if undo and not _was_given(vault, path, verdict):
                    raise BrainError(
                        f"No feedback says that {path} is {verdict.value}, so there is none to "
                        "take back."
                    )
            rate(vault, own, verdict, given=not undo)
        paths += own
    outcomes = []
    for path in paths:
        again = options.again("feedback", path, verdict.value, *([] if undo else ["--undo"]))
        document = {"path": path, "feedback": verdict.value, "undone": undo}
        outcomes.append(
            Outcome(f"{path}: {'no longer ' * undo}{verdict.value}", document, again)
        )
    return report(options, outcomes)


def _was_given(vault: Vault, path: str, verdict: Verdict) -> bool:
    """Return whether the history has such feedback on a note that was not taken back."""

    def count(snapshot: Snapshot) -> int:
        note_id = snapshot.note_table.ids.get(path, -1)
        usage = note_history_of(vault, snapshot).usage(note_id)
        return usage.useful if verdict is Verdict.USEFUL else usage.wrong

    return vault.ask(count) > 0


def rate(vault: Vault, paths: Sequence[str], verdict: Verdict, *, given: bool = True) -> None:
    """Record a verdict on notes in the history, or take one back; the caller holds the lock."""
    rated = tuple(Rating(path, verdict.value, given) for path in paths)
    make_change(vault, ChangeSet("feedback", at=vault.now, rated=rated))
