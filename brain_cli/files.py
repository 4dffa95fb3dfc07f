"""Open files with bounds, lock them, and append whole lines.

A pipe, a device or an endless file is refused without waiting for it, and stdin has an end. The
system releases a lock when its holder closes the file or dies. Some network folders have no locks;
there every lock counts as free, so a write is still atomic, but not exclusive.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike


POLL_SECONDS = 0.02
# Most files are shorter.
USUAL_BYTES = 1 << 16
# As much as is read of a note.
MAX_STDIN_BYTES = 64 << 20


class NotRegularError(OSError):
    """The path names a pipe, a device, a socket or a folder."""


class TooLargeError(OSError):
    """The file is longer than its reader allows."""


def read_stdin() -> bytes:
    """Return what is piped into this process, and of more than 64 MB only the beginning with one
    byte too many.
    """
    return b"" if sys.stdin is None else sys.stdin.buffer.read(MAX_STDIN_BYTES + 1)


def open_regular(path: str | PathLike[str], flags: int = os.O_RDONLY) -> int:
    """Open a regular file and return its handle; NotRegularError for anything else.

    Symbolic links are followed unless `flags` has O_NOFOLLOW. Opening never blocks, so a pipe
    cannot hang the caller.
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


def read_beginning(
    path: str | PathLike[str], max_bytes: int, flags: int = os.O_RDONLY
) -> bytes:
    """Return at most `max_bytes` from the beginning of a regular file."""
    with open(open_regular(path, flags), "rb") as file:
        # A read reserves memory for all the bytes that it may return.
        first = file.read(min(max_bytes, USUAL_BYTES))
        return first if len(first) < USUAL_BYTES else first + file.read(max_bytes - len(first))


def sync_file(handle: int) -> None:
    """Wait until an open file is on the disk. On macOS, fsync alone ends at the drive's cache."""
    try:
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined]
    except (AttributeError, OSError):  # another system, or a network folder
        os.fsync(handle)


def lock_file(handle: int, seconds: float | None = 0.0) -> bool:
    """Lock an open file, waiting at most `seconds` (None: without limit); return whether it is
    locked.
    """
    if seconds is None:
        return _flock(handle, fcntl.LOCK_EX)
    deadline = time.monotonic() + seconds
    while not _flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def has_locks(handle: int) -> bool:
    """Return whether the file system of a file that is open and locked has locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_locked(handle: int) -> bool:
    """Return whether another process holds the lock of an open file."""
    return not _flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)


def _flock(handle: int, operation: int) -> bool:
    try:
        fcntl.flock(handle, operation)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


def append_lines(handle: int, lines: bytes) -> None:
    """Append complete lines to a locked file that is open for appending: all of them or none, else
    OSError.

    A line that a crash left incomplete is ended first, so that the new lines do not become part of
    it.
    """
    size = os.fstat(handle).st_size
    is_torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
    raw = b"\n" + lines if is_torn else lines
    if os.write(handle, raw) != len(raw):
        os.ftruncate(handle, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
