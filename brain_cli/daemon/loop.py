"""The loop of the daemon: one thread that waits for events of the vault and for clients, and
answers one at a time.

A client whose answer would keep the others waiting is declined, and runs its command itself; so
does one that has waited for too long (`client`).
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from brain_cli.daemon import protocol
from brain_cli.daemon.protocol import Request
from brain_cli.daemon.watcher import FileWatcher
from brain_cli.version import PROTOCOL_VERSION

# A client that neither sends nor receives for this long is disconnected.
CLIENT_TIMEOUT_SECONDS = 5.0
BACKLOG = 128
# Garbage is collected between answers, because a collection during one may take 80 ms.
MANY_OBJECTS = 50_000
# Old objects are collected once in this many collections.
COLLECTIONS = 20
YOUNG = 1
OLD = 2

Send = Callable[[bytes, bytes], None]
# Run a request with the function that takes a frame of the response: its kind and its content. The
# exit code, or None to decline the request.
Respond = Callable[[Request, Send], int | None]


class BackgroundWork(Protocol):
    """Work that runs in another process while the daemon waits."""

    def continue_if_due(self) -> None:
        """Start the next part of the work if it is due."""

    def close(self) -> None:
        """Stop the work; an unfinished part is repeated later."""


@dataclass
class Daemon:
    """One vault, the watcher of its files, and the socket through which clients ask.

    It calls `refresh` when the files have changed, `respond` for each request, and continues
    `background` work. With `idle_seconds` it ends after that time without a request, and when the
    vault is gone.
    """

    vault: str
    socket_path: str
    watcher: FileWatcher
    refresh: Callable[[], None]
    respond: Respond
    background: Sequence[BackgroundWork]
    say: Callable[[str], None]
    idle_seconds: float = 0.0
    _last_request: float = field(default_factory=time.monotonic)
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _watched: int | None = None
    _listener: socket.socket | None = None
    _inode: int | None = None
    _clients: set[Client] = field(default_factory=set)

    def run(self, is_needed: Callable[[], bool]) -> None:
        """Watch the vault and answer requests until an exception stops the daemon, or it is no
        longer needed.
        """
        try:
            self.watcher.start()
            self.refresh()
            self._listen()
            self.say(f"Watching {self.vault}.")
            while is_needed() and not self._is_idle():
                self._work()
        finally:
            self._close()

    def _work(self) -> None:
        self._listen()
        self._watch()
        for work in self.background:
            work.continue_if_due()
        for key, _ in self._selector.select(self.watcher.seconds_to_wait()):
            if key.data:
                key.data()
        if self.watcher.is_scan_due():
            self.refresh()
        for client in [each for each in self._clients if each.is_silent()]:
            self._disconnect(client)
        collect_if_due()

    def _watch(self) -> None:
        """Wake up for events of the watcher, which may have a new descriptor."""
        descriptor = self.watcher.descriptor()
        if descriptor == self._watched:
            return
        if self._watched is not None:
            with contextlib.suppress(KeyError, ValueError, OSError):
                self._selector.unregister(self._watched)
        if descriptor is not None:
            self._selector.register(descriptor, selectors.EVENT_READ)
        self._watched = descriptor

    def _close(self) -> None:
        self.watcher.close()
        for work in self.background:
            work.close()
        self._stop_listening()
        for client in list(self._clients):
            self._disconnect(client)
        self._selector.close()

    def _is_idle(self) -> bool:
        """Return whether a daemon with a limit has had no request for that long, or its vault is
        gone.
        """
        idle = time.monotonic() - self._last_request
        return bool(self.idle_seconds) and (
            idle > self.idle_seconds or not os.path.isdir(self.vault)
        )

    def _listen(self) -> None:
        """Open the socket, or reopen it if it was removed or replaced."""
        if self._listener and _inode(self.socket_path) == self._inode:
            return
        self._stop_listening()
        try:
            self._listener = protocol.listening_socket(self.socket_path, BACKLOG)
        except OSError as error:
            self.say(f"Recalls are not answered from memory: {error.strerror or error}.")
        else:
            self._inode = _inode(self.socket_path)
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def _stop_listening(self) -> None:
        if self._listener:
            self._selector.unregister(self._listener)
            self._listener.close()
            # Another daemon may have its socket there by now.
            if _inode(self.socket_path) == self._inode:
                with contextlib.suppress(OSError):
                    os.unlink(self.socket_path)
        self._listener = None

    def _accept(self) -> None:
        assert self._listener
        with contextlib.suppress(OSError):
            connection, _ = self._listener.accept()
            if not protocol.is_same_user(connection):
                connection.close()
                return
            client = Client(connection)
            self._clients.add(client)
            self._selector.register(
                connection, selectors.EVENT_READ, lambda: self._receive(client)
            )

    def _receive(self, client: Client) -> None:
        try:
            content = client.received()
        except (OSError, ValueError):
            self._disconnect(client)
            return
        if content is not None:
            self._selector.modify(
                client.connection, selectors.EVENT_WRITE, lambda: self._send(client)
            )
            self._answer(client, content)

    def _answer(self, client: Client, content: bytes) -> None:
        """Run a request; a client that has gone meanwhile, because it waited for too long, gets no
        answer.
        """
        try:
            request = protocol.decode(content, PROTOCOL_VERSION)
        except ValueError:
            client.put(protocol.DECLINED)
            return
        if not client.accepts():
            self._disconnect(client)
            return
        self._last_request = time.monotonic()
        code = self.respond(request, client.put)
        if code is None:
            client.put(protocol.DECLINED)
        else:
            client.put(protocol.EXIT, bytes([code]))

    def _send(self, client: Client) -> None:
        with contextlib.suppress(OSError):
            if not client.send():
                return
        self._disconnect(client)

    def _disconnect(self, client: Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
            self._selector.unregister(client.connection)
            client.connection.close()


class Client:
    """One connection: what has been received of its request, and what is still to be sent."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        connection.setblocking(False)
        self._request = bytearray()
        self._response = bytearray()
        self._active = time.monotonic()

    def received(self) -> bytes | None:
        """Take what has arrived; return the content of the request once it is complete, else None.

        Raise OSError if the client is gone, ValueError if it sends something else.
        """
        self._active = time.monotonic()
        part = self.connection.recv(protocol.RECEIVE_BYTES)
        if not part:
            raise ConnectionResetError
        self._request += part
        head = self._request[:5]
        length = int.from_bytes(head[1:], "big")
        if not head.startswith(protocol.REQUEST) or length > protocol.MAX_REQUEST_BYTES:
            raise ValueError("not a request")
        content = bytes(self._request[5:])
        return content if len(head) == 5 and len(content) >= length else None

    def accepts(self) -> bool:
        """Inform the client that its request is being answered; return False if it is gone."""
        try:
            self.connection.sendall(protocol.frame(protocol.ACCEPTED))
            return bool(self.connection.recv(1, socket.MSG_PEEK))
        except OSError as error:
            return isinstance(error, BlockingIOError)

    def put(self, kind: bytes, content: bytes = b"") -> None:
        """Add a frame to the response."""
        self._response += protocol.frame(kind, content)
        self._active = time.monotonic()

    def send(self) -> bool:
        """Send what the client takes now; return whether that was all."""
        sent = self.connection.send(memoryview(self._response)[: protocol.RECEIVE_BYTES])
        self._active = time.monotonic()
        del self._response[:sent]
        return not self._response

    def is_silent(self) -> bool:
        """Return whether the client has neither sent nor taken anything for a while."""
        return time.monotonic() - self._active > CLIENT_TIMEOUT_SECONDS


def _inode(path: str) -> int | None:
    try:
        return os.lstat(path).st_ino
    except OSError:
        return None


def collect_if_due() -> None:
    """Collect garbage if many objects have been made since the last time. Automatic collection is
    off in a daemon.
    """
    made, _, collections = gc.get_count()
    if made > MANY_OBJECTS:
        gc.collect(OLD if collections > COLLECTIONS else YOUNG)
