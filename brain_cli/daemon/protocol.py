"""How client and daemon talk: a socket and frames of bytes. Nothing is unpickled.

A request is one frame. The response is a sequence of frames:

    o, e     bytes for stdout and stderr, in the order in which they appear
    p        bytes for stdout that a terminal may show in a pager
    .        accepted: the command runs from now on
    x        the exit code, as the last frame
    n        declined: the client runs the command itself
"""

from __future__ import annotations

import os

from brain_cli.paths import MAX_SOCKET_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket as sockets
    from _socket import socket
    from collections.abc import Iterable

REQUEST = b"q"
OUT = b"o"
PAGED = b"p"
ERR = b"e"
ACCEPTED = b"."
EXIT = b"x"
DECLINED = b"n"
# A client whose request is not accepted within this time runs its command itself.
ACCEPT_SECONDS = 2.0
# An accepted request is being answered, so its client waits longer: giving up, it would record the
# recall again.
ANSWER_SECONDS = 30.0
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
        # Whether stdout and stderr are terminals, and the columns and rows of stdout's (0:
        # unknown).
        self.screen = screen
        self.stdin = stdin


def pack(texts: Iterable[bytes]) -> bytes:
    """Join byte strings, each after its length."""
    return b"".join(len(text).to_bytes(4, "big") + text for text in texts)


def unpack(packed: bytes) -> list[bytes]:
    """Split what `pack` joined; raise ValueError for anything else."""
    texts = []
    start = 0
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
    """Receive a frame and return its kind and content; raise OSError on silence, a closed
    connection or a huge frame.

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
    texts = (
        version,
        request.folder,
        " ".join(str(int(each)) for each in request.screen),
        str(len(request.argv)),
        *request.argv,
        *(f"{name}={value}" for name, value in request.environ.items()),
    )
    stdin = b"" if request.stdin is None else b"+" + request.stdin
    fields = (text.encode("utf-8", "surrogateescape") for text in texts)
    return frame(REQUEST, pack([stdin, *fields]))


def decode(content: bytes, version: str) -> Request:
    """Return the request in a frame; raise ValueError if it is malformed or of another protocol
    version.
    """
    stdin, *fields = unpack(content)
    peer_version, folder, screen, count, *rest = (
        field.decode("utf-8", "surrogateescape") for field in fields
    )
    if peer_version != version:
        raise ValueError("another protocol version")
    arguments = int(count)
    out, err, columns, rows = map(int, screen.split())
    return Request(
        argv=rest[:arguments],
        folder=folder,
        environ=dict(pair.split("=", 1) for pair in rest[arguments:]),
        screen=(bool(out), bool(err), columns, rows),
        stdin=stdin[1:] if stdin else None,
    )


def apply_path(path: str, action: str, connection: socket) -> None:
    """Call a socket's `bind` or `connect` with a path. On Linux, too long a path is reached through
    its open folder.
    """
    if len(os.fsencode(path)) <= MAX_SOCKET_BYTES:
        getattr(connection, action)(path)
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        getattr(connection, action)(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    finally:
        os.close(folder)


def is_same_user(connection: socket) -> bool:
    """Return whether the peer runs as this user. If the system cannot tell, the socket's mode 0600
    protects it.
    """
    import _socket
    import sys

    if not hasattr(_socket, "SO_PEERCRED"):
        return True
    credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    # struct ucred: process, user, group.
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.geteuid()


def listening_socket(path: str, backlog: int) -> sockets.socket:
    """Bind a socket for this user only. The caller holds the daemon's lock, so an old socket may be
    replaced.
    """
    import socket

    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    status = os.lstat(folder)
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(1, f"{folder} is not yours alone")
    if os.path.lexists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o177)
    try:
        apply_path(path, "bind", listener)
        listener.listen(backlog)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(mask)
    return listener
