"""Options that several commands take, and those that may also stand before the command."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from brain_cli.commands.completing import FOLDER, SCORER

VaultOption = Annotated[
    str | None, typer.Option("--vault", metavar="DIR", help="The folder of notes.", click_type=FOLDER)
]
NowOption = Annotated[str | None, typer.Option("--now", metavar="ISO", help="Set the clock.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
ScorerOption = Annotated[
    str | None, typer.Option("--scorer", metavar="NAME", help="The formula that ranks.", click_type=SCORER)
]


def shared(context: typer.Context, name: str, given: Any) -> Any:
    """Return an option given after the command, else the one given before it."""
    return given or (context.obj or {}).get(name)
