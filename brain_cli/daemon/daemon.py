"""The loop of the daemon: wait for changes, refresh the index, and keep the socket open."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from brain_cli.daemon.file_watcher import FileWatcher
from brain_cli.daemon.garbage import collect_if_due
from brain_cli.daemon.protocol import Request
from brain_cli.daemon.server import Respond, Response, Server


class BackgroundWork(Protocol):
    """Work that runs in another process while the daemon waits."""

    def continue_if_due(self) -> None:
        """Start the next part of the work if it is due."""

    def close(self) -> None:
        """Stop the work; an unfinished part is repeated later."""


class Tasks(NamedTuple):
    """The work of a daemon: `refresh` the index, `respond` to a client, and continue `background` work."""

    refresh: Callable[[], None]
    respond: Respond
    background: Sequence[BackgroundWork]


class Daemon:
    """One vault, the watcher of its files, and the socket server through which clients ask.

    With `idle_seconds` it ends after that time without a request, and when the vault is gone.
    """

    def __init__(
        self,
        vault: str,
        socket_path: str,
        watcher: FileWatcher,
        tasks: Tasks,
        say: Callable[[str], None],
        idle_seconds: float = 0.0,
    ) -> None:
        self._vault = vault
        self._socket_path = socket_path
        self._watcher = watcher
        self._tasks = tasks
        self._say = say
        self._idle_seconds = idle_seconds
        self._last_request = time.monotonic()
        self._server: Server | None = None

    def run(self) -> None:
        """Watch the vault and answer requests until an exception stops the daemon, or it is no longer needed."""
        try:
            self._watcher.start()
            self._tasks.refresh()
            self._listen()
            self._say(f"Watching {self._vault}.")
            while not self._is_unneeded():
                self._work()
        finally:
            self._close()

    def _work(self) -> None:
        self._listen()
        for work in self._tasks.background:
            work.continue_if_due()
        if self._watcher.wait():
            self._tasks.refresh()
            collect_if_due()

    def _close(self) -> None:
        self._watcher.close()
        for work in self._tasks.background:
            work.close()
        if self._server:
            self._server.close()

    def _is_unneeded(self) -> bool:
        """Return whether a daemon with a limit has been idle for that long, or its vault is gone."""
        if not self._idle_seconds:
            return False
        idle = time.monotonic() - self._last_request > self._idle_seconds
        return idle or not os.path.isdir(self._vault)

    def _listen(self) -> None:
        """Open the socket, or reopen it if it was removed."""
        if self._server and self._server.is_reachable():
            return
        if self._server:
            self._server.close()
            self._server = None
        try:
            self._server = Server(self._socket_path, self._respond)
        except OSError as error:
            self._say(f"Recalls are not answered from memory: {error.strerror or error}.")

    def _respond(self, request: Request, response: Response) -> int | None:
        self._last_request = time.monotonic()
        return self._tasks.respond(request, response)
