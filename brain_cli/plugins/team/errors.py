"""Explain every failure of the server in a sentence and a hint, without quoting the server's message."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from psycopg import DataError, Error, ProgrammingError, errors

from brain_cli.errors import UnreachableError
from brain_cli.plugins.team.address import place_of

TEXTS: Mapping[type[Error], tuple[str, str]] = {
    errors.QueryCanceled: ("answers too slowly", "Try again, or ask a smaller question."),
    errors.LockNotAvailable: ("is being written by another process for this vault", "Try again when it is done."),
    errors.DiskFull: ("is full: its disk has no space left", "Free some space on the server, and try again."),
    errors.OutOfMemory: ("is out of memory", "Try again, or give the server more."),
    errors.TooManyConnections: ("has no connection left", "Try again, or raise max_connections."),
    errors.ReadOnlySqlTransaction: ("is read-only", "Name the server that accepts writes, and try again."),
    errors.InsufficientPrivilege: ("does not let this user do that", "Ask who administers it (docs/shared-memory.md)."),
    errors.InvalidSchemaName: ("holds no notes yet", "Send some with `brain index`."),
    errors.UndefinedTable: ("holds no notes yet", "Send some with `brain index`."),
    errors.UndefinedColumn: ("is of another version", "Update brain, or send the notes again with `brain index`."),
    errors.UniqueViolation: ("has a vault of that name already", "Take another name."),
    errors.ReservedName: ("reserves names that begin with pg_", "Take another name."),
    errors.CannotConnectNow: ("is starting or stopping", "Try again in a moment."),
    errors.AdminShutdown: ("was shut down", "Try again when it runs."),
}
# Parts of libpq's messages when it cannot connect, and their explanations.
REFUSALS = (
    ("does not support SSL", ("does not offer TLS", "Turn `ssl` on at the server.")),
    ("certificate", ("has a certificate that cannot be verified", "Check sslmode and sslrootcert.")),
    ("no password supplied", ("requires a password", "Put it into ~/.pgpass, or name a PGPASSFILE.")),
    ("password authentication failed", ("refuses this user or password", "Check ~/.pgpass and the user's name.")),
    ("no pg_hba.conf entry", ("does not let this user in from here", "Ask who administers it.")),
    ("does not exist", ("has no such user or database", "Create them (docs/shared-memory.md).")),
    ("read-only", ("is read-only", "Name the server that accepts writes, and try again.")),
    ("too many", ("has no connection left", "Try again, or raise max_connections.")),
    ("starting up", ("is starting or stopping", "Try again in a moment.")),
    ("shutting down", ("is starting or stopping", "Try again in a moment.")),
)
UNREACHABLE = ("does not answer", "Check that it runs, or ask this vault alone with `--memory off`.")


@contextlib.contextmanager
def in_one_sentence(parameters: Mapping[str, str]) -> Iterator[None]:
    """Raise UnreachableError for every failure of the server inside the block."""
    try:
        yield
    except Error as error:
        if isinstance(error, (DataError, ProgrammingError)) and error.sqlstate is None:
            raise  # The driver refused a call of this program: a bug, not a failure of the server.
        problem, hint = _explained(error)
        raise UnreachableError(f"The shared memory at {place_of(parameters)} {problem}.", hint) from None


def rows(connection: Any, parameters: Mapping[str, str], statement: Any, values: Any) -> list[Any]:
    """Return the rows of a statement with some values; none of one that returns nothing."""
    with in_one_sentence(parameters):
        cursor = settled(connection).execute(statement, values)
        found: list[Any] = cursor.fetchall() if cursor.description else []
    return found


def _explained(error: Error) -> tuple[str, str]:
    for kind, text in TEXTS.items():
        if isinstance(error, kind):
            return text
    if error.sqlstate is None:
        message = str(error)
        return next((text for part, text in REFUSALS if part in message), UNREACHABLE)
    if error.sqlstate.startswith(("08", "57P")):
        return UNREACHABLE
    return f"failed with the error {error.sqlstate}", "See the server's log."


def settled(connection: Any) -> Any:
    """Return a connection after reading all results of its last transaction."""
    while not connection.closed and connection.pgconn.get_result() is not None:
        pass
    return connection
