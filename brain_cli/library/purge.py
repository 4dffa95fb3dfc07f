"""`brain forget --purge`: remove notes for good from all that brain keeps of them on this
machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from brain_cli.errors import BrainError, UsageError
from brain_cli.extension import hooks
from brain_cli.library.edit import journal_of
from brain_cli.library.names import note_named
from brain_cli.vault.atomic_write import hash_of, remove_leftovers, sync_folder, writable_path
from brain_cli.vault.change_journal import unchanged
from brain_cli.vault.links import NOTE_SUFFIXES

if TYPE_CHECKING:
    from brain_cli.library.vault import Vault


def notes_to_purge(vault: Vault, arguments: Sequence[str]) -> list[str]:
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


def purge(vault: Vault, paths: Iterable[str]) -> None:
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
