"""Where the watcher of a vault listens: in the runtime folder, else beside the index."""

from __future__ import annotations

import os

from brain_cli.paths import cache_home, vault_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping

# The kernel takes no longer path for a socket (104 on a Mac, 108 on Linux).
LONGEST_PATH = 103


def address(vault: str, environ: Mapping[str, str]) -> str:
    """Return the path of the socket; an index elsewhere (another XDG_CACHE_HOME) has another watcher."""
    from zlib import adler32, crc32

    place = os.path.join(cache_home(environ), "brain", vault_name(vault))
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    key = place.encode("utf-8", "surrogateescape")
    path = os.path.join(runtime, "brain", f"{crc32(key):08x}{adler32(key):08x}.sock")
    return path if runtime.startswith("/") and len(os.fsencode(path)) <= LONGEST_PATH else os.path.join(place, "socket")


def at(path: str, action: str, connection: socket) -> None:
    """Let a socket `bind` or `connect` to a path; one too long is reached through its opened folder, on Linux."""
    if len(os.fsencode(path)) <= LONGEST_PATH:
        getattr(connection, action)(path)
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        getattr(connection, action)(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    finally:
        os.close(folder)


def is_own(connection: socket) -> bool:
    """Whether the other side runs as this user; where the system does not say, the socket's owner-only mode does."""
    import _socket
    import sys

    if not hasattr(_socket, "SO_PEERCRED"):
        return True
    credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    # struct ucred: process, user, group.
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.geteuid()
