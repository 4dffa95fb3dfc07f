"""`brain completions`: print the script that lets a shell complete commands, options, tags and notes."""

from __future__ import annotations

from typing import Annotated

import click
import typer
from click.shell_completion import CompletionItem as Item

from brain_cli.cli import COMMANDS
from brain_cli.cli._completion import CompletedText
from brain_cli.cli._completion_scripts import SCRIPTS
from brain_cli.cli._options import UnusedJsonOption, UnusedNowOption, UnusedVaultOption
from brain_cli.errors import OK, UsageError, did_you_mean


def _complete_shell(context: click.Context, typed: str) -> list[Item]:
    return [Item(shell) for shell in SCRIPTS if shell.startswith(typed)]


def command(
    shell: Annotated[
        str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", click_type=CompletedText(_complete_shell))
    ],
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
    if shell not in SCRIPTS:
        raise UsageError(f"There are no completions for “{shell}”.", did_you_mean(shell, SCRIPTS))
    print(SCRIPTS[shell](COMMANDS), end="")
    return OK
