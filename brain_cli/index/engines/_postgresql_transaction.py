"""A transaction that reads one state of a shared memory, in few round trips."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from psycopg import errors

from brain_cli.index.engines import _postgresql_queries as queries
from brain_cli.index.engines._postgresql_errors import in_one_sentence
from brain_cli.index.engines._postgresql_schema import check, version_of
from brain_cli.index.shared_store import StoreError
from brain_cli.index.shared_store_values import StoredEvent, Totals

# A recall that takes longer is cancelled.
STATEMENT_SECONDS = 30
# In place of a statement that is not needed.
NOTHING: tuple[str, Mapping[str, object]] = ("", {})
BEGIN = (
    "begin isolation level repeatable read read only",
    # Compiling a statement takes longer than running it.
    "set local jit = off",
    # The planner cannot estimate the number of postings; a nested loop over them would take minutes.
    "set local enable_nestloop = off",
    "set local enable_mergejoin = off",
    "set local work_mem = '64MB'",
    # A timeout that is set for the role or the database is kept.
    (
        "select set_config('statement_timeout', coalesce(nullif(current_setting('statement_timeout'), '0'),"
        f" '{STATEMENT_SECONDS}s'), true)"
    ),
)


class ReadingTransaction:
    """One transaction, which begins with the object; `round_trips` counts the requests to the server."""

    def __init__(self, connection: Any, parameters: Mapping[str, str], events_since: int = 0) -> None:
        self._connection = connection
        self._parameters = parameters
        self._events_since = events_since
        self._events: list[StoredEvent] = []
        self._pins: dict[str, bool] = {}
        self.round_trips = 0
        self._totals = self._begin()

    def close(self) -> None:
        """End the transaction without waiting for the server's answer (see `settled`)."""
        if not self._connection.closed:
            self._connection.pgconn.send_query(b"rollback")
            self._connection.pgconn.flush()

    def _begin(self) -> Totals:
        """Begin the transaction and read the totals, all in one round trip."""
        self.round_trips += 1
        with in_one_sentence(self._parameters), self._explained():
            with self._connection.pipeline():
                for statement in BEGIN:
                    self._connection.execute(statement)
                version = self._connection.execute("select coalesce(max(version), 0) from brain.migrations")
                totals = self._connection.execute(queries.TOTALS)
                # Tables of an earlier version have neither.
                personal = [
                    self._connection.execute(queries.EVENTS, {"since": self._events_since}),
                    self._connection.execute(queries.PINS),
                ]
            row = totals.fetchone()
            events, pins = (cursor.fetchall() for cursor in personal)
        if not check(version.fetchone()[0]):
            raise earlier_version()
        self._events, self._pins = [StoredEvent(*event) for event in events], dict(pins)
        notes, fragments, length, languages, generation, oldest_date, projects, boilerplate = row
        return Totals(
            *(int(notes), int(fragments), int(length), int(generation), tuple(languages)),
            *(oldest_date, frozenset(projects), frozenset(boilerplate)),
        )

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise StoreError for tables of an earlier version; any other error passes."""
        try:
            yield
        except errors.UndefinedTable:
            self._connection.execute("rollback")
            with self._connection.cursor() as cursor:
                if version_of(cursor):
                    raise earlier_version() from None
            raise

    def _several(self, *statements: tuple[str, Mapping[str, object]]) -> list[list[Any]]:
        """Return the rows of several statements, in one round trip; none for NOTHING."""
        self.round_trips += 1
        with in_one_sentence(self._parameters):
            with self._connection.pipeline():
                cursors = [each[0] and self._connection.cursor(binary=True).execute(*each) for each in statements]
            return [cursor.fetchall() if cursor else [] for cursor in cursors]

    def _rows(self, statement: str, parameters: Mapping[str, object]) -> list[Any]:
        self.round_trips += 1
        with in_one_sentence(self._parameters), self._connection.cursor(binary=True) as cursor:
            found: list[Any] = cursor.execute(statement, parameters).fetchall()
        return found


def earlier_version() -> StoreError:
    return StoreError("The shared memory was made by an earlier version of brain.", "Run `brain index` once.")
