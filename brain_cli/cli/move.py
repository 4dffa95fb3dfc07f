"""`brain archive`, `restore`, `mv` and `forget`: move notes, with all links to them; none is
deleted but by `forget --purge`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated

from brain_cli.cli.common import CommonOptions, Outcome, by_place, followed, report
from brain_cli.cli.mark import setting
from brain_cli.cli.options import (
    ArchivedNotesArgument,
    NoteArgument,
    NotesArgument,
    YesOption,
    argument,
    flag,
)
from brain_cli.errors import FAILED, OK, BrainError
from brain_cli.library.edit import (
    Moved,
    change_notes,
    editing,
    file_of_note,
    folder_named,
    journal_of,
    make_change,
    note_at,
    notes_named,
)
from brain_cli.library.note import opened
from brain_cli.library.purge import notes_to_purge, purge
from brain_cli.library.vault import Vault
from brain_cli.printable import some_of
from brain_cli.streams import confirmed, say
from brain_cli.types import NoteMetadata
from brain_cli.vault.change_journal import ChangeSet
from brain_cli.vault.edit import without_property
from brain_cli.vault.note import archive_folder

STATUS = "status"
ARCHIVED = "archived"
# A note of at least this salience is forgotten only with --force.
HIGH_SALIENCE = 0.7
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
    """Archive notes, or restore them; leave alone those that are so already."""
    shared, mine = by_place(options, arguments)
    done, back = ("archived", "restore") if archived else ("restored", "archive")

    def outcome(did: str, undo: str, path: str, *, changed: bool, **more: object) -> Outcome:
        document = {"path": path, "archived": archived, "changed": changed, **more}
        as_is = f"{path} is {'archived already' if archived else 'not archived'}"
        return Outcome(did, document, undo) if changed else Outcome(as_is, document)

    outcomes = []
    for path, changed in (each.archive(archived=archived) for each in shared):
        again = options.again(back, path)
        outcomes.append(outcome(f"{done} {path}", again, path, changed=changed))
    if not mine:
        return report(options, outcomes)
    vault = options.open_vault()
    undo = options.again("undo")
    with editing(vault) as completed:
        found = [opened(vault, path).metadata for path in notes_named(vault, mine, completed)]
        moved = (
            archive_notes(vault, found, by_status=by_status)
            if archived
            else restore_notes(vault, found)
        )
    for each in found:
        path = each.path
        if to := moved.get(path):
            did = f"{done} {path} as {to.after}{followed(to.relinked)}"
            more: dict[str, object] = {"from": path, "relinked": to.relinked}
            outcomes.append(outcome(did, undo, to.after, changed=True, **more))
        else:
            did = f"{done} {path}{' by its status' * archived}"
            outcomes.append(outcome(did, undo, path, changed=each.archived != archived))
    return report(options, outcomes)


def archive_notes(
    vault: Vault, notes: Iterable[NoteMetadata], *, by_status: bool = False
) -> Mapping[str, Moved]:
    """Archive those of some notes that are not; return the moved ones by their former paths."""
    active = [metadata.path for metadata in notes if not metadata.archived]
    edits = dict.fromkeys(active, setting(STATUS, ARCHIVED)) if by_status else {}
    moves = {} if by_status else {path: path_in_archive(vault, path) for path in active}
    return {each.before: each for each in change_notes(vault, "archive", edits, moves)}


def restore_notes(vault: Vault, notes: Iterable[NoteMetadata]) -> Mapping[str, Moved]:
    """Restore those of some notes that are archived; return the moved ones by their
    former paths.
    """
    edits = {each.path: partial(_unmarked, each) for each in notes if each.archived}
    folders = {path: archive_folder(path, vault.config.archive_folders) for path in edits}
    homes = {
        path: path.removeprefix(f"{folder}/") for path, folder in folders.items() if folder
    }
    return {each.before: each for each in change_notes(vault, "restore", edits, homes)}


def _unmarked(metadata: NoteMetadata, raw: bytes) -> bytes:
    status = metadata.properties.get(STATUS)
    if isinstance(status, str) and status.lower() == ARCHIVED:
        raw = without_property(raw, STATUS)
    return without_property(raw, ARCHIVED) if ARCHIVED in metadata.properties else raw


def path_in_archive(vault: Vault, path: str) -> str:
    """Return the path of a note in the archive: in a folder like its own, of the first configured
    one that exists, as it is spelled there: `Archive` for `archive`.
    """
    folders = vault.config.archive_folders or ("archive",)
    for folder in folders:
        above, name = os.path.split(folder)
        with (
            contextlib.suppress(OSError),
            os.scandir(os.path.join(vault.folder, above)) as entries,
        ):
            names = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
            alike = [each for each in names if each.lower() == name.lower()]
            if alike:
                spelled = name if name in alike else min(alike)
                return os.path.join(above, spelled, path)
    return f"{folders[0]}/{path}"


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
    vault = options.open_vault()
    with editing(vault) as completed:
        [path] = notes_named(vault, [note], completed)
        target = new_path(vault, path, new)
        if target == path:
            options.report(f"{path} is there already", {"path": path, "changed": False})
            return OK
        [moved] = change_notes(vault, "mv", moves={path: target})
    document = {"path": target, "from": path, "changed": True, "relinked": moved.relinked}
    did = f"moved {path} to {target}{followed(moved.relinked)}"
    options.report(did, document, options.again("undo"))
    return OK


def new_path(vault: Vault, path: str, new: str) -> str:
    """Return the new path: in a folder that exists or ends in a slash, at a path in the vault, or
    beside the note.
    """
    name = os.path.basename(path)
    named = folder_named(vault, new)
    if not named or new.endswith("/") or os.path.isdir(os.path.join(vault.folder, named)):
        return os.path.join(named, name)
    named = file_of_note(named, os.path.splitext(name)[1])
    return named if "/" in new else os.path.join(os.path.dirname(path), named)


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
    vault = options.open_vault()
    # The lock is released while the user decides.
    with editing(vault) as completed:
        paths = (
            notes_to_purge(vault, notes) if purging else notes_named(vault, notes, completed)
        )
        here = [path for path in paths if os.path.lexists(os.path.join(vault.folder, path))]
        found = {path: opened(vault, path).metadata for path in here}
    for each in () if force else found.values():
        if each.pinned:
            raise BrainError(
                f"{each.path} is pinned, so it is not forgotten.",
                "Unpin it first, or say --force.",
            )
        if each.salience >= HIGH_SALIENCE:
            raise BrainError(
                f"{each.path} has a salience of {each.salience:g}, so it is not forgotten.",
                "Archive it instead, or say --force.",
            )
    what = some_of([f"{path} “{each.title}”" for path, each in found.items()] or paths)
    question = PURGE if purging else "Move {} to the trash?"
    why_yes = "Forgetting a note needs a confirmation, and there is no terminal to ask."
    if not yes and not confirmed(question.format(what), why_yes):
        say("Nothing was changed.")
        return FAILED
    with editing(vault):
        if purging:
            purge(vault, paths)
            gone = {"purged": True, "changed": True}
            return report(
                options, [Outcome(f"purged {path}", {"path": path, **gone}) for path in paths]
            )
        changes = [note_at(vault, path)._replace(after=None) for path in paths]
        make_change(vault, ChangeSet("forget", tuple(changes), vault.now))
    trash = journal_of(vault).trash
    outcomes = []
    for change in changes:
        path = change.path
        place = trash.copies(os.path.join(vault.folder, path), change.before)
        title = found[path].title
        document = {
            "path": path,
            "title": title,
            "trash": next(iter(place), None),
            "changed": True,
        }
        outcomes.append(Outcome(f"forgot {path}", document, options.again("undo")))
    return report(options, outcomes)
