"""Write into a vault: one process at a time, each file as it was or as it shall be, whatever happens meanwhile.

A file is written beside its place under a hidden name, made durable, and renamed into it. What a killed process
left behind is removed by the next edit in that folder.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import time
from collections.abc import Iterator

from brain_cli.errors import BrainError
from brain_cli.regular_file import NotRegularError, TooLargeError, read_regular

TEMPORARY = ".brain-tmp"
LOCK_SECONDS = 10.0
MAX_NOTE_BYTES = 256 * 1024 * 1024
# An edit is no new thought: an undated note keeps its age, but whoever compares times sees a change.
EDIT_STEP_NS = 1_000_000_000


@contextlib.contextmanager
def editing(vault: str) -> Iterator[None]:
    """Be the one brain that edits notes of this vault; nothing is written for it, and any death ends it."""
    handle = os.open(vault, os.O_RDONLY | os.O_DIRECTORY)
    try:
        until = time.monotonic() + LOCK_SECONDS
        while not _locked(handle):
            if time.monotonic() >= until:
                raise BrainError("Another brain is changing notes of this vault.", "Try again when it is done.")
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some network folders know no locks; an edit there is no less atomic.
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


def read_note(vault: str, path: str) -> bytes:
    """Return the bytes of a note; a link or a pipe in its place is neither followed nor waited for."""
    try:
        return read_regular(os.path.join(vault, path), MAX_NOTE_BYTES, os.O_NOFOLLOW)
    except NotRegularError:
        raise BrainError(f"{path} is not a file that could be a note.") from None
    except TooLargeError:
        raise BrainError(f"{path} is longer than {MAX_NOTE_BYTES >> 20} MB, too long for a note.") from None


def replace_note(vault: str, path: str, before: bytes, after: bytes) -> None:
    """Let a note have other bytes, and its mode and age as they were; BrainError when it is no longer `before`."""
    place = os.path.join(vault, path)
    status = os.stat(place)
    temporary = _written_beside(place, after)
    try:
        _dress(temporary, place, status)
        os.utime(temporary, ns=(status.st_atime_ns, status.st_mtime_ns + EDIT_STEP_NS))
        if read_note(vault, path) != before:
            raise BrainError(f"{path} was changed by somebody else at this moment.", "Try again.")
        os.replace(temporary, place)
    except BaseException:
        _gone(temporary)
        raise
    sync_folder(os.path.dirname(place))


def create_note(vault: str, path: str, raw: bytes, like: str | None = None) -> None:
    """Write a new note, and its folders; FileExistsError rather than overwrite. `like` lends its mode and times."""
    place = os.path.join(vault, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    temporary = _written_beside(place, raw, mode=0o666)
    try:
        if like is not None:
            _dress(temporary, like, os.stat(like))
        put(temporary, place)
    except BaseException:
        _gone(temporary)
        raise
    sync_folder(os.path.dirname(place))


def put(source: str, place: str) -> None:
    """Rename a file; FileExistsError rather than overwrite."""
    try:
        os.link(source, place, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV):
            raise
        # A folder that knows no second names: the look before the leap is all there is.
        if os.path.lexists(place):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), place) from None
        os.rename(source, place)
    else:
        os.unlink(source)


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable, where the file system lets one ask for it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _written_beside(place: str, raw: bytes, mode: int = 0o600) -> str:
    folder, name = os.path.split(place)
    _sweep(folder)
    # The name is cut, for it grows: a file name has 255 bytes.
    start = os.fsdecode(os.fsencode(name)[:180])
    temporary = os.path.join(folder, f".{start}.{os.getpid()}{TEMPORARY}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with open(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(handle)
    except BaseException:
        _gone(temporary)
        raise
    return temporary


def _sweep(folder: str) -> None:
    """Remove what killed processes left in a folder; whoever edits holds the lock, so nobody needs it any more."""
    for name in os.listdir(folder):
        if name.startswith(".") and name.endswith(TEMPORARY):
            _gone(os.path.join(folder, name))


def _dress(temporary: str, place: str, status: os.stat_result) -> None:
    """Give a file the owner, mode, times and attributes of another."""
    with contextlib.suppress(OSError):
        os.chown(temporary, status.st_uid, status.st_gid)
    shutil.copystat(place, temporary)


def _gone(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
