"""Explain every failure of the server in a sentence and a hint, without quoting the server's message."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from psycopg import DataError, Error, ProgrammingError

from brain_cli.errors import UnreachableError
from brain_cli.plugins.team.address import place_of

# SQLSTATEs, or parts of libpq's messages when it cannot connect, and their explanations.
TEXTS = (
    (("57014",), "answers too slowly", "Try again, or ask a smaller question."),
    (("55P03",), "is being written by another process for this vault", "Try again when it is done."),
    (("53100",), "is full: its disk has no space left", "Free some space on the server, and try again."),
    (("53300", "too many"), "has no connection left", "Try again, or raise max_connections."),
    (("25006", "read-only"), "is read-only", "Name the server that accepts writes, and try again."),
    (("42501",), "does not let this user do that", "Ask who administers it (docs/shared-memory.md)."),
    (("3F000", "42P01"), "holds no notes yet", "Send some with `brain index`."),
    (("23505",), "has a vault of that name already", "Take another name."),
    (("42939",), "reserves names that begin with pg_", "Take another name."),
    (("does not support SSL",), "does not offer TLS", "Turn `ssl` on at the server."),
    (("certificate",), "has a certificate that cannot be verified", "Check sslmode and sslrootcert."),
    (("no password supplied",), "requires a password", "Put it into ~/.pgpass, or name a PGPASSFILE."),
    (("password auth",), "refuses this user or password", "Check ~/.pgpass and the user's name."),
    (("pg_hba.conf",), "does not let this user in from here", "Ask who administers it."),
    (("does not exist",), "has no such user or database", "Create them (docs/shared-memory.md)."),
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


def _explained(error: Error) -> tuple[str, str]:
    told = error.sqlstate or str(error)
    for parts, problem, hint in TEXTS:
        if any(part in told for part in parts):
            return problem, hint
    # A connection that failed, or a server that is starting or stopping.
    if error.sqlstate is None or error.sqlstate.startswith(("08", "57P")):
        return UNREACHABLE
    return f"failed with the error {error.sqlstate}", "See the server's log."
