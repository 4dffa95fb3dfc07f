"""Answers other processes on a socket: a thread for each, and a word now and then while one takes long."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from threading import BoundedSemaphore, Event, Lock, Thread, current_thread

from brain_cli.daemon import protocol as protocol
from brain_cli.daemon.address import at, is_own
from brain_cli.daemon.protocol import Request
from brain_cli.version import PROTOCOL_VERSION

# More at a time only wait for each other; the next ones wait for a place, or do it themselves.
MOST_AT_ONCE = 16
# Whoever does not take an answer for so long does not want it any more.
PATIENCE_SECONDS = 5.0
FAREWELL_SECONDS = 2.0


class Reply:
    """The way back to one asker; several threads may use it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = Lock()

    def out(self, content: bytes) -> None:
        """Send bytes for stdout; BrokenPipeError when the asker has gone."""
        self.send(protocol.OUT, content)

    def err(self, text: str) -> None:
        """Send a text for stderr."""
        self.send(protocol.ERR, text.encode("utf-8", "backslashreplace"))

    def send(self, kind: bytes, content: bytes = b"") -> None:
        with self._lock:
            try:
                self._connection.sendall(protocol.frame(kind, content))
            except OSError:
                raise BrokenPipeError from None

    def beat(self) -> None:
        """Say that there is still work going on, unless something else is just being sent."""
        if self._lock.acquire(blocking=False):
            try:
                self._connection.send(protocol.frame(protocol.WORKING), socket.MSG_DONTWAIT)
            except OSError:
                pass
            finally:
                self._lock.release()


Respond = Callable[[Request, Reply], int | None]


class Server:
    """Listens at a path for questions; `respond` answers one and returns its exit code, None to decline."""

    def __init__(self, path: str, respond: Respond) -> None:
        self._path = path
        self._respond = respond
        self._socket = _listening(path)
        self._places = BoundedSemaphore(MOST_AT_ONCE)
        self._stopped = Event()
        self._replies: dict[Thread, Reply] = {}
        for work in (self._accept, self._beat):
            Thread(target=work, daemon=True).start()

    def close(self) -> None:
        """Take no more questions, remove the socket, and let those under way come to their end."""
        self._stopped.set()
        with contextlib.suppress(OSError):
            os.unlink(self._path)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in list(self._replies):
            thread.join(FAREWELL_SECONDS)

    def is_reachable(self) -> bool:
        """Whether the socket is still where askers look for it."""
        return os.path.exists(self._path)

    def _accept(self) -> None:
        while not self._stopped.is_set():
            self._places.acquire()
            try:
                connection, _ = self._socket.accept()
            except OSError:
                self._places.release()
                self._stopped.wait(protocol.BEAT_SECONDS)
                continue
            connection.settimeout(PATIENCE_SECONDS)
            thread = Thread(target=self._meet, args=(connection,), daemon=True)
            thread.start()

    def _beat(self) -> None:
        while not self._stopped.wait(protocol.BEAT_SECONDS):
            for reply in list(self._replies.values()):
                reply.beat()

    def _meet(self, connection: socket.socket) -> None:
        """Hear one asker out and answer; what goes wrong here is not for the others to notice."""
        try:
            with connection, contextlib.suppress(OSError, ValueError):
                if is_own(connection):
                    self._hear(connection)
        finally:
            self._places.release()

    def _hear(self, connection: socket.socket) -> None:
        reply = Reply(connection)
        kind, content = protocol.receive(connection)
        if kind != protocol.QUESTION:
            return
        try:
            question = protocol.decoded(content, PROTOCOL_VERSION)
        except ValueError:
            reply.send(protocol.DECLINED)
            return
        self._replies[current_thread()] = reply
        try:
            code = self._respond(question, reply)
        finally:
            del self._replies[current_thread()]
        reply.send(protocol.DECLINED) if code is None else reply.send(protocol.EXIT, bytes([code]))


def _listening(path: str) -> socket.socket:
    """Return a socket at a path, for its owner alone; whoever holds the watcher's lock may replace an old one."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    status = os.lstat(folder)
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(1, f"{folder} is not yours alone")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        at(path, "bind", listening)
    finally:
        os.umask(mask)
    listening.listen(128)
    return listening
