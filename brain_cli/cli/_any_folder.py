"""Any folder of notes is a vault for the verbs that read: whether the working folder is one, and
saying so.
"""

import os
from collections.abc import Iterator

from brain_cli.errors import NoVaultError, NoVaultHereError
from brain_cli.index.directory import index_directory_of
from brain_cli.paths import cache_home, user_home
from brain_cli.process import command_context
from brain_cli.streams import confirmed, say
from brain_cli.types import NOTE_SUFFIXES
from brain_cli.vault.walk import IGNORE_FILES, SKIPPED_FOLDERS, RuleChain

# More files than this are not read without asking.
MAX_FILES = 50_000


def readable_folder(*, writes: bool = False) -> str:
    """Return the working folder if a verb may read it as a vault, and say so on stderr; else raise
    NoVaultError.

    It needs a note below it that is not ignored. A home folder, what holds it, and the root of a
    drive are never meant. A verb that `writes` gets an error that says how to make the folder a
    vault.
    """
    context = command_context()
    folder = context.folder
    real = os.path.realpath(folder)
    home = os.path.realpath(user_home(context.environ))
    if os.path.ismount(real) or os.path.commonpath((real, home)) == real:
        raise NoVaultHereError
    is_known = os.path.isdir(index_directory_of(folder, cache_home(context.environ)).folder)
    has_note = is_known
    number = 0
    for number, path in enumerate(() if is_known else _files(folder), start=1):
        has_note |= path.lower().endswith(NOTE_SUFFIXES)
        if number > MAX_FILES or (writes and has_note):
            break
    if not has_note:
        raise NoVaultHereError
    if writes:
        raise NoVaultHereError(
            f"{folder} has notes but is not a vault yet: brain only answers questions there.",
            "Run `brain init` here first, or name a vault with --vault DIR.",
        )
    why = f"There is no vault here, and {folder} has more than {MAX_FILES:,} files."
    if number > MAX_FILES and not (
        context.types() and confirmed(f"{why} Read the notes among them?", why)
    ):
        raise NoVaultError(
            why, "Name a vault with --vault DIR, or run `brain init` in your folder of notes."
        )
    if not is_known:
        say(
            f"This is from the notes in {folder}. --vault DIR names another, and `brain init` "
            "makes this one a vault."
        )
    return folder


def _files(folder: str) -> Iterator[str]:
    """Yield the paths of all files that are neither hidden nor ignored, relative to the folder."""
    pending: list[tuple[str, RuleChain | None]] = [("", None)]
    while pending:
        below, above = pending.pop()
        try:
            with os.scandir(os.path.join(folder, below)) as listing:
                entries = list(listing)
        except OSError:
            continue
        ignore_files = [
            entry.path for entry in entries if entry.name in IGNORE_FILES and entry.is_file()
        ]
        rules = RuleChain(below, ignore_files, above) if ignore_files else above
        for entry in entries:
            path = os.path.join(below, entry.name)
            is_folder = entry.is_dir(follow_symlinks=False)
            if (
                entry.name.startswith(".")
                or entry.name in SKIPPED_FOLDERS
                or (rules and rules.ignores(path, is_folder))
            ):
                continue
            if is_folder:
                pending.append((path, rules))
            elif entry.is_file(follow_symlinks=False):
                yield path
