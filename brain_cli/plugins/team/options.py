"""The options that the shared memory adds to commands: the parameters of these functions."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

_Memory = partial(typer.Option, "--memory", metavar="URL", show_default=False)


def reading(
    memory: Annotated[str | None, _Memory(help="The shared memory; off: the vault alone.")] = None,
) -> None:
    """Add the option of the commands that read notes."""


def changing(
    memory: Annotated[
        str | None, _Memory(help="The shared memory, where this is for you alone; off: the vault alone.")
    ] = None,
) -> None:
    """Add the option of the commands that change what a note counts for."""


def sending(
    memory: Annotated[str | None, _Memory(help="The shared memory; off: the vault alone.")] = None,
    as_name: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="The vault's name in the shared memory.", show_default=False),
    ] = None,
    yes: Annotated[
        bool, typer.Option("-y", "--yes", help="Do not ask before notes are removed from the shared memory.")
    ] = False,
) -> None:
    """Add the options of `brain index`."""
