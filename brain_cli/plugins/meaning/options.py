"""The option that the search by meaning adds to `brain index`: the parameter of a function."""

from __future__ import annotations

from typing import Annotated

import typer


def indexing(
    no_embed: Annotated[
        bool, typer.Option("--no-embed", help="Do not embed the notes for the search by meaning.")
    ] = False,
) -> None:
    """Add the option."""
