"""A shared memory on a PostgreSQL server. A store has one connection, opened when it is first needed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from brain_cli.errors import BrainError, UsageError, did_you_mean
from brain_cli.plugins.team.address import connection_parameters

try:
    import psycopg
except ImportError:
    from brain_cli.extras import install_hint

    raise BrainError("The shared memory needs the package psycopg.", install_hint("postgresql")) from None
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.errors import in_one_sentence, settled
from brain_cli.plugins.team.keys import storable
from brain_cli.plugins.team.schema import migrate
from brain_cli.plugins.team.values import STALE, Health, StoreError, VaultState
from brain_cli.plugins.team.writer import VaultWriter
from brain_cli.printable import some_of

Answer = TypeVar("Answer")


class Store:
    """The shared memory at one address."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.parameters = parameters

    @property
    def connection(self) -> Any:
        """The one connection of this store, ready for a statement; StoreError if it cannot be opened."""
        return settled(self._opened)

    @cached_property
    def _opened(self) -> Any:
        return self._connected()

    @cached_property
    def _primary(self) -> Any:
        """The connection that writes: another one where the first is to a standby, which the server reports."""
        if self.connection.info.parameter_status("in_hot_standby") != "on":
            return self._opened
        return self._connected(target_session_attrs="read-write")

    def _connected(self, **others: str) -> Any:
        with in_one_sentence(self.parameters):
            return psycopg.connect(**{**self.parameters, **others}, autocommit=True)  # type: ignore[arg-type]

    def record(self, events: Mapping[str, str]) -> None:
        """Add events (id → line) to the user's history, all or none; known ids are skipped."""
        ids = list(map(storable, events))
        self._execute(queries.RECORD, {"ids": ids, "lines": list(map(storable, events.values()))})

    def pin(self, note: str, *, pinned: bool) -> None:
        """Pin or unpin a note (`vault:path`) for this user."""
        self._execute(queries.PIN, {"note": storable(note), "pinned": pinned})

    def vault(self, name: str, origin: str, *, join: bool = False) -> VaultWriter:
        """Open a vault for writing, made if it is new; StoreError if its origin is another, except to `join` it.

        A vault that was renamed on the server has another name than that asked for.
        """
        return self.again(lambda: self._vault(name, origin, join=join))

    def _vault(self, name: str, origin: str, *, join: bool) -> VaultWriter:
        asked = {"name": storable(name), "origin": origin}
        with in_one_sentence(self.parameters):
            connection = settled(self._primary)
            migrate(connection)
            connection.execute(queries.NEW_VAULT, asked)
            found = connection.execute(queries.VAULT, asked).fetchone()
        if not found:
            raise StoreError(
                f"The vault “{name}” of the shared memory is hidden from this user.", "Send under another name."
            )
        vault_id, called, owner, known, is_writable = found
        if not is_writable:
            raise StoreError(
                f"The vault “{called}” of the shared memory belongs to {owner}.",
                f"Ask {owner}, or use one of your own: brain index --as NAME, brain add --path NAME:",
            )
        if known != origin and not join:
            raise StoreError(
                f"The shared memory has another vault called “{name}”.",
                f"Send this one under a name of its own: brain index --as NAME. If they are the same notes, go on with"
                f" that one: brain index --as {name}.",
            )
        return VaultWriter(connection, self.parameters, vault_id)

    def own_vault(self, name: str = "") -> VaultWriter:
        """Open a vault that this user may write, by its name; else the user's only one, or a new one called like them.

        UsageError if there are several, or none of that name.
        """
        vaults, user = self.vaults(), self.connection.info.user
        owners = {each.name: each.owner for each in vaults}
        mine = [each for each, owner in owners.items() if owner == user]
        called = name or (mine[0] if len(mine) == 1 else user)
        if not name and len(mine) > 1 and user not in mine:
            raise UsageError(f"You have the vaults {some_of(mine)} there.", "Name one of them: --path VAULT:")
        if name and name not in owners:
            raise UsageError(f"The shared memory has no vault “{name}”.", did_you_mean(name, owners))
        return self.vault(called, os.urandom(8).hex(), join=True)

    def vaults(self) -> list[VaultState]:
        """Return the vaults that this user may read."""
        with in_one_sentence(self.parameters):
            rows = self.connection.execute(queries.VAULTS, {"stale": STALE}).fetchall()
        return [VaultState(*row) for row in rows]

    def health(self) -> Health:
        """Return the state of the server."""
        connection = self.connection
        with in_one_sentence(self.parameters):
            started = time.perf_counter()
            version = connection.execute("show server_version").fetchone()[0]
            latency_ms = (time.perf_counter() - started) * 1_000
            numbers = connection.execute(queries.HEALTH).fetchone()
        return Health._make((version.split(" ", 1)[0], latency_ms, *numbers, self.vaults()))

    def close(self) -> None:
        for name in ("_opened", "_primary"):
            if connection := vars(self).pop(name, None):
                connection.close()

    def _execute(self, statement: str, parameters: Mapping[str, object]) -> None:
        def execute() -> None:
            with in_one_sentence(self.parameters):
                settled(self._primary).execute(statement, parameters)

        self.again(execute)

    def again(self, ask: Callable[[], Answer]) -> Answer:
        """Return an answer; if a connection that was open before is closed, ask again on a new one."""
        was_open = "_opened" in vars(self)
        try:
            return ask()
        except StoreError:
            if not (was_open and self.connection.closed):
                raise
            self.close()
            return ask()


def open_store(url: str) -> Store:
    """Open the shared memory at an address; it connects on the first request."""
    if url.partition(":")[0] not in ("postgresql", "postgres"):
        raise UsageError("A shared memory is a server.", "Name it as postgresql://USER@HOST/DATABASE.")
    return Store(connection_parameters(url))
