"""Move a note to the desktop's trash, from which it can be restored, as freedesktop.org specifies
it.

    ~/.local/share/Trash/files/NAME             the file
    ~/.local/share/Trash/info/NAME.trashinfo    its former path, and the time of its deletion

A file of another file system is copied there. https://specifications.freedesktop.org/trash-spec
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import time
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from brain_cli.errors import BrainError
from brain_cli.files import sync_file
from brain_cli.paths import data_home
from brain_cli.vault.atomic_write import (
    copy_to_new,
    hash_of,
    put_back,
    read_note,
    remove_copied,
    remove_leftovers,
    rename_to_new,
    sync_folder,
    writable_path,
)


def home_trash(environ: Mapping[str, str]) -> str:
    """Return the user's own trash folder."""
    return os.path.join(data_home(environ), "Trash")


def reserve(vault: str, note: str, home_trash: str, now: float) -> str:
    """Reserve a name in the trash for a note; return its path there. `now` is seconds since the
    epoch.
    """
    path = writable_path(vault, note)
    for folder in ("", "files", "info"):
        os.makedirs(os.path.join(home_trash, folder), mode=0o700, exist_ok=True)
    for name in _names(os.path.basename(path)):
        place = os.path.join(home_trash, "files", name)
        with contextlib.suppress(FileExistsError):
            # The info file reserves the name.
            _write_info(_info_of(place), path, now)
            if not os.path.lexists(place):
                return place
            os.unlink(_info_of(place))
    raise AssertionError("there is always another name")


def release(place: str) -> None:
    """Remove the info file of a place in the trash that is empty, so that its name is free again."""
    with contextlib.suppress(OSError):
        if not os.path.lexists(place):
            os.unlink(_info_of(place))


def move_to_trash(vault: str, note: str, content_hash: str, place: str) -> None:
    """Move a note to its reserved place, or complete that; BrainError if the note has changed
    since.
    """
    _carry(writable_path(vault, note), place, content_hash)


def restore_from_trash(vault: str, note: str, content_hash: str, place: str) -> None:
    """Move a note back from its place in the trash, or complete that; BrainError if either has
    changed since.
    """
    path = writable_path(vault, note)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    remove_leftovers(os.path.dirname(path))
    _carry(place, path, content_hash)


def _carry(source: str, target: str, content_hash: str) -> None:
    """Move a file of known content, whatever a killed process has done of that already."""
    put_back(source)
    put_back(target)
    at_source = _hash_at(source)
    at_target = _hash_at(target)
    if at_source == content_hash and at_target is None:
        _move_or_copy(source, target, content_hash)
    elif at_source == at_target == content_hash:
        remove_copied(source, target, content_hash)
        sync_folder(os.path.dirname(source))
    elif at_target != content_hash:
        raise BrainError(
            f"{os.path.basename(source)} was changed by another program in the meantime.",
            "Try again.",
        )


def _hash_at(path: str) -> str | None:
    try:
        return hash_of(read_note(*os.path.split(path)))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _info_of(place: str) -> str:
    files, name = os.path.split(place)
    return os.path.join(os.path.dirname(files), "info", f"{name}.trashinfo")


def _names(name: str) -> Iterator[str]:
    yield name
    start, suffix = os.path.splitext(name)
    yield from (f"{start} {number}{suffix}" for number in itertools.count(2))


def _write_info(info: str, path: str, now: float) -> None:
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(now))
    text = f"[Trash Info]\nPath={quote(os.path.realpath(path), errors='surrogateescape')}\nDeletionDate={when}\n"
    handle = os.open(info, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            sync_file(handle)
    except BaseException:
        os.unlink(info)
        raise


def _move_or_copy(path: str, target: str, content_hash: str) -> None:
    """Rename a file. If the target is on another file system, copy the file durably, then delete
    it.
    """
    try:
        rename_to_new(path, target, content_hash)
    except OSError as error:
        # Two mounts of one device count as two file systems, so only the attempt shows it.
        if error.errno != errno.EXDEV:
            raise
        copy_to_new(path, target)
        sync_folder(os.path.dirname(target))
        remove_copied(path, target, content_hash)
    sync_folder(os.path.dirname(target))
    sync_folder(os.path.dirname(path))
