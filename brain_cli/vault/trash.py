"""Copy the notes that leave a vault to the desktop's trash, as freedesktop.org specifies it.

    ~/.local/share/Trash/files/NAME             the copy
    ~/.local/share/Trash/info/NAME.trashinfo    its former path, and the time of its deletion

The journal has the text too, so `brain undo` works with an emptied trash as well.
https://specifications.freedesktop.org/trash-spec
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from brain_cli.errors import BrainError
from brain_cli.paths import data_home
from brain_cli.vault.atomic_write import read_note, remove_leftovers, sync_folder, write_new

# Another process may be copying to the trash now, for there is no lock.
LEFTOVER_SECONDS = 3600.0


def home_trash(environ: Mapping[str, str]) -> str:
    """Return the user's own trash folder."""
    return os.path.join(data_home(environ), "Trash")


def keep(trash: str, file: str, raw: bytes, now: float) -> str:
    """Copy a file with these bytes to the trash, if no copy is there; return the copy's path.

    `now` is seconds since the epoch.
    """
    if found := copies(trash, file, raw):
        return found[0]
    files, info = _folders(trash)
    for folder in (trash, files, info):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    for folder in (files, info):
        remove_leftovers(folder, LEFTOVER_SECONDS)
    for name in _names(os.path.basename(file)):
        copy = os.path.join(files, name)
        if not _reserve(copy, file, now):
            continue
        try:
            write_new(copy, raw, like=file)
        except BaseException as error:
            os.unlink(_info_of(copy))
            if isinstance(error, FileExistsError):
                continue
            raise
        sync_folder(info)
        sync_folder(files)
        return copy
    raise AssertionError("there is always another name")


def copies(trash: str, file: str, raw: bytes | None = None) -> list[str]:
    """Return the paths of the copies of a file in the trash, with any bytes or with these."""
    files, info = _folders(trash)
    start = os.path.splitext(os.path.basename(file))[0]
    found = []
    with contextlib.suppress(OSError):
        for entry in sorted(os.listdir(info)):
            name = entry.removesuffix(".trashinfo")
            copy = os.path.join(files, name)
            with contextlib.suppress(OSError, BrainError):
                if (
                    entry.startswith(start)
                    and _is_of(_info_of(copy), file)
                    and raw in (None, read_note(files, name))
                ):
                    found.append(copy)
    return found


def remove_copies(trash: str, file: str, raw: bytes | None = None) -> None:
    """Remove the copies of a file from the trash, with any bytes or with these."""
    for copy in copies(trash, file, raw):
        for path in (copy, _info_of(copy)):
            with contextlib.suppress(OSError):
                os.unlink(path)


def _folders(trash: str) -> tuple[str, str]:
    return os.path.join(trash, "files"), os.path.join(trash, "info")


def _info_of(copy: str) -> str:
    files, name = os.path.split(copy)
    return os.path.join(os.path.dirname(files), "info", f"{name}.trashinfo")


def _names(name: str) -> Iterator[str]:
    yield name
    start, suffix = os.path.splitext(name)
    yield from (f"{start} {number}{suffix}" for number in itertools.count(2))


def _origin(file: str) -> str:
    return quote(os.path.realpath(file), errors="surrogateescape")


def _is_of(info: str, file: str) -> bool:
    """Return whether an info file names a file as the origin of its copy."""
    with contextlib.suppress(OSError), open(info, encoding="utf-8", errors="replace") as lines:
        return f"Path={_origin(file)}\n" in lines
    return False


def _reserve(copy: str, file: str, now: float) -> bool:
    """Reserve a name by its info file, if it is free or a killed process has reserved it for this
    file.
    """
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(now))
    text = f"[Trash Info]\nPath={_origin(file)}\nDeletionDate={when}\n"
    try:
        write_new(_info_of(copy), text.encode("ascii"))
    except FileExistsError:
        return _is_of(_info_of(copy), file) and not os.path.lexists(copy)
    return True
