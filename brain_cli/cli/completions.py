"""`brain completions`: the script that lets a shell complete commands, options, tags and notes."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import click
import typer
from click.shell_completion import CompletionItem as Item

from brain_cli.cli import COMMANDS
from brain_cli.cli._completion import Offered
from brain_cli.cli._options import UnusedJsonOption, UnusedNowOption, UnusedVaultOption
from brain_cli.errors import OK, UsageError, did_you_mean

SHELLS = ("bash", "zsh", "fish")


def _shells(context: click.Context, typed: str) -> list[Item]:
    return [Item(shell) for shell in SHELLS if shell.startswith(typed)]


def command(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", click_type=Offered(_shells))],
    vault: UnusedVaultOption = None,
    now: UnusedNowOption = None,
    json: UnusedJsonOption = False,
) -> int:
    """Print the completion script for a shell.

    \b
    bash: brain completions bash >~/.local/share/bash-completion/completions/brain
    zsh:  brain completions zsh >DIR/_brain, where DIR is in your $fpath
    fish: brain completions fish >~/.config/fish/completions/brain.fish
    """
    if shell not in SHELLS:
        raise UsageError(f"There are no completions for “{shell}”.", did_you_mean(shell, SHELLS))
    print(script(shell), end="")
    return OK


def script(shell: str) -> str:
    """Return the completion script of a shell. The commands stand in it, so that they come at once."""
    text: str = import_module(f"brain_cli.cli._completion_{shell}").script(COMMANDS)
    return text
