"""`brain team`: who uses a shared memory, and who reads which vault; and the options of other
commands for it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Literal

import typer

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import YesOption
from brain_cli.errors import OK, NoVaultError, UsageError
from brain_cli.plugins.team.admin import Team
from brain_cli.plugins.team.patience import PORTION
from brain_cli.plugins.team.stores import using_store
from brain_cli.plugins.team.vault import TeamVault

TeamAction = Literal["init", "invite", "grant", "vaults", "rename", "remove"]


def command(
    options: CommonOptions,
    action: Annotated[TeamAction, typer.Argument(metavar="ACTION", help="What to do.")] = "vaults",
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME…", help="People; a vault and its readers; or a vault.", show_default=False
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group", metavar="NAME", help="A group for invited people.", show_default=False
        ),
    ] = None,
    person: Annotated[bool, typer.Option("--person", help="Remove a person, not a vault.")] = False,
    heir: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="NAME",
            help="Who gets the vaults of a removed person.",
            show_default=False,
        ),
    ] = "",
    yes: YesOption = False,
) -> int:
    """List the vaults of a shared memory, invite and remove people, and say who reads which vault.

    Actions: init, invite PERSON…, grant VAULT READER… (or all), vaults, rename VAULT NAME, remove
    VAULT or PERSON.

    Examples:
      brain team vaults
      brain team invite berta carl --group board
      brain team grant orders board
    """
    memory = None
    with suppress(NoVaultError):
        memory = options.open_any_vault()
    if not isinstance(memory, TeamVault):
        raise UsageError(
            "No shared memory is configured.", "Name one: --memory postgresql://USER@HOST/DATABASE."
        )
    given = names or []
    with using_store(memory, PORTION) as store:
        team = Team(store, options, yes=yes)
        match action, given:
            case "init", []:
                team.init()
            case "invite", [_, *_]:
                team.invite(given, group or [])
            case "grant", [vault, _, *_]:
                team.grant(vault, given[1:])
            case "vaults", []:
                team.vaults()
            case "rename", [vault, name]:
                team.rename(vault, name)
            case "remove", [name] if person:
                team.remove_person(name, heir)
            case "remove", [name]:
                team.remove_vault(name)
            case _:
                raise UsageError(
                    f"brain team {action} needs other names.", "See brain team --help."
                )
    return OK
