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
from collections.abc import Mapping
from urllib.parse import quote

from brain_cli.errors import BrainError
from brain_cli.paths import data_home
from brain_cli.vault.atomic_write import (
    LEFTOVER_SECONDS,
    read_note,
    remove_leftovers,
    sync_folder,
    write_new,
)


class Trash:
    """A trash folder of the user."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._files = os.path.join(folder, "files")
        self._info = os.path.join(folder, "info")

    def keep(self, file: str, raw: bytes, now: float) -> str:
        """Copy a file with these bytes to the trash, if no copy is there; return the copy's path.

        `now` is seconds since the epoch.
        """
        if found := self.copies(file, raw):
            return found[0]
        for folder in (self._folder, self._files, self._info):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        # There is no lock: another process may be copying to the trash at the same time.
        for folder in (self._files, self._info):
            remove_leftovers(folder, LEFTOVER_SECONDS)
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(now))
        text = f"[Trash Info]\nPath={_origin(file)}\nDeletionDate={when}\n"
        start, suffix = os.path.splitext(os.path.basename(file))
        for number in itertools.count(1):
            name = f"{start} {number}{suffix}" if number > 1 else f"{start}{suffix}"
            copy = os.path.join(self._files, name)
            info = self._info_of(name)
            try:
                write_new(info, text.encode("ascii"))
            except FileExistsError:
                # A killed process may have reserved the name for this file.
                if not _is_of(info, file) or os.path.lexists(copy):
                    continue
            try:
                write_new(copy, raw, like=file)
                break
            except BaseException as error:
                os.unlink(info)
                if not isinstance(error, FileExistsError):
                    raise
        sync_folder(self._info)
        sync_folder(self._files)
        return copy

    def copies(self, file: str, raw: bytes | None = None) -> list[str]:
        """Return the paths of the copies of a file, with any bytes or with these."""
        start = os.path.splitext(os.path.basename(file))[0]
        found = []
        with contextlib.suppress(OSError):
            for entry in sorted(os.listdir(self._info)):
                name = entry.removesuffix(".trashinfo")
                with contextlib.suppress(OSError, BrainError):
                    if (
                        entry.startswith(start)
                        and _is_of(self._info_of(name), file)
                        and raw in (None, read_note(self._files, name))
                    ):
                        found.append(os.path.join(self._files, name))
        return found

    def remove_copies(self, file: str, raw: bytes | None = None) -> None:
        """Remove the copies of a file, with any bytes or with these."""
        for copy in self.copies(file, raw):
            for path in (copy, self._info_of(os.path.basename(copy))):
                with contextlib.suppress(OSError):
                    os.unlink(path)

    def _info_of(self, name: str) -> str:
        return os.path.join(self._info, f"{name}.trashinfo")


def home_trash(environ: Mapping[str, str]) -> Trash:
    """Return the user's own trash folder."""
    return Trash(os.path.join(data_home(environ), "Trash"))


def _origin(file: str) -> str:
    return quote(os.path.realpath(file), errors="surrogateescape")


def _is_of(info: str, file: str) -> bool:
    """Return whether an info file names a file as the origin of its copy."""
    with contextlib.suppress(OSError), open(info, encoding="utf-8", errors="replace") as lines:
        return f"Path={_origin(file)}\n" in lines
    return False
