"""The note that an argument means, where a plugin has notes elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from brain_cli.cli.common import CommonOptions, open_elsewhere
from brain_cli.errors import NoVaultHereError, UsageError
from brain_cli.extension import hooks
from brain_cli.library.note import NoteElsewhere, note_and_section
from brain_cli.library.vault import Vault


def note_elsewhere(options: CommonOptions, argument: str) -> NoteElsewhere | None:
    """Return the note that an argument means if it is one that a plugin has elsewhere; None if it
    is of the vault.

    The vault takes precedence if it has the note, unless the command names the other place.
    """
    try:
        vault, elsewhere = open_elsewhere(options._replace(reads=False))
    except NoVaultHereError:
        if options.reads:
            return None
        raise
    if not elsewhere or (not options.settings and vault.folder and _is_of_vault(vault, argument)):
        return None
    found: NoteElsewhere = next(hooks("note", vault.config))(elsewhere, argument)
    return found


def by_place(
    options: CommonOptions, arguments: Iterable[str]
) -> tuple[list[NoteElsewhere], list[str]]:
    """Return the notes that a plugin has elsewhere, and the arguments that name others."""
    found = {argument: note_elsewhere(options, argument) for argument in arguments}
    return [each for each in found.values() if each], [
        argument for argument, each in found.items() if not each
    ]


def _is_of_vault(vault: Vault, argument: str) -> bool:
    """Return whether an argument names a note of the vault; without a colon it cannot name one
    elsewhere.
    """
    if ":" not in argument:
        return True
    try:
        return bool(note_and_section(vault, argument).path)
    except UsageError:
        return False
