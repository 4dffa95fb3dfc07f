"""Every failure of the server in one sentence: what happened, and what to do. No message quotes the server's own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from psycopg import Error, ProgrammingError, errors

from brain_cli.index.engines._postgresql_address import place_of
from brain_cli.index.shared_store import StoreError

TEXTS: Mapping[type[Error], tuple[str, str]] = {
    errors.QueryCanceled: ("answers too slowly", "Try again, or ask a smaller question."),
    errors.LockNotAvailable: ("is being written by another process for this vault", "Try again when it is done."),
    errors.DiskFull: ("is full: its disk has no room left", "Make room on the server, and try again."),
    errors.OutOfMemory: ("is out of memory", "Try again, or give the server more."),
    errors.TooManyConnections: ("has no connection left", "Try again, or raise max_connections."),
    errors.ReadOnlySqlTransaction: ("is read-only", "Name the server that takes writes, and try again."),
    errors.InsufficientPrivilege: ("does not let this user do that", "Ask who administers it (docs/shared-memory.md)."),
    errors.InvalidSchemaName: ("holds no notes yet", "Send some with `brain index`."),
    errors.UndefinedTable: ("holds no notes yet", "Send some with `brain index`."),
    errors.UndefinedColumn: ("is of another version", "Update brain, or send the notes again with `brain index`."),
    errors.CannotConnectNow: ("is starting or stopping", "Try again in a moment."),
    errors.AdminShutdown: ("was shut down", "Try again when it runs."),
}
# What libpq says when it cannot connect, and what that means.
REFUSALS = (
    ("does not support SSL", ("does not offer TLS", "Turn `ssl` on at the server.")),
    ("certificate", ("has a certificate that cannot be verified", "Check sslmode and sslrootcert.")),
    ("no password supplied", ("wants a password", "Put it into ~/.pgpass, or name a PGPASSFILE.")),
    ("password authentication failed", ("refuses this user or password", "Check ~/.pgpass and the user's name.")),
    ("no pg_hba.conf entry", ("does not let this user in from here", "Ask who administers it.")),
    ("does not exist", ("has no such user or database", "Create them (docs/shared-memory.md).")),
    ("too many", ("has no connection left", "Try again, or raise max_connections.")),
    ("starting up", ("is starting or stopping", "Try again in a moment.")),
    ("shutting down", ("is starting or stopping", "Try again in a moment.")),
)
UNREACHABLE = ("does not answer", "Check that it runs, or ask this vault alone with `--memory off`.")


@contextlib.contextmanager
def in_one_sentence(parameters: Mapping[str, str]) -> Iterator[None]:
    """Raise StoreError for every failure of the server inside the block."""
    try:
        yield
    except Error as error:
        if isinstance(error, ProgrammingError) and error.sqlstate is None:
            raise  # The driver refuses what this program asks of it: a bug, not a server that is down.
        did, hint = _told(error)
        raise StoreError(f"The shared memory at {place_of(parameters)} {did}.", hint) from None


def _told(error: Error) -> tuple[str, str]:
    for kind, text in TEXTS.items():
        if isinstance(error, kind):
            return text
    if error.sqlstate is None:
        said = str(error)
        return next((text for part, text in REFUSALS if part in said), UNREACHABLE)
    if error.sqlstate.startswith(("08", "57P")):
        return UNREACHABLE
    return f"failed with the error {error.sqlstate}", "See the server's log."


def settled(connection: Any) -> Any:
    """Return a connection that has read the answer to the end of its last transaction."""
    while not connection.closed and connection.pgconn.get_result() is not None:
        pass
    return connection
