"""The options of every command, and what makes the others: all that the help of `brain` itself
needs.
"""

from collections.abc import Callable
from typing import Annotated, Any

import typer

# Values, each with a help text, which may be empty.
Offers = list[tuple[str, str]]
Completion = Callable[[typer.Context, str], Offers]


def flag(
    names: str,
    about: str,
    completion: Completion | None = None,
    *,
    panel: str | None = None,
    **more: Any,
) -> Any:
    """Return an option from its names and what it takes (`-n --limit N`), its help, and its
    completion.

    An option without a panel is among the first in the help.
    """
    *flags, last = names.split()
    metavar = None if last.startswith("-") else last
    flags += [] if metavar else [last]
    return typer.Option(
        *flags,
        metavar=metavar,
        help=about,
        autocompletion=completion,
        rich_help_panel=panel,
        **more,
    )


def argument(metavar: str, about: str, completion: Completion | None = None) -> Any:
    """Return an argument from its name in the help, its help, and its completion."""
    return typer.Argument(metavar=metavar, help=about, autocompletion=completion)


# These may also come before the command: `brain --vault DIR remember …`.
VaultOption = Annotated[
    list[str] | None,
    flag("--vault DIR", "The folder of notes; several are asked as one.", show_default=False),
]
EverywhereOption = Annotated[
    bool, flag("-a --all-vaults", "Ask all `vaults` of your configuration.", show_default=False)
]
NowOption = Annotated[str | None, flag("--now ISO", "Set the clock.", show_default=False)]
JsonOption = Annotated[bool, flag("--json", "Print one JSON document.", show_default=False)]
