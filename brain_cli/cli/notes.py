"""`brain pin`, `unpin`, `snooze`, `feedback`, `archive`, `restore`, `mv` and `forget`: what you say
of notes, and where they are, with all links to them.

No note is deleted but by `forget --purge`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, NamedTuple

from brain_cli.cli.common import CommonOptions, followed
from brain_cli.cli.options import (
    ArchivedNotesArgument,
    NoteArgument,
    NotesArgument,
    YesOption,
    argument,
    flag,
)
from brain_cli.errors import FAILED, OK, UsageError
from brain_cli.history.log import USEFUL, WRONG
from brain_cli.library import verbs
from brain_cli.printable import one_line, some_of
from brain_cli.search.dates import time_ahead
from brain_cli.streams import confirmed, say
from brain_cli.vault.clock import Clock, local_iso

OFF = "off"
HINT = (
    "Write a date (2026-12-01), a time from now (3d, 2w, 3 months), tomorrow, or next week; "
    "off ends it."
)
WHY_YES = "Forgetting a note needs a confirmation, and there is no terminal to ask."
PURGE = "Remove {} for good, from the vault, trash, history and journal? This cannot be undone."


class Verdict(StrEnum):
    """The verdicts on a note."""

    USEFUL = USEFUL
    WRONG = WRONG


class Outcome(NamedTuple):
    """The outcome for one note: what was done, as a line and as JSON, and the command that undoes
    it, if any.
    """

    did: str
    document: Mapping[str, object]
    undo: str = ""


def report(options: CommonOptions, outcomes: Sequence[Outcome]) -> int:
    """Print what was done to one note, or to several; return the exit code."""
    if len(outcomes) == 1:
        options.report(*outcomes[0])
        return OK
    document = {"notes": [outcome.document for outcome in outcomes]}
    options.answer(document, (one_line(outcome.did) for outcome in outcomes))
    if any(outcome.undo for outcome in outcomes):
        say(f"To undo: {options.again('undo')}")
    return OK


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
    done, as_is, back = (
        ("pinned", "pinned already", "unpin") if pinned else ("unpinned", "not pinned", "pin")
    )
    outcomes = []
    for each in options.open_any_vault().pin(arguments, pinned=pinned):
        path = each.path
        did = f"{done} {path}" if each.changed else f"{path} is {as_is}"
        undo = options.again(back, path) if each.changed else ""
        document = {"path": path, "pinned": pinned, "changed": each.changed}
        outcomes.append(Outcome(did, document, undo))
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
    state = f"until {wakes[:10]}" if wakes else ""
    outcomes = [
        Outcome(
            f"snoozed {path} {state}" if wakes else f"{path} is awake",
            {"path": path, "until": wakes},
            options.again("undo"),
        )
        for path in verbs.snooze(vault, notes, wakes)
    ]
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
    back = [] if undo else ["--undo"]
    outcomes = [
        Outcome(
            f"{path}: {'no longer ' * undo}{verdict}",
            {"path": path, "feedback": verdict.value, "undone": undo},
            options.again("feedback", path, verdict, *back),
        )
        for path in options.open_any_vault().rate(notes, verdict, given=not undo)
    ]
    return report(options, outcomes)


def archive(
    options: CommonOptions,
    notes: NotesArgument,
    status: Annotated[
        bool, flag("--status", "Mark it with “status: archived”, and leave it where it is.")
    ] = False,
) -> int:
    """Take notes out of ordinary recall: move them to the archive folder, with all links to them.

    Examples:
      brain archive goals-2026
    """
    return archive_or_restore(options, notes, by_status=status)


def restore(options: CommonOptions, notes: ArchivedNotesArgument) -> int:
    """Bring notes back from the archive, to where they were before, with all links to them.

    Examples:
      brain restore soap-gateway
    """
    return archive_or_restore(options, notes, archived=False)


def archive_or_restore(
    options: CommonOptions,
    arguments: Sequence[str],
    *,
    archived: bool = True,
    by_status: bool = False,
) -> int:
    """Archive notes, or restore them, and report what that has changed."""
    done, as_is, back = (
        ("archived", "archived already", "restore")
        if archived
        else ("restored", "not archived", "archive")
    )
    vault = options.open_any_vault()
    outcomes = []
    for each in vault.archive(arguments, archived=archived, by_status=by_status):
        path = each.path
        document = {"path": path, "archived": archived, "changed": each.changed}
        if not each.changed:
            outcomes.append(Outcome(f"{path} is {as_is}", document))
            continue
        did = f"{done} {path}{' by its status' * (archived and not each.is_shared)}"
        if each.before:
            did = f"{done} {each.before} as {path}{followed(each.relinked)}"
            document |= {"from": each.before, "relinked": each.relinked}
        undo = [back, path] if each.is_shared else ["undo"]
        outcomes.append(Outcome(did, document, options.again(*undo)))
    return report(options, outcomes)


def mv(
    options: CommonOptions,
    note: NoteArgument,
    new: Annotated[
        str,
        argument(
            "NEW", "A new name in its folder, a path in the vault, or a folder to move it to."
        ),
    ],
) -> int:
    """Move or rename a note; all links still lead to it.

    Examples:
      brain mv grpc switch-to-grpc
      brain mv soap-gateway learnings/
    """
    moved = verbs.move(options.open_vault(), note, new)
    path = moved.path
    document: dict[str, object] = {"path": path, "changed": moved.changed}
    if not moved.changed:
        options.report(f"{path} is there already", document)
        return OK
    document |= {"from": moved.before, "relinked": moved.relinked}
    did = f"moved {moved.before} to {path}{followed(moved.relinked)}"
    options.report(did, document, options.again("undo"))
    return OK


def forget(
    options: CommonOptions,
    notes: NotesArgument,
    yes: YesOption = False,
    force: Annotated[
        bool, flag("--force", "Allow a pinned note, or one of high salience.")
    ] = False,
    purging: Annotated[
        bool,
        flag("--purge", "Remove it for good: from vault, trash, history, journal and index."),
    ] = False,
) -> int:
    """Move notes to the trash.

    Examples:
      brain forget slow-order-search --yes
      brain forget incidents/slow-order-search.md --purge --yes
    """

    def is_confirmed(named: list[str]) -> bool:
        question = PURGE if purging else "Move {} to the trash?"
        return yes or confirmed(question.format(some_of(named)), WHY_YES)

    vault = options.open_vault()
    gone = verbs.forget(vault, notes, is_confirmed, force=force, purging=purging)
    if not gone:
        say("Nothing was changed.")
        return FAILED
    undo = options.again("undo")
    outcomes = [
        Outcome(f"purged {each.path}", {"path": each.path, "purged": True, "changed": True})
        if purging
        else Outcome(f"forgot {each.path}", {**each._asdict(), "changed": True}, undo)
        for each in gone
    ]
    return report(options, outcomes)
