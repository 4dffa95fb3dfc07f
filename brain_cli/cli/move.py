"""`brain archive`, `restore`, `mv` and `forget`: move notes, with all links to them; none is
deleted but by `forget --purge`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from brain_cli.cli.common import CommonOptions, Outcome, followed, report
from brain_cli.cli.options import (
    ArchivedNotesArgument,
    NoteArgument,
    NotesArgument,
    YesOption,
    argument,
    flag,
)
from brain_cli.errors import FAILED, OK
from brain_cli.library.verbs import forget as forgotten
from brain_cli.library.verbs import move
from brain_cli.printable import some_of
from brain_cli.streams import confirmed, say

WHY_YES = "Forgetting a note needs a confirmation, and there is no terminal to ask."
PURGE = "Remove {} for good, from the vault, trash, history and journal? This cannot be undone."


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
    done, back = ("archived", "restore") if archived else ("restored", "archive")
    vault = options.open_any_vault()
    outcomes = []
    for each in vault.archive(arguments, archived=archived, by_status=by_status):
        path = each.path
        document = {"path": path, "archived": archived, "changed": each.changed}
        if not each.changed:
            as_is = f"{path} is {'archived already' if archived else 'not archived'}"
            outcomes.append(Outcome(as_is, document))
            continue
        if each.before:
            did = f"{done} {each.before} as {path}{followed(each.relinked)}"
            document |= {"from": each.before, "relinked": each.relinked}
        else:
            by = " by its status" * (archived and not each.is_shared)
            did = f"{done} {path}{by}"
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
    moved = move(options.open_vault(), note, new)
    path = moved.path
    if not moved.changed:
        options.report(f"{path} is there already", {"path": path, "changed": False})
        return OK
    document = {
        "path": path,
        "from": moved.before,
        "changed": True,
        "relinked": moved.relinked,
    }
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

    gone = forgotten(options.open_vault(), notes, is_confirmed, force=force, purging=purging)
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
