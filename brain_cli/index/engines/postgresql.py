"""A shared memory in PostgreSQL: many vaults, many writers, one recall.

The tables are described in `_postgresql_schema.py`. A store has one connection, opened when it is first needed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from brain_cli.errors import BrainError
from brain_cli.index.engines import _postgresql_queries as queries
from brain_cli.index.engines._postgresql_address import connection_parameters

try:
    import psycopg
except ImportError:
    from brain_cli.extras import install_hint

    raise BrainError("The shared memory needs the package psycopg.", install_hint("postgresql")) from None
from brain_cli.index.engines._postgresql_errors import in_one_sentence, settled
from brain_cli.index.engines._postgresql_reader import PostgresReader
from brain_cli.index.engines._postgresql_schema import migrate
from brain_cli.index.engines._postgresql_writer import PostgresVault
from brain_cli.index.shared_store import Reader, StoreError, VaultInStore
from brain_cli.index.shared_store_values import Health
from brain_cli.index.shared_terms import storable

Answer = TypeVar("Answer")


class PostgresStore:
    """The shared memory at one address."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.parameters = parameters

    @property
    def connection(self) -> Any:
        """The one connection of this store, ready for a statement; StoreError where there is none to be had."""
        return settled(self._opened)

    @cached_property
    def _opened(self) -> Any:
        with in_one_sentence(self.parameters):
            return psycopg.connect(**self.parameters, autocommit=True)  # type: ignore[arg-type]

    def reader(self, events_since: int = 0) -> Reader:
        return self._again(lambda: PostgresReader(self.connection, self.parameters, events_since))

    def record(self, events: Mapping[str, str]) -> None:
        ids = list(map(storable, events))
        self._execute(queries.RECORD, {"ids": ids, "lines": list(map(storable, events.values()))})

    def pin(self, note: str, *, pinned: bool) -> None:
        self._execute(queries.PIN, {"note": storable(note), "pinned": pinned})

    def _execute(self, statement: str, parameters: Mapping[str, object]) -> None:
        def execute() -> None:
            with in_one_sentence(self.parameters):
                self.connection.execute(statement, parameters)

        self._again(execute)

    def vault(self, name: str, origin: str, *, join: bool = False) -> VaultInStore:
        return self._again(lambda: self._vault(name, origin, join=join))

    def _vault(self, name: str, origin: str, *, join: bool) -> VaultInStore:
        with in_one_sentence(self.parameters):
            migrate(self.connection)
            self.connection.execute(
                "insert into brain.vaults (name, origin) values (%s, %s) on conflict do nothing",
                (storable(name), origin),
            )
            found = self.connection.execute(
                "select vault_id, origin from brain.vaults where name = %s", (storable(name),)
            ).fetchone()
        if not found:
            raise StoreError(
                f"The vault “{name}” of the shared memory is hidden from this user.", "Send under another name."
            )
        if found[1] != origin and not join:
            raise StoreError(
                f"The shared memory has another vault called “{name}”.",
                f"Send this one under a name of its own: brain index --as NAME. If they are the same notes, go on with"
                f" that one: brain index --as {name}.",
            )
        return PostgresVault(self.connection, self.parameters, found[0])

    def remove_vault(self, name: str) -> int:
        with in_one_sentence(self.parameters), self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.execute("select vault_id from brain.vaults where name = %s for update", (storable(name),))
            found = cursor.fetchone()
            if not found:
                return 0
            cursor.execute("delete from brain.notes where vault_id = %s", found)
            removed: int = cursor.rowcount
            for table in ("note_rows", "fragments", "postings", "anchors", "tags", "chunks", "vaults"):
                cursor.execute(f"delete from brain.{table} where vault_id = %s", found)
        return removed

    def health(self) -> Health:
        connection = self.connection
        with in_one_sentence(self.parameters):
            started = time.perf_counter()
            [(version,)] = connection.execute("show server_version").fetchall()
            latency_ms = (time.perf_counter() - started) * 1_000
            [(generation, vaults)] = connection.execute(
                "select coalesce(sum(generation), 0), count(*) from brain.vaults"
            ).fetchall()
            [(notes, fragments)] = connection.execute(
                "select coalesce(sum(notes), 0), coalesce(sum(fragments), 0) from brain.sizes"
            ).fetchall()
            [(size,)] = connection.execute(
                "select coalesce(sum(pg_total_relation_size(oid)), 0) from pg_class"
                " where relnamespace = 'brain'::regnamespace and relkind = 'r'"
            ).fetchall()
        short = str(version).split(" ", 1)[0]
        return Health(short, latency_ms, int(generation), int(notes), int(fragments), int(vaults), int(size))

    def close(self) -> None:
        if connection := vars(self).pop("_opened", None):
            connection.close()

    def _again(self, ask: Callable[[], Answer]) -> Answer:
        """Return an answer; if a connection that was open before is closed, ask again on a new one."""
        was_open = "_opened" in vars(self)
        try:
            return ask()
        except StoreError:
            if not (was_open and self.connection.closed):
                raise
            self.close()
            return ask()


def open_store(url: str) -> PostgresStore:
    """Open the shared memory at an address; it connects on the first request."""
    return PostgresStore(connection_parameters(url))
