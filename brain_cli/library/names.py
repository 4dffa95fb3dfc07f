"""Find the note that an argument names.

The last answer of each terminal is kept, its paths alone, so that `brain show 1` and `brain open`
mean a note of it.
"""

from __future__ import annotations

import contextlib
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from brain_cli.errors import UsageError
from brain_cli.paths import make_private_folder, state_home
from brain_cli.process import command_context
from brain_cli.vault.resolve import NameScope, NoteRef

if TYPE_CHECKING:
    from collections.abc import Iterable

    from brain_cli.library.vault import Vault

# The parts of the file of a last answer are separated by this, because a path may contain a
# newline.
END = "\0"


def note_named(vault: Vault, argument: str) -> str:
    """Return the path of the named note, relative to the vault, or of the note with a number in the
    last answer.
    """
    try:
        return _scope(vault).note(argument)
    except UsageError as unknown:
        return _numbered(vault, argument, unknown)


def note_and_section(vault: Vault, argument: str) -> NoteRef:
    """Return the named note, and the heading or line in it."""
    return _scope(vault).section(argument)


def keep_answer(vault: Vault, paths: Iterable[str]) -> None:
    """Keep the paths of a list of notes, in the order of their numbers. Those of several vaults are
    kept with their folders, those of a shared memory not at all.
    """
    if not (file := _file()):
        return
    if not vault.files:
        paths = [
            path.replace(name, folder, 1)
            for path in paths
            for name, folder in vault.roots.items()
            if path.startswith(f"{name}/")
        ]
    # Without it, a note has to be named.
    with contextlib.suppress(OSError):
        make_private_folder(file.parent)
        kept = END.join((vault.files, *paths))
        file.write_bytes(kept.encode("utf-8", "surrogateescape"))


def note_or_number(vault: Vault, argument: str) -> NoteRef:
    """Return the named note and the heading or line in it; `1` is the first note of the last answer
    of this terminal if no note has that name.
    """
    try:
        return note_and_section(vault, argument)
    except UsageError as unknown:
        number, _, heading = argument.partition("#")
        return NoteRef(_numbered(vault, number, unknown), heading)


def _numbered(vault: Vault, argument: str, unknown: UsageError) -> str:
    """Return the path of a note by its number in the last answer of this terminal; raise `unknown`
    for no number.
    """
    if not argument.isdecimal():
        raise unknown
    if not (file := _file()):
        only = "A number names a note of the last answer on a terminal only."
        raise UsageError(unknown.message, f"{only} {unknown.hint}")
    kept = b""
    with contextlib.suppress(OSError):
        kept = file.read_bytes()
    folder, *paths = kept.decode("utf-8", "surrogateescape").split(END)
    if not paths:
        raise UsageError(
            f"There is no note “{argument}”, and no answer on this terminal.",
            "Ask a question first: its notes have numbers.",
        )
    if not 1 <= int(argument) <= len(paths):
        raise UsageError(
            f"The last answer has no note {argument}.", f"It has 1 to {len(paths)}."
        )
    path = os.path.join(folder, paths[int(argument) - 1])
    if not path.startswith(f"{vault.folder}/"):
        raise UsageError(
            f"Note {argument} of the last answer is in another vault: {path}.",
            "Name that vault with --vault DIR.",
        )
    return path.removeprefix(f"{vault.folder}/")


def _file() -> Path | None:
    """Return the file of this terminal's last answer; None off a terminal."""
    context = command_context()
    name = context.terminal.strip("/").replace("/", "-")
    return Path(state_home(context.environ), "brain", "answers", name) if name else None


def _scope(vault: Vault) -> NameScope:
    folder = vault.working_folder
    if vault.past:
        below = os.path.relpath(folder, vault.folder)
        folder = vault.past if below.startswith("..") else os.path.join(vault.past, below)
    # A path needs no index; a name needs it once.
    return NameScope(vault.source, folder, cache(vault.notes))
