"""`brain team`: the people of a shared memory, which are logins that belong to its role
`brain_DATABASE`, and who reads which vault.

The server decides what they may do, by the row level security of schema.py. Only the owner of the
tables can invite and remove people; each owner of a vault says who reads it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Literal

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import YesOption, argument, flag
from brain_cli.errors import OK, BrainError, NoVaultError, UsageError, did_you_mean
from brain_cli.plugins.team.note import storable
from brain_cli.plugins.team.patience import PORTION
from brain_cli.plugins.team.schema import RIGHTS
from brain_cli.plugins.team.stores import using_store
from brain_cli.plugins.team.vault import TeamVault
from brain_cli.printable import counted, one_line, some_of
from brain_cli.render.formats import Row
from brain_cli.streams import confirmed, say

if TYPE_CHECKING:
    from brain_cli.plugins.team.store import Store

EVERYBODY = "all"
PASSWORD_BYTES = 18
# From version 16 on, who makes a role may manage it without its rights.
MEMBERS = """
select m.rolname from pg_auth_members a join pg_roles m on m.oid = a.member join pg_roles r on
r.oid = a.roleid
where r.rolname = %s and pg_has_role(member, roleid, 'usage') order by 1
"""
OWNER = (
    "select nspowner::regrole::text, pg_has_role(nspowner, 'usage') from pg_namespace where "
    "nspname = 'brain'"
)
OF_PERSON = """
select (select count(*) from brain.events where owner = %s) as events,
    (select count(*) from brain.pins where owner = %s) as pins,
    exists (select from pg_namespace where nspname = 'brain' and nspowner =
    to_regrole(quote_ident(%s)))
"""
ROLES = "select rolname from pg_roles where rolname !~ '^pg_'"
OWN = (
    "select vault_id from brain.vaults where name = %s and vault_id in (select "
    "brain.writable(current_user))"
)
# Tables on which a member would see rows of others; none where row level security is as brain made
# it.
UNPROTECTED = """
select c.relname from pg_class c where c.relnamespace = 'brain'::regnamespace and c.relkind = 'r'
    and c.relname <> 'migrations' and not (c.relrowsecurity and exists (select from pg_policy where
    polrelid = c.oid))
union all
select m.rolname from pg_roles m where (m.rolsuper or m.rolbypassrls) and exists (
    select from pg_auth_members a join pg_roles r on r.oid = a.roleid
    where a.member = m.oid and r.rolname = 'brain_' || current_database())
"""
TeamAction = Literal["init", "invite", "grant", "vaults", "rename", "remove"]


def command(
    options: CommonOptions,
    action: Annotated[TeamAction, argument("ACTION", "What to do.")] = "vaults",
    names: Annotated[
        list[str] | None,
        argument("NAME…", "People; a vault and its readers; or a vault."),
    ] = None,
    group: Annotated[
        list[str] | None, flag("--group NAME", "A group for invited people.")
    ] = None,
    person: Annotated[bool, flag("--person", "Remove a person, not a vault.")] = False,
    heir: Annotated[
        str,
        flag("--to NAME", "Who gets the vaults of a removed person.", show_default=False),
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
            "No shared memory is configured.",
            "Name one: --memory postgresql://USER@HOST/DATABASE.",
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


class Team:
    """The people and the vaults of one shared memory; each action prints what it did.

    With `yes`, nothing is asked. BrainError if the user declines.
    """

    def __init__(self, store: Store, options: CommonOptions, *, yes: bool = False) -> None:
        self.store = store
        self.options = options
        self._yes = yes

    def init(self) -> None:
        """Make the tables and the role of the members, and give the rights again."""
        self.store.make_tables()
        self._check_owner()
        self.store.call("make_role", self._members)
        with self.store.in_one_sentence(), self.store.connection.transaction():
            self.store.connection.execute(*self.store.limits)
            for statement in RIGHTS:
                self.store.connection.execute(statement)
        if problems := [name for (name,) in self.store.rows(UNPROTECTED)]:
            raise BrainError(
                f"Row level security does not hold for {some_of(problems)}.",
                "Ask who administers it.",
            )
        people = [name for (name,) in self.store.rows(MEMBERS, self._members)]
        who = some_of(people, 10) or "nobody yet; brain team invite NAME adds people"
        self.options.report(f"The shared memory is ready. Members: {who}.", {"members": people})

    def invite(self, people: Sequence[str], groups: Sequence[str]) -> None:
        """Let some logins use the memory, in some groups; print a line of ~/.pgpass for each that
        is new.
        """
        self._check_owner()
        place = [self.store.parameters.get(part) or "*" for part in ("host", "port", "dbname")]
        invited = []
        lines = []
        for person in people:
            password = secrets.token_urlsafe(PASSWORD_BYTES)
            # The server gets a hash, so that no log has the password.
            hashed = self.store.connection.pgconn.encrypt_password(
                password.encode(), person.encode(), b"scram-sha-256"
            )
            [(is_new,)] = self.store.call("add_member", person, hashed.decode(), list(groups))
            line = f"{person} has a login already, and may use the memory now."
            if is_new:
                # In ~/.pgpass, a colon and a backslash are escaped.
                parts = (*place, person, password)
                line = ":".join(re.sub(r"[\\:]", r"\\\g<0>", part) for part in parts)
            lines.append(one_line(line))
            invited.append(
                {"name": person, "password": password if is_new else "", "groups": list(groups)}
            )
        self.options.answer({"invited": invited}, lines)
        if any(each["password"] for each in invited):
            say("Each line belongs into the ~/.pgpass of that person. It is not shown again.")

    def grant(self, vault: str, readers: Sequence[str]) -> None:
        """Let some people and groups read a vault, besides its owner; `all` stands for every
        member.
        """
        named = [] if EVERYBODY in readers else list(readers)
        for name in named:
            self._check_role(name)
        self.store.call("change_vault", self._own(vault), None, named)
        who = f"its owner and {some_of(named, 10)}" if named else "all members"
        self.options.report(
            f"{vault}: read by {who}", {"vault": vault, "readers": list(readers)}
        )

    def vaults(self) -> None:
        """List the vaults that this user may read."""
        rows = []
        for each in self.store.vaults():
            readers = some_of(list(each.readers), 10) or "all"
            rows.append(
                Row(
                    one_line(f"{each}: {counted(each.notes, 'note')}, read by {readers}"),
                    each._asdict(),
                )
            )
        self.options.list_rows("vaults", rows)

    def rename(self, vault: str, name: str) -> None:
        """Rename a vault; its notes keep their histories and pins."""
        self.store.call("change_vault", self._own(vault), storable(name), None)
        undo = self.options.again("team", "rename", name, vault)
        self.options.report(f"{vault} is now {name}", {"vault": name, "before": vault}, undo)

    def remove_vault(self, vault: str) -> None:
        """Delete a vault, and the pins of its notes."""
        vault_id = self._own(vault)
        notes = self.store.state_of(vault).notes
        counts = f"{counted(notes, 'note')} and all pins there"
        self._confirm(f"Removing the vault “{vault}” deletes {counts} from the shared memory")
        [(pins,)] = self.store.call("remove_vault", vault_id)
        document = {"pins": pins, "vaults": [vault], "notes": notes}
        self.options.report(
            f"removed {vault}; its next brain index would send it again", document
        )

    def remove_person(self, person: str, heir: str) -> None:
        """Delete the history, the pins and the login of a person, and the vaults unless somebody
        gets them.

        A login that is used for something else is kept, and cannot use the memory.
        """
        self._check_owner()
        if person == heir:
            raise UsageError(f"{person} is the heir.", "Name somebody else.")
        [(events, pins, is_owner)] = self.store.rows(OF_PERSON, person, person, person)
        if is_owner:
            raise UsageError(f"{person} owns the tables.", "Name somebody else.")
        owned = [each for each in self.store.vaults() if each.owner == person]
        vaults = [each.name for each in owned]
        notes = sum(each.notes for each in owned)
        if heir:
            self._check_role(heir)
        if not (events or pins or owned):
            self._check_role(person)
        counts = f"{counted(events, 'event')}, {counted(pins, 'pin')}"
        if heir:
            counts += f", and hands the {counted(len(vaults), 'vault')} over to {heir}"
        elif vaults:
            counts = f"{some_of(vaults)} ({counted(notes, 'note')}), {counts}"
        self._confirm(f"Removing {person} deletes {counts}")
        [(is_gone,)] = self.store.call("remove_member", person, heir)
        document = {
            "person": person,
            "login_removed": is_gone,
            "events": events,
            "pins": pins,
            "vaults": vaults,
            "notes": notes,
        }
        kept = "; the login is used for something else, so it was kept without its rights here"
        self.options.report(f"removed {person}{'' if is_gone else kept}", document)

    def _confirm(self, doing: str) -> None:
        if not (
            self._yes or confirmed(f"{doing}. Do it?", f"{doing}; there is no terminal to ask.")
        ):
            raise BrainError("Nothing was removed.")

    def _check_role(self, name: str) -> None:
        known = [role for (role,) in self.store.rows(ROLES)]
        if name not in known:
            raise UsageError(f"There is no login or group “{name}”.", did_you_mean(name, known))

    @property
    def _members(self) -> str:
        """The role of the members."""
        return f"brain_{self.store.connection.info.dbname}"

    def _check_owner(self) -> None:
        """Raise BrainError unless this user owns the tables."""
        found = self.store.rows(OWNER)
        if not found:
            raise BrainError(
                "There is no shared memory at this address yet.", "Make one: brain team init."
            )
        [(owner, is_owner)] = found
        if not is_owner:
            raise BrainError(
                f"Only {owner}, the owner of this shared memory, may do that.", f"Ask {owner}."
            )

    def _own(self, vault: str) -> int:
        """Return the id of a vault that this user may write; UsageError if there is none of this
        name.
        """
        found: list[tuple[int]] = self.store.rows(OWN, storable(vault))
        if not found:
            owner = self.store.state_of(vault).owner
            raise UsageError(f"The vault “{vault}” belongs to {owner}.", f"Ask {owner}.")
        return found[0][0]
