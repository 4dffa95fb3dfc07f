"""A connection to a server that ends in time, whatever the server does."""

import logging
import selectors
from collections.abc import Generator, Mapping
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row
from psycopg.waiting import Wait

# The driver reports the end of a broken connection there; our own sentence is enough.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class TooSlowError(psycopg.OperationalError):
    """The server did not answer in time."""

    sqlstate = "57014"


class TimelyConnection(psycopg.Connection[Any]):
    """A connection that closes at the time `until` instead of waiting any longer."""

    until = inf

    def wait(
        self,
        gen: Generator[Any, Any, Any],
        interval: float = 0.0,  # noqa: ARG002
        timeout: float | None = None,  # noqa: ARG002
    ) -> Any:
        """Run a conversation of the driver with the server, which yields what it waits for."""
        try:
            wanted = next(gen)
            with selectors.DefaultSelector() as selector:
                while True:
                    key = selector.register(self.pgconn.socket, wanted)
                    ready = selector.select(max(0.0, self.until - monotonic()))
                    selector.unregister(key.fileobj)
                    if not ready:
                        self.pgconn.finish()
                        raise TooSlowError
                    wanted = gen.send(ready[0][1])
        except StopIteration as end:
            return end.value

    def finish_reading(self) -> None:
        """Read the answer to a statement that nobody waited for."""
        if not self.closed:
            self.wait(self._rest())

    def _rest(self) -> Generator[Any, Any, None]:
        while True:
            while self.pgconn.is_busy():
                yield Wait.R
                self.pgconn.consume_input()
            if self.pgconn.get_result() is None:
                return


def connected(parameters: Mapping[str, str], seconds: float) -> TimelyConnection:
    """Connect to a server, or raise an error of psycopg within some seconds.

    In a thread, because a look-up of a host's name has no end of its own.
    """
    outcome = SimpleQueue[Any]()

    def connect() -> None:
        options: dict[str, Any] = dict(parameters)
        try:
            made = TimelyConnection.connect(
                **options, autocommit=True, row_factory=namedtuple_row
            )
            outcome.put(made)
        except Exception as error:
            outcome.put(error)

    Thread(target=connect, daemon=True).start()
    try:
        found = outcome.get(timeout=max(0.0, seconds))
    except Empty:
        raise TooSlowError from None
    if isinstance(found, TimelyConnection):
        return found
    raise found
