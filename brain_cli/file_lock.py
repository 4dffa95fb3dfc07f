"""Exclusive locks on open files, and appends of whole lines under them.

The system releases a lock when its holder closes the file or dies. Some network folders have no locks; there every lock
counts as free, so a write is still atomic, but not exclusive.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time

POLL_SECONDS = 0.02


def lock_file(handle: int, seconds: float | None = 0.0) -> bool:
    """Lock an open file, waiting at most `seconds` (None: without limit); return whether it is locked."""
    if seconds is None:
        return _flock(handle, fcntl.LOCK_EX)
    deadline = time.monotonic() + seconds
    while not _flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
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
    """Append complete lines to a locked file that is open for appending: all of them or none, else OSError.

    A line that a crash left incomplete is ended first, so that the new lines do not become part of it.
    """
    size = os.fstat(handle).st_size
    is_torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
    raw = b"\n" + lines if is_torn else lines
    if os.write(handle, raw) != len(raw):
        os.ftruncate(handle, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
