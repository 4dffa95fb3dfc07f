"""The spool: observations that wait to become notes, one file each, in the user's state folder (a maildir).

A hook writes a file and renames it, so that concurrent hooks need no lock and a reader sees no half of one. One
background process at a time holds the flush lock, makes notes, and removes the files. Payloads that cannot be used
are kept beside them for `brain capture --retry`. Both are bounded: the oldest are dropped, and the caller learns how
many.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterator, Mapping
from math import inf

from brain_cli.files import MAX_STDIN_BYTES, lock_file, read_regular
from brain_cli.paths import make_private_folder, state_home
from brain_cli.plugins.agents.observation import Observation, from_line, to_line

PENDING, WRITING, ASIDE = "new", "tmp", "aside"
# Observations leave the spool within seconds, unless no vault accepts them; this is room for weeks of those.
MAX_PENDING = 5_000
MAX_ASIDE = 200
# A hook writes its file in milliseconds, so an older one was left by a killed process; a maildir keeps those so long.
WRITING_SECONDS, LEFTOVER_SECONDS = 60.0, 36 * 3600.0


def spool_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of the captured observations that wait to become notes."""
    return os.path.join(state_home(environ), "brain", "capture")


class Spool:
    """The spool in one folder, which is made on first use and private to the user."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def append(self, observation: Observation) -> int:
        """Add an observation; return how many old ones were dropped for it. OSError if it is not written completely."""
        self._write(PENDING, f"{time.time_ns():020d}-{os.urandom(4).hex()}", to_line(observation))
        return self._drop_oldest(PENDING, MAX_PENDING)

    def waiting(self) -> int:
        """Return how many observations wait."""
        return len(self._names(PENDING))

    def oldest(self) -> float:
        """Return when the oldest waiting observation was added, in seconds since the epoch; infinity if none waits."""
        number = next(iter(self._names(PENDING)), "").partition("-")[0]
        return int(number) / 1e9 if number.isdecimal() else inf

    def observations(self, seen: Collection[str] = ()) -> dict[str, Observation]:
        """Return the waiting observations by the names of their files, without those `seen`, oldest first.

        A damaged file is removed: hooks rename only complete ones.
        """
        found: dict[str, Observation] = {}
        for name in self._names(PENDING):
            if name not in seen:
                with contextlib.suppress(FileNotFoundError):
                    path = os.path.join(self.folder, PENDING, name)
                    with open(path, "rb") as file:
                        observation = from_line(file.read())
                    if observation:
                        found[name] = observation
                    else:
                        os.unlink(path)
        return found

    def remove(self, names: Collection[str]) -> None:
        """Remove the observations in these files."""
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, PENDING, name))

    def set_aside(self, raw: bytes, name: str) -> tuple[str, int]:
        """Keep a payload that cannot be used; return its path, and how many old ones were dropped for it."""
        path = self._write(ASIDE, name, raw)
        return path, self._drop_oldest(ASIDE, MAX_ASIDE)

    def aside(self) -> list[str]:
        """Return the paths of the payloads set aside, oldest first."""
        return [os.path.join(self.folder, ASIDE, name) for name in self._names(ASIDE)]

    def tidy(self) -> None:
        """Take in whole observations that killed hooks left, and remove other leftovers after 36 hours."""
        from brain_cli.vault.atomic_write import remove_leftovers

        with contextlib.suppress(OSError):
            remove_leftovers(self.folder, LEFTOVER_SECONDS)
        for name in self._names(WRITING):
            path = os.path.join(self.folder, WRITING, name)
            with contextlib.suppress(OSError):
                age = time.time() - os.stat(path).st_mtime
                if age >= WRITING_SECONDS and from_line(read_regular(path, MAX_STDIN_BYTES, os.O_NOFOLLOW)):
                    os.rename(path, os.path.join(self.folder, PENDING, name))
                elif age >= LEFTOVER_SECONDS:
                    os.unlink(path)

    @contextlib.contextmanager
    def flushing(self) -> Iterator[bool]:
        """Hold the flush lock inside the block; the value is False if another process holds it."""
        make_private_folder(self.folder)
        handle = os.open(os.path.join(self.folder, "flush.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield lock_file(handle)
        finally:
            os.close(handle)

    def _write(self, folder: str, name: str, content: bytes) -> str:
        make_private_folder(os.path.join(self.folder, WRITING))
        make_private_folder(os.path.join(self.folder, folder))
        unfinished, path = os.path.join(self.folder, WRITING, name), os.path.join(self.folder, folder, name)
        try:
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
            os.rename(unfinished, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)
            raise
        return path

    def _names(self, folder: str) -> list[str]:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return sorted(os.listdir(os.path.join(self.folder, folder)))
        return []

    def _drop_oldest(self, folder: str, most: int) -> int:
        """If a folder is full, drop its oldest files; return how many."""
        old = self._names(folder)[:-most]
        for name in old:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, folder, name))
        return len(old)
