"""Read with bounds: a pipe, a device or an endless file is refused without waiting for it, and stdin has an end."""

from __future__ import annotations

import errno
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike

# As much as is read of a note.
MAX_STDIN_BYTES = 64 << 20


class NotRegularError(OSError):
    """The path names a pipe, a device, a socket or a folder."""


class TooLargeError(OSError):
    """The file is longer than its reader allows."""


def read_stdin() -> bytes:
    """Return what is piped into this process, and of more than 64 MB only the beginning with one byte too many."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read(MAX_STDIN_BYTES + 1)


def open_regular(path: str | PathLike[str], flags: int = os.O_RDONLY) -> int:
    """Open a regular file and return its handle; NotRegularError for anything else.

    Symbolic links are followed unless `flags` has O_NOFOLLOW. Opening never blocks, so a pipe cannot hang the caller.
    """
    handle = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, 0o600)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise NotRegularError(errno.EINVAL, "not a regular file", os.fspath(path))


def read_regular(path: str | PathLike[str], max_bytes: int, flags: int = os.O_RDONLY) -> bytes:
    """Return the content of a regular file; TooLargeError when it is longer than `max_bytes`."""
    content = read_beginning(path, max_bytes + 1, flags)
    if len(content) > max_bytes:
        raise TooLargeError(errno.EFBIG, f"longer than {max_bytes:,} bytes", os.fspath(path))
    return content


def read_beginning(path: str | PathLike[str], max_bytes: int, flags: int = os.O_RDONLY) -> bytes:
    """Return at most `max_bytes` from the beginning of a regular file."""
    with open(open_regular(path, flags), "rb") as file:
        return file.read(max_bytes)
