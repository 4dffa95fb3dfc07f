"""Pin, snooze, rate, archive, restore, move, extend and forget notes that are files of a vault."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.answer.links import Mentions
from brain_cli.errors import BrainError, UsageError
from brain_cli.extension import hooks
from brain_cli.history.log import USEFUL
from brain_cli.library.edit import (
    Changed,
    change_notes,
    editing,
    file_of_note,
    folder_named,
    journal_of,
    make_change,
    note_at,
    notes_named,
)
from brain_cli.library.names import note_named
from brain_cli.library.note import opened
from brain_cli.library.recalling import note_history_of
from brain_cli.vault.atomic_write import hash_of, remove_leftovers, sync_folder, writable_path
from brain_cli.vault.change_journal import ChangeSet, Rating, unchanged
from brain_cli.vault.clock import today
from brain_cli.vault.edit import with_property, without_property
from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.note import archive_folder

if TYPE_CHECKING:
    from brain_cli.index.snapshot import Snapshot
    from brain_cli.library.vault import Vault
    from brain_cli.types import NoteMetadata
    from brain_cli.vault.move import ByteEdit

PINNED = "pinned"
SNOOZED = "snoozed"
STATUS = "status"
ARCHIVED = "archived"
# A note of at least this salience is forgotten only by force.
HIGH_SALIENCE = 0.7


def setting(key: str, value: str | bool | None) -> ByteEdit:
    """Return the edit that sets a key of the frontmatter, or without a value removes it, and
    changes no other byte.
    """
    return lambda raw: with_property(raw, key, value) if value else without_property(raw, key)


def pin(vault: Vault, arguments: Iterable[str], *, pinned: bool) -> list[Changed]:
    """Pin notes by their frontmatter, or unpin them."""
    with editing(vault) as completed:
        paths = notes_named(vault, arguments, completed)
        changed = {path: opened(vault, path).metadata.pinned != pinned for path in paths}
        edits = {path: setting(PINNED, pinned) for path in paths if changed[path]}
        change_notes(vault, "pin" if pinned else "unpin", edits)
    return [Changed(path, changed=each) for path, each in changed.items()]


def snooze(vault: Vault, arguments: Iterable[str], until: str | None) -> list[str]:
    """Omit notes from recalls until a time, as it is written in their frontmatter; None ends that.
    Return their paths.
    """
    with editing(vault) as completed:
        paths = notes_named(vault, arguments, completed)
        change_notes(vault, "snooze", dict.fromkeys(paths, setting(SNOOZED, until)))
    return paths


def rate(vault: Vault, arguments: Iterable[str], verdict: str, *, given: bool) -> list[str]:
    """Record a verdict on notes in the history, or take back one that was given; return their
    paths.
    """
    with editing(vault) as completed:
        paths = notes_named(vault, arguments, completed)
        for path in paths:
            if not given and not vault.ask(partial(_has_verdict, vault, path, verdict)):
                raise BrainError(
                    f"No feedback says that {path} is {verdict}, so there is none to take back."
                )
        rated = tuple(Rating(path, verdict, given) for path in paths)
        make_change(vault, ChangeSet("feedback", at=vault.now, rated=rated))
    return paths


def _has_verdict(vault: Vault, path: str, verdict: str, snapshot: Snapshot) -> bool:
    """Return whether the history has such a verdict that was not taken back."""
    note_id = snapshot.note_table.ids.get(path, -1)
    usage = note_history_of(vault, snapshot).usage(note_id)
    return (usage.useful if verdict == USEFUL else usage.wrong) > 0


def archive(
    vault: Vault,
    arguments: Iterable[str],
    *,
    archived: bool,
    by_status: bool,
) -> list[Changed]:
    """Archive notes, or restore them; leave alone those that are so already."""
    with editing(vault) as completed:
        paths = notes_named(vault, arguments, completed)
        found = [opened(vault, path).metadata for path in paths]
        made = archive_notes(vault, found, archived=archived, by_status=by_status)
    moved = {each.before: each for each in made}
    return [
        moved.get(each.path) or Changed(each.path, changed=each.archived != archived)
        for each in found
    ]


def archive_notes(
    vault: Vault,
    notes: Iterable[NoteMetadata],
    *,
    archived: bool,
    by_status: bool = False,
) -> list[Changed]:
    """Archive the notes that are not archived, or restore those that are; return the moved ones.
    The caller holds the lock.
    """
    edits: dict[str, ByteEdit] = {}
    moves = {}
    for each in notes:
        path = each.path
        if each.archived == archived:
            continue
        if not archived:
            edits[path] = partial(_unmarked, each)
            if folder := archive_folder(path, vault.config.archive_folders):
                moves[path] = path.removeprefix(f"{folder}/")
        elif by_status:
            edits[path] = setting(STATUS, ARCHIVED)
        else:
            moves[path] = _path_in_archive(vault, path)
    return change_notes(vault, "archive" if archived else "restore", edits, moves)


def _unmarked(metadata: NoteMetadata, raw: bytes) -> bytes:
    status = metadata.properties.get(STATUS)
    if isinstance(status, str) and status.lower() == ARCHIVED:
        raw = without_property(raw, STATUS)
    return without_property(raw, ARCHIVED) if ARCHIVED in metadata.properties else raw


def _path_in_archive(vault: Vault, path: str) -> str:
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


def move(vault: Vault, argument: str, new: str) -> Changed:
    """Move or rename a note, with all links to it: into a folder that exists or ends in a slash, to
    a path in the vault, or to a name beside it.
    """
    with editing(vault) as completed:
        [path] = notes_named(vault, [argument], completed)
        target = _new_path(vault, path, new)
        if target == path:
            return Changed(path, changed=False)
        [moved] = change_notes(vault, "mv", moves={path: target})
    return moved


def _new_path(vault: Vault, path: str, new: str) -> str:
    name = os.path.basename(path)
    named = folder_named(vault, new)
    if not named or new.endswith("/") or os.path.isdir(os.path.join(vault.folder, named)):
        return os.path.join(named, name)
    named = file_of_note(named, os.path.splitext(name)[1])
    return named if "/" in new else os.path.join(os.path.dirname(path), named)


def append(vault: Vault, argument: str, title: str, text: str) -> str:
    """Append a section to a note, with links to the notes that it names; return its path."""
    with editing(vault) as completed:
        [path] = notes_named(vault, [argument], completed)
        related = vault.ask(
            lambda found: Mentions(found.note_table).related(title, text, (path,))
        )
        links = f"Related: {', '.join(related)}" if related else ""
        section = dated_section(vault, title, text, links)
        change_notes(vault, "add --append", {path: partial(appended, section=section)})
    return path


def dated_section(vault: Vault, title: str, text: str, links: str = "") -> str:
    """Return a section with a text below today's date and a title."""
    heading = f"## {today(vault.clock)} {title}".rstrip()
    return "\n\n".join(filter(None, (heading, text.strip("\r\n"), links)))


def appended(raw: bytes, section: str) -> bytes:
    """Return a note with a new section at its end, using the note's own line ends."""
    text = f"\n\n{section}\n".replace("\n", "\r\n" if b"\r\n" in raw else "\n")
    return raw.rstrip(b"\r\n") + text.encode("utf-8", "surrogateescape")


class Forgotten(NamedTuple):
    """A note that is gone: `trash` is the place of its copy, None if it is purged."""

    path: str
    title: str = ""
    trash: str | None = None


def forget(
    vault: Vault,
    arguments: Sequence[str],
    confirmed: Callable[[list[str]], bool],
    *,
    force: bool = False,
    purging: bool = False,
) -> list[Forgotten]:
    """Move notes to the trash, or purge them, if the user has `confirmed` that for the notes that
    are told; return those that are gone. BrainError for a pinned or salient one without `force`.
    """
    # The lock is released while the user decides.
    with editing(vault) as completed:
        paths = (
            _notes_to_purge(vault, arguments)
            if purging
            else notes_named(vault, arguments, completed)
        )
        here = [path for path in paths if os.path.lexists(os.path.join(vault.folder, path))]
        found = {path: opened(vault, path).metadata for path in here}
    for each in () if force else found.values():
        _check_unimportant(each)
    if not confirmed([f"{path} “{each.title}”" for path, each in found.items()] or paths):
        return []
    with editing(vault):
        if purging:
            _purge(vault, paths)
            return [Forgotten(path) for path in paths]
        changes = [note_at(vault, path)._replace(after=None) for path in paths]
        make_change(vault, ChangeSet("forget", tuple(changes), vault.now))
    trash = journal_of(vault).trash
    forgotten = []
    for change in changes:
        copies = trash.copies(os.path.join(vault.folder, change.path), change.before)
        title = found[change.path].title
        forgotten.append(Forgotten(change.path, title, next(iter(copies), None)))
    return forgotten


def _check_unimportant(note: NoteMetadata) -> None:
    if note.pinned:
        raise BrainError(
            f"{note.path} is pinned, so it is not forgotten.",
            "Unpin it first, or say --force.",
        )
    if note.salience >= HIGH_SALIENCE:
        raise BrainError(
            f"{note.path} has a salience of {note.salience:g}, so it is not forgotten.",
            "Archive it instead, or say --force.",
        )


def _notes_to_purge(vault: Vault, arguments: Sequence[str]) -> list[str]:
    """Return the paths of the named notes; of one that is forgotten already, its path in the
    journal.
    """
    known = {each.path for _, found in journal_of(vault).changes() for each in found.changes}
    paths = []
    for argument in arguments:
        try:
            paths.append(note_named(vault, argument))
        except UsageError:
            named = [path for path in (argument, argument + NOTE_SUFFIXES[0]) if path in known]
            if not named:
                raise
            paths += named
    return paths


def _purge(vault: Vault, paths: Iterable[str]) -> None:
    """Remove notes, with all that is known of them under their former paths too.

    The files go last: until then the command can be repeated. The caller holds the vault's lock.
    """
    journal = journal_of(vault)
    for path in paths:
        file = writable_path(vault.folder, path)
        former = journal.former_paths(path)
        texts = journal.texts(former)
        try:
            if os.path.lexists(file):
                texts.add(unchanged(vault.folder, path).after or b"")
            for forget in hooks("purge", vault.config):
                forget(vault, former, texts)
            vault.history.purge(former, set(map(hash_of, texts)))
            journal.purge(former)
            for each in former:
                journal.trash.remove_copies(os.path.join(vault.folder, each))
            if os.path.lexists(file):
                os.unlink(file)
                remove_leftovers(os.path.dirname(file))
                sync_folder(os.path.dirname(file))
        except OSError as error:
            raise BrainError(
                f"{path} is not purged completely: {error.filename or file}: {error.strerror}.",
                "Repeat the command.",
            ) from None
    # Caches: the folded history, and an index, which keeps the text in files that it does not read
    # any more if it is only brought up to date.
    (vault.index_directory.folder / "history.json").unlink(missing_ok=True)
    vault.index(full=True, touch=False)
