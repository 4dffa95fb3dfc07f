"""The spool: observations that wait to become notes, one line of JSON each, in the user's state folder.

A hook appends a line under a lock, so concurrent hooks lose nothing. One background process at a time holds the
flush lock, makes notes of the complete batches, and removes their lines. Payloads that cannot be used are kept
next to the spool for `brain capture --retry`. Both are bounded: the oldest are dropped, and the caller learns how many.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Collection, Iterator

from brain_cli.file_lock import append_lines, lock_file
from brain_cli.paths import make_private_folder
from brain_cli.plugins.agents.observation import Observation, from_line, to_line
from brain_cli.vault.atomic_write import replace_file

PENDING = "pending.jsonl"
ASIDE = "aside"
# Observations leave the spool within seconds, unless no vault accepts them; this is room for months of those.
MAX_PENDING_BYTES = 16_000_000
MAX_ASIDE = 200


class Spool:
    """The spool in one folder, which is made on first use and private to the user."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def append(self, observation: Observation) -> int:
        """Add an observation; return how many old ones were dropped for it. OSError if it is not written completely."""
        line = to_line(observation)
        if len(line) > MAX_PENDING_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        dropped = self._make_room(len(line))
        with self._pending() as handle:
            append_lines(handle, line)
        return dropped

    def waits(self) -> bool:
        """Return whether any observation waits, without reading the file."""
        try:
            return os.stat(os.path.join(self.folder, PENDING)).st_size > 0
        except OSError:
            return False

    def observations(self) -> list[Observation]:
        """Return all waiting observations in the order in which they were added."""
        try:
            with open(os.path.join(self.folder, PENDING), "rb") as file:
                return [found for line in file if (found := from_line(line))]
        except FileNotFoundError:
            return []

    def remove(self, done: Collection[str]) -> None:
        """Remove the observations with these ids; keep those added in the meantime."""
        with self._pending() as handle:
            self._replace([line for line in self._lines(handle) if (found := from_line(line)) and found.id not in done])

    def set_aside(self, raw: bytes, name: str) -> tuple[str, int]:
        """Keep a payload that cannot be used; return its path, and how many old ones were dropped for it."""
        folder = os.path.join(self.folder, ASIDE)
        make_private_folder(folder)
        path = os.path.join(folder, name)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(raw)
        old = self.aside()[:-MAX_ASIDE]
        for each in old:
            with contextlib.suppress(OSError):
                os.unlink(each)
        return path, len(old)

    def aside(self) -> list[str]:
        """Return the paths of the payloads set aside, oldest first."""
        folder = os.path.join(self.folder, ASIDE)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        return []

    @contextlib.contextmanager
    def flushing(self) -> Iterator[bool]:
        """Hold the flush lock inside the block; the value is False if another process holds it."""
        make_private_folder(self.folder)
        handle = os.open(os.path.join(self.folder, "flush.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield lock_file(handle)
        finally:
            os.close(handle)

    @contextlib.contextmanager
    def _pending(self) -> Iterator[int]:
        """Open and lock the file of pending observations."""
        make_private_folder(self.folder)
        path = os.path.join(self.folder, PENDING)
        while True:
            handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                lock_file(handle, seconds=None)
                if os.path.exists(path) and os.path.samestat(os.fstat(handle), os.stat(path)):
                    yield handle
                    return
            finally:
                os.close(handle)

    def _make_room(self, more_bytes: int) -> int:
        """If the spool is full, drop the oldest observations until half is free; return how many were dropped.

        The newest one is kept even if it takes more than half, as long as the added one fits too.
        """
        path = os.path.join(self.folder, PENDING)
        if not os.path.exists(path) or os.path.getsize(path) + more_bytes <= MAX_PENDING_BYTES:
            return 0
        with self._pending() as handle:
            lines = self._lines(handle)
            most = MAX_PENDING_BYTES - more_bytes
            kept = _newest(lines, min(most, MAX_PENDING_BYTES // 2)) or _newest(lines[-1:], most)
            self._replace(kept)
            return len(lines) - len(kept)

    def _replace(self, lines: list[bytes]) -> None:
        """Put these lines in place of the pending ones; the caller holds their lock."""
        # Appenders check that the file they locked is still the one with this name.
        replace_file(os.path.join(self.folder, PENDING), b"".join(lines), mode=0o600)

    def _lines(self, handle: int) -> list[bytes]:
        return os.pread(handle, os.fstat(handle).st_size, 0).splitlines(keepends=True)


def _newest(lines: list[bytes], most: int) -> list[bytes]:
    """Return the last lines that fit into `most` bytes."""
    first, size = len(lines), 0
    while first and (size := size + len(lines[first - 1])) <= most:
        first -= 1
    return lines[first:]
