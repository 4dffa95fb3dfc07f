"""The protocol of client and daemon: frames of bytes with their lengths. Nothing is unpickled.

A request is one frame. The response is a sequence of frames:

    o, e     bytes for stdout and stderr, in the order in which they appear
    .        a heartbeat while the command runs; without it, the daemon hangs
    x        the exit code, as the last frame
    n        declined: the client runs the command itself
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterable

REQUEST, OUT, ERR, HEARTBEAT, EXIT, DECLINED = b"q", b"o", b"e", b".", b"x", b"n"
# The client gives up after this silence; the daemon sends a heartbeat more often than that.
SILENCE_SECONDS = 2.0
HEARTBEAT_SECONDS = 0.5
MAX_REQUEST_BYTES = 1 << 20
MAX_RESPONSE_BYTES = 1 << 30
RECEIVE_BYTES = 1 << 20


class Request:
    """A command line and its environment; `stdin` is None if it was not read."""

    def __init__(
        self,
        argv: list[str],
        folder: str,
        environ: dict[str, str],
        screen: tuple[bool, bool, int, int],
        stdin: bytes | None,
    ) -> None:
        self.argv = argv
        self.folder = folder
        self.environ = environ
        # Whether stdout and stderr are terminals, and the columns and rows of stdout's (0: unknown).
        self.screen = screen
        self.stdin = stdin


def pack(texts: Iterable[bytes]) -> bytes:
    """Join byte strings, each after its length."""
    return b"".join(len(text).to_bytes(4, "big") + text for text in texts)


def unpack(packed: bytes) -> list[bytes]:
    """Split what `pack` joined; raise ValueError for anything else."""
    texts, start = [], 0
    while start < len(packed):
        end = start + 4 + int.from_bytes(packed[start : start + 4], "big")
        if end > len(packed):
            raise ValueError("cut short")
        texts.append(packed[start + 4 : end])
        start = end
    return texts


def frame(kind: bytes, content: bytes = b"") -> bytes:
    """Return a frame: its kind, the length of its content, its content."""
    return kind + len(content).to_bytes(4, "big") + content


def receive(connection: socket, max_bytes: int = MAX_RESPONSE_BYTES) -> tuple[bytes, bytes]:
    """Receive a frame and return its kind and content; raise OSError on silence, a closed connection or a huge frame.

    The connection's timeout applies to each part that arrives.
    """
    head = _receive_exactly(connection, 5)
    length = int.from_bytes(head[1:], "big")
    if length > max_bytes:
        raise OSError("the frame is too long")
    return head[:1], _receive_exactly(connection, length)


def _receive_exactly(connection: socket, length: int) -> bytes:
    parts = []
    while length:
        part = connection.recv(min(length, RECEIVE_BYTES))
        if not part:
            raise OSError("the connection was closed")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def encode(request: Request, version: str) -> bytes:
    """Return a request as a frame, with the version of the protocol."""
    texts = [version, request.folder, " ".join(str(int(each)) for each in request.screen), str(len(request.argv))]
    texts += [*request.argv, *(f"{name}={value}" for name, value in request.environ.items())]
    fields = [text.encode("utf-8", "surrogateescape") for text in texts]
    return frame(REQUEST, pack([b"" if request.stdin is None else b"+" + request.stdin, *fields]))


def decode(content: bytes, version: str) -> Request:
    """Return the request in a frame; raise ValueError if it is malformed or of another protocol version."""
    stdin, *fields = unpack(content)
    peer_version, folder, screen, count, *rest = (field.decode("utf-8", "surrogateescape") for field in fields)
    if peer_version != version:
        raise ValueError("another protocol version")
    argv, pairs = rest[: int(count)], rest[int(count) :]
    out, err, columns, rows = map(int, screen.split())
    environ = dict(pair.split("=", 1) for pair in pairs)
    return Request(argv, folder, environ, (bool(out), bool(err), columns, rows), stdin[1:] if stdin else None)
