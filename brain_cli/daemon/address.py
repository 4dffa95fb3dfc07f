"""The path of a vault's socket: in the runtime folder, else next to the index."""

from __future__ import annotations

import os

from brain_cli.paths import cache_home, vault_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping

# The kernel's limit for the path of a socket (104 bytes on macOS, 108 on Linux), less a final NUL.
MAX_PATH_BYTES = 103


def address(vault: str, environ: Mapping[str, str]) -> str:
    """Return the path of the socket. It depends on the cache folder too: another cache has another daemon."""
    from zlib import adler32, crc32

    index_folder = os.path.join(cache_home(environ), "brain", vault_name(vault))
    runtime_folder = environ.get("XDG_RUNTIME_DIR", "")
    name = index_folder.encode("utf-8", "surrogateescape")
    path = os.path.join(runtime_folder, "brain", f"{crc32(name):08x}{adler32(name):08x}.sock")
    if runtime_folder.startswith("/") and len(os.fsencode(path)) <= MAX_PATH_BYTES:
        return path
    return os.path.join(index_folder, "socket")


def apply_path(path: str, action: str, connection: socket) -> None:
    """Call a socket's `bind` or `connect` with a path. On Linux, too long a path is reached through its open folder."""
    if len(os.fsencode(path)) <= MAX_PATH_BYTES:
        getattr(connection, action)(path)
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        getattr(connection, action)(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    finally:
        os.close(folder)


def is_same_user(connection: socket) -> bool:
    """Return whether the peer runs as this user. If the system cannot tell, the socket's mode 0600 protects it."""
    import _socket
    import sys

    if not hasattr(_socket, "SO_PEERCRED"):
        return True
    credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    # struct ucred: process, user, group.
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.geteuid()
