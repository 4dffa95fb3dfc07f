"""Any folder of notes is a vault for the verbs that read: whether the working folder is one, and saying so."""

from __future__ import annotations

import os

from brain_cli.cli._output import confirmed, say
from brain_cli.cli._process import command_context
from brain_cli.errors import NoVaultError, NoVaultHereError
from brain_cli.index.directory import index_directory_of
from brain_cli.paths import cache_home
from brain_cli.vault.walk import walk

# More notes than this are not read without asking.
MAX_NOTES = 10_000
NAMING = "--vault DIR names another, and `brain init` makes this one a vault."


def readable_folder() -> str:
    """Return the working folder if a verb may read it as a vault, and say so on stderr; else raise NoVaultError.

    It needs a note below it that is not ignored. A home folder, what holds it, and the root of a drive are never meant.
    """
    context = command_context()
    folder = context.folder
    home = os.path.realpath(context.environ.get("HOME") or os.path.expanduser("~"))
    real = os.path.realpath(folder)
    if os.path.ismount(real) or os.path.commonpath((real, home)) == real:
        raise NoVaultHereError.usual()
    if index_directory_of(folder, cache_home(context.environ)).folder.is_dir():
        say(f"This is from the notes in {folder}.")
        return folder
    notes = walk(folder, lambda *_: None)
    if not notes:
        raise NoVaultHereError.usual()
    why = f"There is no vault here, and {folder} has {len(notes):,} notes."
    if len(notes) > MAX_NOTES and not (context.types() and confirmed(f"{why} Read them?", why)):
        raise NoVaultError(why, "Name a vault with --vault DIR, or run `brain init` in your folder of notes.")
    say(f"This is from the notes in {folder}. {NAMING}")
    return folder
