"""`brain team`: who uses a shared memory, and who reads which vault; and the options of other commands for it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from brain_cli.cli._options import YesOption
from brain_cli.cli._output import Row, confirmed, say
from brain_cli.cli._workspace import CommonOptions, open_elsewhere
from brain_cli.errors import OK, BrainError, NoVaultError, UsageError
from brain_cli.plugins.team.workspace import TeamWorkspace, address_of, using_store
from brain_cli.printable import one_line, some_of
from brain_cli.render.phrases import counted

if TYPE_CHECKING:
    from brain_cli.plugins.team.admin import Removal, Team


class TeamAction(StrEnum):
    """The actions of `brain team`."""

    INIT = "init"
    INVITE = "invite"
    GRANT = "grant"
    VAULTS = "vaults"
    RENAME = "rename"
    REMOVE = "remove"


class _Call:
    """One call of `brain team`: its options, and the team that it is about."""

    def __init__(self, options: CommonOptions, team: Team, address: str, *, yes: bool) -> None:
        self.options, self.team, self.address, self._yes = options, team, address, yes

    def init(self) -> None:
        people = self.team.init()
        if problems := self.team.unprotected():
            raise BrainError(f"Row level security does not hold for {some_of(problems)}.", "Ask who administers it.")
        who = some_of(people, 10) or "nobody yet; brain team invite NAME adds people"
        self.options.report(f"The shared memory is ready. Members: {who}.", {"members": people})

    def invite(self, people: Sequence[str], groups: Sequence[str]) -> None:
        from brain_cli.plugins.team.address import connection_parameters

        parameters = connection_parameters(self.address)
        place = [parameters.get(part) or "*" for part in ("host", "port", "dbname")]
        invited, lines = [], []
        for person in people:
            password = self.team.invite(person, groups)
            # In ~/.pgpass, a colon and a backslash are escaped.
            line = ":".join(part.replace("\\", "\\\\").replace(":", "\\:") for part in (*place, person, password))
            lines += [line] if password else [f"{person} has a login already, and may use the memory now."]
            invited.append({"name": person, "password": password, "groups": list(groups)})
        self.options.answer({"invited": invited}, map(one_line, lines))
        if any(each["password"] for each in invited):
            say("Each line belongs into the ~/.pgpass of that person. It is not shown again.")

    def grant(self, vault: str, readers: Sequence[str]) -> None:
        self.team.grant(vault, readers)
        who = "all members" if "all" in readers else f"its owner and {some_of(list(readers), 10)}"
        self.options.report(f"{vault}: read by {who}", {"vault": vault, "readers": list(readers)})

    def vaults(self) -> None:
        rows = []
        for each in self.team.store.vaults():
            readers = some_of(list(each.readers), 10) or "all"
            rows.append(Row(one_line(f"{each}: {counted(each.notes, 'note')}, read by {readers}"), each._asdict()))
        self.options.list_rows("vaults", rows)

    def rename(self, vault: str, name: str) -> None:
        self.team.rename(vault, name)
        undo = self.options.again("team", "rename", name, vault)
        self.options.report(f"{vault} is now {name}", {"vault": name, "before": vault}, undo)

    def remove_vault(self, vault: str) -> None:
        found = self.team.vault_removal(vault)
        self._confirm(f"Removing the vault “{vault}” deletes {_counts(found)} from the shared memory")
        self.team.remove_vault(vault)
        self.options.report(f"removed {vault}; its next brain index would send it again", found._asdict())

    def remove_person(self, person: str, heir: str) -> None:
        found = self.team.person_removal(person)
        handed = f", and hands the {counted(len(found.vaults), 'vault')} over to {heir}" if heir else ""
        self._confirm(f"Removing {person} deletes {_counts(found, keeps_vaults=bool(heir))}{handed}")
        is_gone = self.team.remove_person(person, heir)
        kept = "" if is_gone else "; the login is used for something else, so it was kept without its rights here"
        self.options.report(f"removed {person}{kept}", {"person": person, "login_removed": is_gone, **found._asdict()})

    def _confirm(self, doing: str) -> None:
        if not (self._yes or confirmed(f"{doing}. Do it?", f"{doing}; there is no terminal to ask.")):
            raise BrainError("Nothing was removed.")


def _counts(found: Removal, *, keeps_vaults: bool = False) -> str:
    vaults = (
        [] if keeps_vaults or not found.vaults else [f"{some_of(list(found.vaults))} ({counted(found.notes, 'note')})"]
    )
    return ", ".join([*vaults, counted(found.events, "event"), counted(found.pins, "pin")])


def command(
    options: CommonOptions,
    action: Annotated[TeamAction, typer.Argument(metavar="ACTION", help="What to do.")] = TeamAction.VAULTS,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME…", help="People; a vault and its readers; or a vault.", show_default=False),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="NAME", help="A group for invited people.", show_default=False),
    ] = None,
    person: Annotated[bool, typer.Option("--person", help="Remove a person, not a vault.")] = False,
    heir: Annotated[
        str, typer.Option("--to", metavar="NAME", help="Who gets the vaults of a removed person.", show_default=False)
    ] = "",
    yes: YesOption = False,
) -> int:
    """List the vaults of a shared memory, invite and remove people, and say who reads which vault.

    Actions: init, invite PERSON…, grant VAULT READER… (or all), vaults, rename VAULT NAME, remove VAULT or PERSON.

    Examples:
      brain team vaults
      brain team invite berta carl --group board
      brain team grant orders board
    """
    from brain_cli.plugins.team.admin import Team

    elsewhere = None
    with suppress(NoVaultError):
        _, elsewhere = open_elsewhere(options)
    if not isinstance(elsewhere, TeamWorkspace):
        raise UsageError("No shared memory is configured.", "Name one: --memory postgresql://USER@HOST/DATABASE.")
    given = names or []
    with using_store(address_of(elsewhere)) as store:
        call = _Call(options, Team(store), address_of(elsewhere), yes=yes)
        match action, given:
            case TeamAction.INIT, []:
                call.init()
            case TeamAction.INVITE, [_, *_]:
                call.invite(given, group or [])
            case TeamAction.GRANT, [vault, _, *_]:
                call.grant(vault, given[1:])
            case TeamAction.VAULTS, []:
                call.vaults()
            case TeamAction.RENAME, [vault, name]:
                call.rename(vault, name)
            case TeamAction.REMOVE, [name] if person:
                call.remove_person(name, heir)
            case TeamAction.REMOVE, [name]:
                call.remove_vault(name)
            case _:
                raise UsageError(f"brain team {action} needs other names.", "See brain team --help.")
    return OK


_memory_option = partial(typer.Option, "--memory", metavar="URL", show_default=False)


def reading(
    memory: Annotated[str | None, _memory_option(help="The shared memory; off: the vault alone.")] = None,
) -> None:
    """Add the option of the commands that read notes."""


def changing(
    memory: Annotated[
        str | None, _memory_option(help="The shared memory, where this is for you alone; off: the vault alone.")
    ] = None,
) -> None:
    """Add the option of the commands that change what a note counts for."""


def writing(
    memory: Annotated[
        str | None, _memory_option(help="The shared memory, to write there; off: the vault alone.")
    ] = None,
) -> None:
    """Add the option of the commands that write notes."""


def sending(
    memory: Annotated[str | None, _memory_option(help="The shared memory; off: the vault alone.")] = None,
    as_name: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="The vault's name in the shared memory.", show_default=False),
    ] = None,
    yes: Annotated[
        bool, typer.Option("-y", "--yes", help="Do not ask before notes are removed from the shared memory.")
    ] = False,
) -> None:
    """Add the options of `brain index`."""
