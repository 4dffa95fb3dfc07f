"""The socket server of the daemon: a thread for each connection, and heartbeats while commands run."""

from __future__ import annotations

import contextlib
import os
import socket
import socketserver
from collections.abc import Callable
from threading import BoundedSemaphore, Event, Lock, Thread, current_thread
from typing import Any

from brain_cli.daemon import protocol
from brain_cli.daemon.address import apply_path, is_same_user
from brain_cli.daemon.garbage import collect_if_due
from brain_cli.daemon.protocol import Request
from brain_cli.version import PROTOCOL_VERSION

# Further connections wait for a free thread; if that takes too long, their clients run the command themselves.
MAX_THREADS = 16
# A client that neither sends nor receives for this long is disconnected.
CLIENT_TIMEOUT_SECONDS = 5.0
# On closing, wait this long for each command that is still running.
CLOSE_SECONDS = 2.0


class Response:
    """The response to one client; several threads may write to it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = Lock()

    def out(self, content: bytes) -> None:
        """Send bytes for stdout; raise BrokenPipeError if the client has disconnected."""
        self.send(protocol.OUT, content)

    def err(self, text: str) -> None:
        """Send a text for stderr."""
        self.send(protocol.ERR, text.encode("utf-8", "backslashreplace"))

    def send(self, kind: bytes, content: bytes = b"") -> None:
        """Send a frame; raise BrokenPipeError if the client has disconnected."""
        with self._lock:
            try:
                self._connection.sendall(protocol.frame(kind, content))
            except OSError:
                raise BrokenPipeError from None

    def heartbeat(self) -> None:
        """Send a heartbeat, unless another frame is being sent."""
        if self._lock.acquire(blocking=False):
            try:
                self._connection.send(protocol.frame(protocol.HEARTBEAT), socket.MSG_DONTWAIT)
            except OSError:
                pass
            finally:
                self._lock.release()


Respond = Callable[[Request, Response], int | None]


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """A server at a path. `respond` runs a request and returns its exit code, or None to decline it."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, path: str, respond: Respond) -> None:
        self.path = path
        self.respond = respond
        self.responses: dict[Thread, Response] = {}
        self._threads_left = BoundedSemaphore(MAX_THREADS)
        self._closing = Event()
        super().__init__(path, RequestHandler)
        Thread(target=self.serve_forever, args=(protocol.HEARTBEAT_SECONDS,), daemon=True).start()

    def close(self) -> None:
        """Accept no more connections, remove the socket, and wait for the commands that are running."""
        self._closing.set()
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        self.shutdown()
        self.server_close()
        for thread in list(self.responses):
            thread.join(CLOSE_SECONDS)

    def is_reachable(self) -> bool:
        """Return whether the socket is still where clients look for it."""
        return os.path.exists(self.path)

    def server_bind(self) -> None:
        """Bind the socket for this user only. The caller holds the daemon's lock, so an old socket may be replaced."""
        folder = os.path.dirname(self.path)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        status = os.lstat(folder)
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise PermissionError(1, f"{folder} is not yours alone")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        mask = os.umask(0o177)
        try:
            apply_path(self.path, "bind", self.socket)
        finally:
            os.umask(mask)

    def verify_request(self, request: Any, client_address: object) -> bool:  # noqa: ARG002 - socketserver's signature
        return not self._closing.is_set() and is_same_user(request)

    def process_request(self, request: Any, client_address: Any) -> None:
        while not self._threads_left.acquire(timeout=protocol.HEARTBEAT_SECONDS):
            self.service_actions()
            if self._closing.is_set():
                self.shutdown_request(request)
                return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
            collect_if_due()
        finally:
            self._threads_left.release()

    def service_actions(self) -> None:
        """Send heartbeats; `serve_forever` calls this at least every HEARTBEAT_SECONDS."""
        for response in list(self.responses.values()):
            response.heartbeat()


class RequestHandler(socketserver.BaseRequestHandler):
    """One connection: read the request, run it, send the exit code."""

    server: Server
    request: socket.socket

    def handle(self) -> None:
        self.request.settimeout(CLIENT_TIMEOUT_SECONDS)
        # A client that disconnects or sends garbage must not affect the others.
        with contextlib.suppress(OSError):
            kind, content = protocol.receive(self.request, protocol.MAX_REQUEST_BYTES)
            if kind == protocol.REQUEST:
                self._respond(content)

    def _respond(self, content: bytes) -> None:
        response = Response(self.request)
        try:
            request = protocol.decode(content, PROTOCOL_VERSION)
        except ValueError:
            response.send(protocol.DECLINED)
            return
        self.server.responses[current_thread()] = response
        try:
            code = self.server.respond(request, response)
        finally:
            del self.server.responses[current_thread()]
        response.send(protocol.DECLINED) if code is None else response.send(protocol.EXIT, bytes([code]))
