"""A shared memory on a PostgreSQL server. A store has one connection, opened when it is first
needed.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import psycopg

from brain_cli.errors import UnreachableError, UsageError, did_you_mean
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.address import connection_parameters, place_of
from brain_cli.plugins.team.connection import TimelyConnection, connected
from brain_cli.plugins.team.note import storable
from brain_cli.plugins.team.patience import QUESTION, SET_LIMITS, Patience
from brain_cli.plugins.team.rows import ROW_ERRORS, check_whole, sent_note
from brain_cli.plugins.team.schema import EARLIER, make_tables
from brain_cli.plugins.team.writer import VaultWriter
from brain_cli.printable import counted, some_of

Answer = TypeVar("Answer")
# Patterns of SQLSTATEs, or of libpq's messages when it cannot connect, and their explanations.
TEXTS = (
    ("57014", "answers too slowly", "Try again, or ask a smaller question."),
    (
        "55P03",
        "is locked by somebody for too long",
        "Try again when it is done.",
    ),
    (
        "53100",
        "is full: its disk has no space left",
        "Free some space on the server, and try again.",
    ),
    ("53300|too many", "has no connection left", "Try again, or raise max_connections."),
    (
        "25006|read-only",
        "is read-only",
        "Name the server that accepts writes, and try again.",
    ),
    (
        "42501",
        "does not let this user do that",
        "Ask who administers it (docs/shared-memory.md).",
    ),
    ("3F000|42P01", "holds no notes yet", "Send some with `brain index`."),
    # A column or a function is missing.
    ("42703|42883", *EARLIER),
    ("23505", "has a vault of that name already", "Take another name."),
    ("42939", "reserves names that begin with pg_", "Take another name."),
    ("does not support SSL", "does not offer TLS", "Turn `ssl` on at the server."),
    (
        "certificate",
        "has a certificate that cannot be verified",
        "Check sslmode and sslrootcert.",
    ),
    (
        "no password supplied",
        "requires a password",
        "Put it into ~/.pgpass, or name a PGPASSFILE.",
    ),
    (
        "password auth",
        "refuses this user or password",
        "Check ~/.pgpass and the user's name.",
    ),
    ("pg_hba.conf", "does not let this user in from here", "Ask who administers it."),
    (
        "does not exist",
        "has no such user or database",
        "Create them (docs/shared-memory.md).",
    ),
    # Any other code, unless a connection failed, or a server is starting or stopping.
    ("^(?!08|57P)[0-9A-Z]{5}$", "failed with the error {}", "See the server's log."),
)
UNREACHABLE = (
    "does not answer",
    "Check that it runs, or ask this vault alone with `--memory off`.",
)


class VaultState(NamedTuple):
    """A vault on a server: its owner, the roles that read it (none: all), its notes, and when it
    was last sent.
    """

    name: str
    owner: str
    readers: Sequence[str]
    notes: int
    sent: str
    stale: bool

    def __str__(self) -> str:
        """Return the vault in a few words."""
        when = "not sent since" if self.stale else "sent"
        return f"{self.name} ({self.owner}, {when} {self.sent})"


class Health(NamedTuple):
    """The state of a server: its version, its notes, fragments and bytes, and its vaults."""

    version: str
    notes: int
    fragments: int
    size_bytes: int
    vaults: Sequence[VaultState]

    def __str__(self) -> str:
        """Return the state in one line."""
        return (
            f"PostgreSQL {self.version}: {self.notes:,} notes and {self.fragments:,} fragments"
            f" of {counted(len(self.vaults), 'vault')}, {self.size_bytes / 1e6:,.1f} MB:"
            f" {some_of(list(map(str, self.vaults)), 6)}"
        )


class Store:
    """The shared memory at one address; it connects on the first request.

    `begin` starts the clock for what follows: `patience` says how long that may take.
    """

    patience: Patience

    def __init__(self, url: str) -> None:
        self.parameters = connection_parameters(url)
        self._opened: dict[str, TimelyConnection] = {}
        self.begin(QUESTION)

    def begin(self, patience: Patience | None = None) -> None:
        self.patience = patience or self.patience
        self._until = monotonic() + self.patience.whole

    @property
    def connection(self) -> TimelyConnection:
        """The connection that reads, ready for a statement; UnreachableError if it cannot be
        opened.
        """
        return self._connected("any")

    @property
    def primary(self) -> TimelyConnection:
        """The connection that writes: another one where the first is to a standby, which the server
        reports.
        """
        if self.connection.info.parameter_status("in_hot_standby") != "on":
            return self.connection
        return self._connected("read-write")

    @property
    def limits(self) -> tuple[str, Mapping[str, object]]:
        """The statement that gives a transaction its timeouts."""
        seconds = {"lock": self.patience.lock, "statement": self.patience.statement}
        return SET_LIMITS, seconds

    def _connected(self, demand: str) -> TimelyConnection:
        """Return the connection to a server that meets a demand, by `target_session_attrs` of
        libpq.
        """
        with self.in_one_sentence():
            if demand not in self._opened:
                demanded = {} if demand == "any" else {"target_session_attrs": demand}
                seconds = self._until - monotonic()
                self._opened[demand] = connected({**self.parameters, **demanded}, seconds)
            connection = self._opened[demand]
            connection.until = self._until
            connection.finish_reading()
        return connection

    @contextmanager
    def in_one_sentence(self) -> Iterator[None]:
        """Raise UnreachableError for every failure of the server inside the block, without quoting
        its message.
        """
        try:
            yield
        except psycopg.Error as error:
            if (
                isinstance(error, (psycopg.DataError, psycopg.ProgrammingError))
                and error.sqlstate is None
            ):
                # The driver refused a call of this program: a bug, not a failure of the server.
                raise
            told = error.sqlstate or str(error)
            known = (text for pattern, *text in TEXTS if re.search(pattern, told))
            problem, hint = next(known, UNREACHABLE)
            raise UnreachableError(
                f"The shared memory at {place_of(self.parameters)} {problem.format(told)}.",
                hint,
            ) from None

    def rows(self, statement: Any, *parameters: object) -> list[Any]:
        """Return the rows of a statement that reads, or writes in a transaction; none of one that
        returns nothing.
        """
        with self.in_one_sentence():
            return self._run(self.connection, statement, parameters)

    def call(self, function: str, *values: object) -> list[Any]:
        """Return the rows of a function that writes (schema.py)."""
        return self.written(
            f"select * from brain.{function}({', '.join(['%s'] * len(values))})", *values
        )

    def written(self, statement: str, *parameters: object) -> list[Any]:
        """Return the rows of a statement that the server which writes answers."""
        return self.again(lambda: self._run(self.primary, statement, parameters))

    def _run(self, connection: Any, statement: Any, parameters: Sequence[object]) -> list[Any]:
        with connection.pipeline():
            connection.execute(*self.limits)
            cursor = connection.execute(statement, parameters or None)
        return cursor.fetchall() if cursor.description else []

    def make_tables(self) -> None:
        """Make the tables where there are none; UnreachableError if theirs is another version."""

        def make() -> None:
            try:
                make_tables(self.primary, self.limits)
            except psycopg.errors.UniqueViolation:
                # Another process has made them meanwhile.
                make_tables(self.primary, self.limits)

        self.again(make)

    def vault(self, name: str, origin: str, *, join: bool = False) -> VaultWriter:
        """Open a vault for writing, made if it is new; UnreachableError if its origin is another,
        except to `join` it.

        A vault that was renamed on the server has another name than that asked for.
        """
        self.make_tables()
        if not (found := self.call("open_vault", storable(name), origin)):
            raise UnreachableError(
                f"The vault “{name}” of the shared memory is hidden from this user.",
                "Send under another name.",
            )
        [(vault_id, called, owner, known, is_writable)] = found
        if not is_writable:
            raise UnreachableError(
                f"The vault “{called}” of the shared memory belongs to {owner}.",
                f"Ask {owner}, or use one of your own: brain index --as NAME, brain add --path "
                "NAME:",
            )
        if known != origin and not join:
            raise UnreachableError(
                f"The shared memory has another vault called “{name}”.",
                "Send this one as another, brain index --as NAME, or go on with that one: brain "
                f"index --as {name}.",
            )
        return VaultWriter(self, vault_id)

    def own_vault(self, name: str = "") -> VaultWriter:
        """Open a vault that this user may write, by its name; else the user's only one, or a new
        one called like them.

        UsageError if there are several, or none of that name.
        """
        called = self.connection.info.user
        if name:
            called = self.state_of(name).name
        else:
            mine = [each.name for each in self.vaults() if each.owner == called]
            if len(mine) == 1:
                called = mine[0]
            elif mine and called not in mine:
                raise UsageError(
                    f"You have the vaults {some_of(mine)} there.",
                    "Name one of them: --path VAULT:",
                )
        return self.vault(called, os.urandom(8).hex(), join=True)

    def state_of(self, name: str) -> VaultState:
        """Return the vault of a name; UsageError if this user may read none of that name."""
        known = {each.name: each for each in self.vaults()}
        if name not in known:
            raise UsageError(
                f"The shared memory has no vault “{name}”.", did_you_mean(name, known)
            )
        return known[name]

    def vaults(self) -> list[VaultState]:
        """Return the vaults that this user may read."""
        return [VaultState(*row) for row in self.rows(queries.VAULTS)]

    def health(self) -> Health:
        """Return the state of the server."""
        [found] = self.rows(queries.HEALTH)
        version = self.connection.info.parameter_status("server_version") or ""
        return Health._make((version.partition(" ")[0], *found, self.vaults()))

    def unreadable(self) -> tuple[list[str], int]:
        """Return the notes that cannot be read, by vault and path, and how many were checked while
        the patience lasts.
        """
        found = []
        checked = 0
        last = 0
        end = monotonic() + self.patience.whole / 2
        while monotonic() < end and (rows := self.rows(queries.EVERY_NOTE, last)):
            for row in rows:
                try:
                    check_whole(sent_note(row), row.texts)
                except ROW_ERRORS:
                    found.append(f"{row.vault}:{row.path}")
            checked += len(rows)
            last = rows[-1].note_id
        return found, checked

    def close(self) -> None:
        while self._opened:
            self._opened.popitem()[1].close()

    def again(self, ask: Callable[[], Answer]) -> Answer:
        """Return an answer; if a connection that was open before is closed, ask again on
        a new one.
        """
        was_open = bool(self._opened)
        try:
            with self.in_one_sentence():
                return ask()
        except UnreachableError:
            if not (was_open and self.connection.closed):
                raise
        self.close()
        with self.in_one_sentence():
            return ask()
