"""`brain init`: make a folder of notes a vault that is found from anywhere inside it."""

from __future__ import annotations

import json as json_text
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from brain_cli.commands.options import JsonOption, NowOption, VaultOption, shared
from brain_cli.commands.setting import Setting, say, setting, working_folder, write
from brain_cli.config import find_vault
from brain_cli.errors import OK, BrainError


def command(
    context: typer.Context,
    history: Annotated[
        bool, typer.Option("--history", help="Keep the history of recalls in the vault, so that it travels with it.")
    ] = False,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Make this folder a vault that is found from anywhere inside it; nothing is ever overwritten."""
    # What is asked for is this folder, not the vault it may lie in.
    folder = find_vault(shared(context, "vault", vault) or working_folder(), "/", os.environ)
    here = setting(folder, shared(context, "now", now), {})
    done = list(_done(here, history=history))
    if shared(context, "json", json):
        write(json_text.dumps({"version": 1, "vault": folder, "made": done}, indent=2) + "\n")
    else:
        write("".join(f"Made {path}\n" for path in done) or f"{folder} is a vault already; nothing to do.\n")
    return OK


def _done(here: Setting, *, history: bool) -> Iterator[str]:
    """Make what is missing; yield each file and folder that was made."""
    before = here.history.folder
    try:
        for folder in (".brain", ".brain/history") if history else (".brain",):
            path = Path(here.vault) / folder
            if not path.is_dir():
                path.mkdir(mode=0o700 if path.name == "history" else 0o755)
                yield str(path)
        if history:
            yield from _moved(before, here.history.folder)
    except OSError as error:
        raise BrainError(f"{error.filename or here.vault} cannot be made: {error.strerror}.") from None


def _moved(before: Path, after: Path) -> Iterator[str]:
    """Copy what was recorded so far to where it is looked for from now on."""
    from shutil import copyfile

    if before == after:
        return
    for source in sorted(before.glob("*.jsonl")):
        target = after / source.name
        if not target.exists():
            copyfile(source, target)
            yield str(target)
            say(f"The history so far was copied; {source} is no longer read.")
