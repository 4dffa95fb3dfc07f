"""The people of a shared memory: logins that belong to its role `brain_DATABASE`, and who reads which vault.

The server decides what they may do, by the row level security of schema.py. Only the owner of the tables can invite and
remove people; each owner of a vault says who reads it.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

from psycopg import errors, sql

from brain_cli.errors import BrainError, UsageError, did_you_mean
from brain_cli.plugins.team.errors import in_one_sentence
from brain_cli.plugins.team.keys import storable
from brain_cli.plugins.team.schema import RIGHTS, migrate
from brain_cli.plugins.team.store import Store

EVERYBODY = "all"
PASSWORD_BYTES = 18
MEMBERS = "select 'brain_' || current_database()"
# Tables on which a member would see rows of others; none where row level security is as brain made it.
UNPROTECTED = """
select c.relname from pg_class c where c.relnamespace = 'brain'::regnamespace and c.relkind = 'r'
    and c.relname <> 'migrations' and not (c.relrowsecurity and exists (select from pg_policy where polrelid = c.oid))
union all
select m.rolname from pg_roles m where (m.rolsuper or m.rolbypassrls) and exists (
    select from pg_auth_members a join pg_roles r on r.oid = a.roleid
    where a.member = m.oid and r.rolname = 'brain_' || current_database())
"""


class Removal(NamedTuple):
    """What removing somebody deletes: events, pins and vaults with their notes."""

    events: int
    pins: int
    vaults: Sequence[str]
    notes: int


class Team:
    """The people and the vaults of one shared memory, on the connection of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def _rows(self, statement: str | sql.Composed, *parameters: object) -> list[Any]:
        with in_one_sentence(self.store.parameters):
            cursor = self.store.connection.execute(statement, parameters or None)
            found: list[Any] = cursor.fetchall() if cursor.description else []
        return found

    def _do(self, statement: str, *roles: str) -> None:
        self._rows(sql.SQL(statement).format(*map(sql.Identifier, roles)))

    def _has_role(self, name: str) -> bool:
        return bool(self._rows("select 1 from pg_roles where rolname = %s", name))

    def _members(self) -> str:
        [(name,)] = self._rows(MEMBERS)
        return str(name)

    def _check_owner(self) -> None:
        """Raise BrainError unless this user owns the tables."""
        found = self._rows(
            "select nspowner::regrole::text, pg_has_role(nspowner, 'usage') from pg_namespace where nspname = 'brain'"
        )
        if not found:
            raise BrainError("There is no shared memory at this address yet.", "Make one: brain team init.")
        [(owner, is_owner)] = found
        if not is_owner:
            raise BrainError(f"Only {owner}, the owner of this shared memory, may do that.", f"Ask {owner}.")

    def init(self) -> list[str]:
        """Make the tables and the role of the members, and give the rights again; return the members."""
        with in_one_sentence(self.store.parameters):
            migrate(self.store.connection)
        self._check_owner()
        members = self._members()
        with in_one_sentence(self.store.parameters), self.store.connection.transaction():
            if not self._has_role(members):
                self._do("create role {} nologin", members)
            self._rows("".join(RIGHTS))
        return [
            name
            for (name,) in self._rows(
                "select m.rolname from pg_auth_members a join pg_roles m on m.oid = a.member join pg_roles r"
                " on r.oid = a.roleid where r.rolname = %s order by 1",
                members,
            )
        ]

    def unprotected(self) -> list[str]:
        """Return the tables and members for which row level security does not hold."""
        return [name for (name,) in self._rows(UNPROTECTED)]

    def invite(self, person: str, groups: Sequence[str]) -> str:
        """Let a login use the memory, made if it is new, in some groups; return the password of a new one."""
        self._check_owner()
        password, connection = "", self.store.connection
        with in_one_sentence(self.store.parameters), connection.transaction():
            if not self._has_role(person):
                password = secrets.token_urlsafe(PASSWORD_BYTES)
                # The server gets a hash, so that no log has the password.
                hashed = connection.pgconn.encrypt_password(password.encode(), person.encode(), b"scram-sha-256")
                create = sql.SQL("create role {} login password {}")
                self._rows(create.format(sql.Identifier(person), sql.Literal(hashed.decode())))
            for group in groups:
                if not self._has_role(group):
                    self._do("create role {} nologin", group)
            for role in (self._members(), *groups):
                self._do("grant {} to {}", role, person)
        return password

    def grant(self, vault: str, readers: Sequence[str]) -> None:
        """Let some people and groups read a vault, besides its owner; `all` stands for every member."""
        for name in set(readers) - {EVERYBODY}:
            if not self._has_role(name):
                known = [role for (role,) in self._rows("select rolname from pg_roles where rolname !~ '^pg_'")]
                raise UsageError(f"There is no login or group “{name}”.", did_you_mean(name, known))
        self._own(vault, "readers = %s", [] if EVERYBODY in readers else list(readers))

    def rename(self, vault: str, name: str) -> None:
        """Rename a vault; its notes keep their histories and pins."""
        change = "name = %s, former_names = array_remove(former_names || name, %s)"
        self._own(vault, change, storable(name), storable(name))

    def vault_removal(self, vault: str) -> Removal:
        """Return what removing a vault deletes; UsageError if this user may not."""
        self._own(vault, "name = name")
        [(pins,)] = self._rows("select count(*) from brain.pins where starts_with(note, %s)", f"{storable(vault)}:")
        return Removal(0, pins, [vault], sum(each.notes for each in self.store.vaults() if each.name == vault))

    def remove_vault(self, vault: str) -> None:
        """Delete a vault, and the pins of its notes that this user may delete."""
        with in_one_sentence(self.store.parameters), self.store.connection.transaction():
            self._rows("delete from brain.vaults where name = %s", storable(vault))
            self._rows("delete from brain.pins where starts_with(note, %s)", f"{storable(vault)}:")

    def person_removal(self, person: str) -> Removal:
        """Return what removing a person deletes or hands over; UsageError for nobody."""
        self._check_owner()
        events, pins, is_owner = self._rows(
            "select (select count(*) from brain.events where owner = %s),"
            " (select count(*) from brain.pins where owner = %s),"
            " exists (select from pg_namespace where nspname = 'brain' and nspowner = to_regrole(quote_ident(%s)))",
            *(person, person, person),
        )[0]
        vaults = [each for each in self.store.vaults() if each.owner == person]
        if is_owner:
            raise UsageError(f"{person} owns the tables of the shared memory.", "Remove somebody else.")
        if not (events or pins or vaults or self._has_role(person)):
            raise UsageError(f"There is no login “{person}”.", "brain team init lists the people.")
        return Removal(events, pins, [each.name for each in vaults], sum(each.notes for each in vaults))

    def remove_person(self, person: str, heir: str) -> bool:
        """Delete the history, the pins and the login of a person, and the vaults unless somebody gets them.

        Return whether the login is gone: one that is used for something else is kept, and cannot use the memory.
        """
        if heir and not self._has_role(heir):
            raise UsageError(f"There is no login or group “{heir}”.", "Invite it first: brain team invite.")
        connection = self.store.connection
        with in_one_sentence(self.store.parameters), connection.transaction():
            if heir:
                self._rows("update brain.vaults set owner = %s where owner = %s", heir, person)
            for table in ("vaults", "events", "pins"):
                self._rows(f"delete from brain.{table} where owner = %s", person)
            if not self._has_role(person):
                return True
            self._do("revoke {} from {}", self._members(), person)
            try:
                with connection.transaction():
                    connection.execute(sql.SQL("drop role {}").format(sql.Identifier(person)))
            except (errors.DependentObjectsStillExist, errors.InsufficientPrivilege):
                return False
        return True

    def _own(self, vault: str, change: str, *values: object) -> None:
        """Change a vault that this user may write; UsageError if there is none of this name."""
        statement = f"update brain.vaults set {change} where name = %s returning vault_id"
        if not self._rows(statement, *values, storable(vault)):
            raise self._not_yours(vault)

    def _not_yours(self, vault: str) -> UsageError:
        known = {each.name: each.owner for each in self.store.vaults()}
        if vault in known:
            return UsageError(f"The vault “{vault}” belongs to {known[vault]}.", f"Ask {known[vault]}.")
        return UsageError(f"The shared memory has no vault “{vault}”.", did_you_mean(vault, known))
