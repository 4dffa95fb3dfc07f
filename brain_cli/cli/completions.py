"""`brain completions`: print the script that lets a shell complete commands, options, tags and notes."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]

from brain_cli.cli._completion import names_of
from brain_cli.cli._output import write
from brain_cli.errors import OK, UsageError, did_you_mean

SHELLS = ("bash", "zsh", "fish")


def command(
    shell: Annotated[
        str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", autocompletion=names_of(lambda: SHELLS))
    ],
) -> int:
    """Print the completion script for a shell.

    Put it into ~/.local/share/bash-completion/completions/brain for bash, into _brain in a folder of your $fpath for
    zsh, and into ~/.config/fish/completions/brain.fish for fish.

    Examples:
      brain completions bash > brain.bash
    """
    if shell not in SHELLS:
        raise UsageError(f"There are no completions for “{shell}”.", did_you_mean(shell, SHELLS))
    write(script(shell))
    return OK


def script(shell: str) -> str:
    """Return Typer's script for a shell."""
    return get_completion_script(prog_name="brain", complete_var="_BRAIN_COMPLETE", shell=shell) + "\n"
