"""Notes that are written to a shared memory: found there at once, and made in the files of their
vault later.

The table `written` keeps each change until `brain index` of the vault has made it. A change has its
time there in the vault's journal too, so after an interruption it is made once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from os.path import normpath
from typing import TYPE_CHECKING

from brain_cli.errors import BrainError
from brain_cli.index.note_table import NoteTable
from brain_cli.index.sync_plan import Source
from brain_cli.library.edit import change_notes, create_new_note, editing, journal_of
from brain_cli.library.note import opened
from brain_cli.library.vault import Vault
from brain_cli.library.verbs import appended, archive_notes
from brain_cli.plugins.team.note import SharedNotes, SharedReader, storable
from brain_cli.plugins.team.stores import identity
from brain_cli.plugins.team.writer import (
    ADD,
    APPEND,
    ARCHIVE,
    RESTORE,
    VaultWriter,
    WrittenChange,
)
from brain_cli.streams import say
from brain_cli.types import NOTE_SUFFIXES
from brain_cli.vault.analyzer import DEFAULT_LANGUAGE
from brain_cli.vault.atomic_write import hash_of, writable_path
from brain_cli.vault.walk import File

if TYPE_CHECKING:
    from brain_cli.plugins.team.store import Store

MAX_NAMES = 100  # of which a new note gets the first free one


def add(vault: Vault, store: Store, paths: Iterable[str], raw: bytes) -> str:
    """Add a note at the first free one of some paths: of the vault that they name, else of this
    folder's or user's own.

    Return the path as `vault:path`.
    """
    names = list(islice(paths, MAX_NAMES))
    name, colon, _ = names[0].partition(":")
    known, _ = identity(vault) if vault.folder else ("", "")
    target = store.own_vault(name if colon else known)
    inside = [
        normpath(each.removeprefix(f"{name}:" if colon else "").lstrip("/")) for each in names
    ]
    taken = target.known(inside)
    path = next((each for each in inside if storable(each) not in taken), None)
    if path is None:
        raise BrainError("There is already a note at this path.", "Name another --path.")
    put(vault, target, WrittenChange(ADD, path, raw), raw, vault.now)
    return f"{target.name}:{path}"


def put(
    vault: Vault, writer: VaultWriter, change: WrittenChange, raw: bytes, at: float
) -> None:
    """Send a note as a change makes it, with the change. Its links count once its vault is sent
    again.
    """
    writable_path(writer.name, change.path)
    known = writer.known([change.path]).get(storable(change.path))
    note_id = known.note_id if known else writer.new_ids(1)[0]
    source = Source(File(change.path, len(raw), int(at * 1e9)), raw, hash_of(raw))
    found = SharedReader(vault.indexed).prepared(note_id, source, DEFAULT_LANGUAGE)
    assert found, "its content is here"
    notes = SharedNotes(NoteTable(rows={note_id: found.row}), {note_id: note_id}, {}, "")
    note = notes.stored(found.row, found.prepared, known.former_paths if known else ())
    if known and change.kind in (ARCHIVE, RESTORE):
        note |= {"archived": change.kind == ARCHIVE, "content_hash": known.content_hash}
    writer.write([note], change=change)


def fetch(vault: Vault, writer: VaultWriter) -> int:
    """Make the waiting changes in the files of a vault; return how many that were."""
    made = 0
    if waiting := writer.waiting():
        with editing(vault):
            before = {each.at for _, each in journal_of(vault).changes()}
            for change in waiting:
                try:
                    if change.at not in before:
                        _make(vault.replaced(now=change.at), change)
                except (BrainError, OSError) as error:
                    say(f"{change.path}, written in the shared memory, waits there: {error}")
                    continue
                writer.fetched(change.number)
                made += 1
    return made


def _make(vault: Vault, change: WrittenChange) -> None:
    """Make one change. A note of the vault is never replaced: one that was added to its place gets
    another name.
    """
    path = change.path
    is_there = os.path.lexists(os.path.join(vault.folder, change.path))
    if not path.lower().endswith(NOTE_SUFFIXES):
        raise BrainError("it is not a note.")
    if change.kind == ADD or (change.kind == APPEND and not is_there):
        stem, suffix = os.path.splitext(path)
        others = (f"{stem}-{number}{suffix}" for number in range(2, MAX_NAMES))
        create_new_note(vault, (path, *others), change.content, "index")
    elif change.kind == APPEND:
        section = change.content.decode("utf-8", "surrogateescape").rstrip("\n")
        change_notes(vault, "index", {path: lambda raw: appended(raw, section)})
    elif is_there:
        note = opened(vault, path).metadata
        archive_notes(vault, [note], archived=change.kind == ARCHIVE)
