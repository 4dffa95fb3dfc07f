"""Atomic, exclusive writes to a vault: lock its folder; for each file write a temporary file, fsync
and rename.

The next edit in a folder removes temporary files of killed processes.
"""

import contextlib
import errno
import os
import time
from collections.abc import Iterable, Iterator

from brain_cli.errors import BrainError
from brain_cli.files import (
    NotRegularError,
    TooLargeError,
    has_locks,
    lock_file,
    read_regular,
    sync_file,
)

# The suffix of temporary files, after the id of the writing process.
TEMPORARY = ".brain-tmp"
# The suffix of a file that is compared before it is deleted; the journal names the note that it is.
COMPARED = ".brain-old"
LOCK_SECONDS = 10.0
MAX_NOTE_BYTES = 256 * 1024 * 1024
# An edit advances the file's time by this much: the note keeps its age, and tools that compare
# times see a change.
EDIT_STEP_NS = 1_000_000_000
# The errors of a file system without hard links.
_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)


def hash_of(raw: bytes) -> str:
    """Return the hash of some bytes, as 32 hex digits."""
    try:
        # The same function; hashlib loads OpenSSL besides, which takes longer than to hash a note.
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

    return blake2b(raw, digest_size=16).hexdigest()


@contextlib.contextmanager
def vault_lock(vault: str) -> Iterator[bool]:
    """Hold the lock for editing notes of this vault; the value is False where the file system has
    no locks.

    The vault's folder itself is locked, so no lock file is needed.
    """
    handle = os.open(vault, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if not lock_file(handle, LOCK_SECONDS):
            raise BrainError(
                "Another brain process is changing notes of this vault.",
                "Try again when it is done.",
            )
        yield has_locks(handle)
    finally:
        os.close(handle)


def read_note(vault: str, path: str) -> bytes:
    """Return the bytes of a note; BrainError if its path is a link, a pipe or another
    special file.
    """
    try:
        return read_regular(os.path.join(vault, path), MAX_NOTE_BYTES, os.O_NOFOLLOW)
    except NotRegularError:
        raise BrainError(f"{path} is not a regular file, so it is not a note.") from None
    except TooLargeError:
        raise BrainError(
            f"{path} is longer than {MAX_NOTE_BYTES >> 20} MB, too long for a note."
        ) from None


def changed_meanwhile(path: str) -> BrainError:
    """Return the error about a note whose bytes are not those that were read."""
    return BrainError(f"{path} was changed by another program in the meantime.", "Try again.")


def replace_note(
    vault: str,
    path: str,
    before: bytes,
    after: bytes,
    *,
    mtime_ns: int | None = None,
) -> None:
    """Replace a note's bytes, keeping its mode, owner and (nearly) its time; BrainError if they are
    not `before`.
    """
    with _writing(vault, path) as file:
        status = os.stat(file)
        remove_leftovers(os.path.dirname(file))
        temporary = write_beside(file, after)
        try:
            _copy_attributes(temporary, file)
            os.utime(
                temporary,
                ns=(status.st_atime_ns, mtime_ns or status.st_mtime_ns + EDIT_STEP_NS),
            )
            if read_note(vault, path) != before:
                raise changed_meanwhile(path)
            os.replace(temporary, file)
        except BaseException:
            _remove(temporary)
            raise
        sync_folder(os.path.dirname(file))


def create_note(
    vault: str,
    path: str,
    raw: bytes,
    like: str | None = None,
    mtime_ns: int = 0,
) -> None:
    """Write a new note, making its folders; FileExistsError if the path is taken.

    The note takes its mode and times from the file `like`, and its time from `mtime_ns`.
    """
    with _writing(vault, path) as file:
        for folder in missing_folders(vault, path):
            os.mkdir(os.path.join(vault, folder))
            sync_folder(os.path.dirname(os.path.join(vault, folder)))
        remove_leftovers(os.path.dirname(file))
        write_new(file, raw, like, mtime_ns)
        sync_folder(os.path.dirname(file))


def write_new(
    file: str,
    raw: bytes,
    like: str | None = None,
    mtime_ns: int = 0,
) -> None:
    """Write a file durably, completely or not at all; FileExistsError if it exists."""
    temporary = write_beside(file, raw, mode=0o666 if like is None else 0o600)
    try:
        if like is not None:
            _copy_attributes(temporary, like)
        if mtime_ns:
            os.utime(temporary, ns=(mtime_ns, mtime_ns))
        rename_to_new(temporary, file)
    except BaseException:
        _remove(temporary)
        raise


def remove_note(vault: str, path: str, before: bytes) -> None:
    """Delete a note; BrainError if its bytes are not `before`.

    It is renamed before it is compared, so that whatever an editor saves under its name stays.
    """
    with _writing(vault, path) as file:
        compared = _compared(file)
        os.rename(file, compared)
        try:
            if not _has_bytes(compared, before):
                raise changed_meanwhile(path)
            os.unlink(compared)
        finally:
            put_back(file)
        sync_folder(os.path.dirname(file))


def put_back(file: str) -> None:
    """Give a file its name back that `remove_note` has renamed and not deleted, unless it was
    saved again since.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        try:
            rename_to_new(_compared(file), file)
        except FileExistsError:
            os.unlink(_compared(file))


def _compared(file: str) -> str:
    folder, name = os.path.split(file)
    return os.path.join(folder, f".{hash_of(os.fsencode(name))}{COMPARED}")


def _has_bytes(file: str, content: bytes) -> bool:
    try:
        return read_regular(file, MAX_NOTE_BYTES, os.O_NOFOLLOW) == content
    except OSError:
        return False


def folders_above(path: str) -> list[str]:
    """Return the folders of the vault that a path is in, the outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def missing_folders(vault: str, path: str) -> tuple[str, ...]:
    """Return the folders that a new file at a path needs and that do not exist yet."""
    return tuple(
        each for each in folders_above(path) if not os.path.isdir(os.path.join(vault, each))
    )


def remove_empty_folders(vault: str, folders: Iterable[str]) -> None:
    """Remove some folders of the vault if they are empty, each after those in it."""
    for folder in sorted(folders, reverse=True):
        with contextlib.suppress(OSError, BrainError):
            os.rmdir(writable_path(vault, folder))


def own_path(vault: str, *names: str) -> str:
    """Return the full path of a file of brain's own in the vault's `.brain` folder, to write.

    Raise BrainError if that folder, or one on the way, is a symbolic link: it may lead out of the
    vault.
    """
    _refuse_links(vault, "/".join((".brain", *names)))
    return os.path.join(vault, ".brain", *names)


def writable_path(vault: str, path: str) -> str:
    """Return the full path of a note to write. Every writer calls this, whatever its caller has
    checked.

    Raise BrainError if the path is outside the vault, in a hidden folder, or below a symbolic link,
    which may lead out of the vault.
    """
    parts = path.split("/")
    if not path or path.startswith("/") or ".." in parts or "\0" in path:
        raise BrainError(
            f"{path or 'The path'} is outside the vault {vault}, so nothing is written there."
        )
    if any(part.startswith(".") and part != "." for part in parts):
        raise BrainError(
            f"{path} is hidden, so it cannot be a note, and nothing is written there."
        )
    _refuse_links(vault, path)
    return os.path.join(vault, path)


def _refuse_links(vault: str, path: str) -> None:
    """Raise BrainError if a folder above a path of the vault is a symbolic link."""
    for folder in folders_above(path):
        full = os.path.join(vault, folder)
        if os.path.islink(full):
            raise BrainError(
                f"{folder} is a link to {os.readlink(full)}, so nothing is written there.",
                "The notes behind a link are not part of the vault; name another folder.",
            )


@contextlib.contextmanager
def _writing(vault: str, path: str) -> Iterator[str]:
    """Give the full path of a note to write; an OSError names it."""
    file = writable_path(vault, path)
    with named(file):
        yield file


@contextlib.contextmanager
def named(file: str) -> Iterator[None]:
    """Let an OSError name the file to write, not its temporary file."""
    try:
        yield
    except OSError as error:
        error.filename = file
        error.filename2 = None
        raise


def rename_to_new(source: str, target: str) -> None:
    """Rename a file; FileExistsError if the target exists."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # Without hard links, check first: another process could still create the file in between.
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        os.rename(source, target)
    else:
        os.unlink(source)


def replace_file(
    file: str | os.PathLike[str],
    content: bytes | Iterable[bytes],
    *,
    mode: int = 0o666,
    durable: bool = True,
) -> None:
    """Replace one of brain's own files: readers see the old content or the new, also after a crash
    if it is durable.
    """
    temporary = write_beside(os.fspath(file), content, mode, durable=durable)
    try:
        os.replace(temporary, file)
    except BaseException:
        _remove(temporary)
        raise


def sync(path: str | os.PathLike[str]) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        sync_file(handle)
    finally:
        os.close(handle)


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable, where the file system allows it."""
    with contextlib.suppress(OSError):
        sync(folder)


def write_beside(
    file: str,
    raw: bytes | Iterable[bytes],
    mode: int = 0o600,
    *,
    durable: bool = True,
) -> str:
    """Write a temporary file in the folder of another, durably; return its path."""
    temporary = _name_beside(file)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    try:
        with open(handle, "wb") as opened:
            opened.writelines((raw,) if isinstance(raw, bytes) else raw)
            if durable:
                opened.flush()
                sync_file(handle)
    except BaseException:
        _remove(temporary)
        raise
    return temporary


def _name_beside(file: str) -> str:
    folder, name = os.path.split(file)
    # A file name may have 255 bytes, and this one is longer than the file's.
    start = os.fsdecode(os.fsencode(name)[:180])
    return os.path.join(folder, f".{start}.{os.getpid()}{TEMPORARY}")


# Where no lock says that no other process writes, a younger temporary file may be in use.
LEFTOVER_SECONDS = 3600.0


def remove_leftovers(folder: str | os.PathLike[str], least_seconds: float = 0.0) -> None:
    """Remove the temporary files that killed processes left in a folder, if at least
    `least_seconds` old.

    In a vault the caller holds the lock, so no running process uses them.
    """
    latest = time.time() - least_seconds
    with os.scandir(folder) as entries:
        for entry in entries:
            if not (entry.name.startswith(".") and entry.name.endswith(TEMPORARY)):
                continue
            with contextlib.suppress(FileNotFoundError):
                if not least_seconds or entry.stat(follow_symlinks=False).st_mtime <= latest:
                    _remove(entry.path)


def _copy_attributes(temporary: str, file: str) -> None:
    """Give a file the owner, mode, times and extended attributes of another."""
    status = os.stat(file)
    with contextlib.suppress(OSError):
        os.chown(temporary, status.st_uid, status.st_gid)
    import shutil

    shutil.copystat(file, temporary)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
