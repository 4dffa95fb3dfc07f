"""`brain init`: make a folder of notes a vault that is found from anywhere inside it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import flag
from brain_cli.config import find_vault, vault_file
from brain_cli.errors import OK, BrainError, UsageError
from brain_cli.library.vault import Vault, open_vault
from brain_cli.paths import user_home
from brain_cli.process import command_context
from brain_cli.streams import say
from brain_cli.vault.atomic_write import own_path, replace_file, sync

FIRST_LINE = b"# The settings of this vault, such as: limit = 5\n"


def command(
    options: CommonOptions,
    history: Annotated[
        bool,
        flag(
            "--history", "Keep the history of recalls in the vault, so that it travels with it."
        ),
    ] = False,
) -> int:
    """Make this folder a vault that is found from anywhere inside it. Nothing is overwritten.

    Examples:
      brain init
      brain init --history
    """
    here = command_context().folder
    home = os.path.realpath(user_home(command_context().environ))
    if not options.vault and os.path.realpath(here) == home:
        raise UsageError(
            "This is your home folder: brain would read every Markdown file below it.",
            "Go into your folder of notes first, or name one: brain init --vault ~/notes.",
        )
    # Use this folder itself, even if it is inside another vault.
    folder = find_vault(options.vault or here, "/", os.environ)
    vault = open_vault(folder, options.now)
    done = list(_create(vault, history=history))
    lines = [f"Made {path}" for path in done] or [
        f"{folder} is a vault already; nothing to do."
    ]
    options.answer({"vault": folder, "made": done}, lines)
    return OK


def _create(vault: Vault, *, history: bool) -> Iterator[str]:
    settings = Path(vault.folder) / ".brain"
    try:
        if not os.path.isdir(settings):
            settings.mkdir()
            yield str(settings)
        if history:
            yield from _create_history(vault, settings)
        has_files = any(each.is_file() for each in settings.rglob("*"))
        if not has_files and not settings.is_symlink():
            # git carries no empty folder, so a clone would be no vault.
            file = vault_file(vault.folder)
            replace_file(file, FIRST_LINE)
            yield str(file)
    except OSError as error:
        raise BrainError(
            f"{error.filename or vault.folder} cannot be made: {error.strerror}."
        ) from None


def _create_history(vault: Vault, settings: Path) -> Iterator[str]:
    """Make the vault's own history folder with the history so far, in one step: a kill leaves the
    old one or both.
    """
    folder = Path(own_path(vault.folder, "history"))
    if os.path.isdir(folder):
        return
    unfinished = settings / ".history"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    sources = sorted(vault.history.folder.glob("*.jsonl"))
    for source in sources:
        replace_file(unfinished / source.name, source.read_bytes())
    os.rename(unfinished, folder)
    sync(folder)
    sync(settings)
    yield str(folder)
    for source in sources:
        yield str(folder / source.name)
        say(f"The history was copied; {source} is no longer read.")
