"""An index and a history kept open between recalls, and a library that answers from them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from brain_cli.daemon.file_watcher import FileWatcher
from brain_cli.daemon.snapshot_ref import SharedIndex
from brain_cli.index.directory import IndexDirectory, LockedError, stamp
from brain_cli.index.session import IndexSession
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import Progress, Record, Refreshed, RefreshLimit, Vault
from brain_cli.memory.history import History
from brain_cli.memory.history_reader import HistoryReader, Memory

Answer = TypeVar("Answer")
# Where nobody tells of changes, a look is good for so long.
POLLED_SECONDS = 1.0


class DeclinedError(BaseException):
    """This cannot be answered from here; no exception that a command might take for its own."""


class Looked(NamedTuple):
    """A look at the vault that found nothing new: how many changes were known then, when, and what was warned of."""

    changes: int
    at: float
    warnings: tuple[tuple[str, str], ...]


class SnapshotRef:
    """An opened snapshot: closed when another has taken its place and the last recall has done with it."""

    def __init__(self, snapshot: Snapshot, opened: object) -> None:
        self.snapshot = snapshot
        self.stamp = opened
        self.users = 1

    def release(self) -> None:
        self.users -= 1
        if not self.users:
            self.snapshot.index.close()


class WarmIndex:
    """One vault's index and history in memory, shared by all threads that answer."""

    def __init__(self, vault: Vault, index_directory: IndexDirectory, watch: FileWatcher) -> None:
        self.vault = vault
        self.index_directory = index_directory
        self.watch = watch
        self.refreshing = Lock()
        self._opening = Lock()
        self._lease: SnapshotRef | None = None
        self._looked: Looked | None = None
        self._reading = Lock()
        self._readings: dict[Path, HistoryReader] = {}

    def index_session(
        self,
        vault: Vault,
        index_directory: IndexDirectory,
        say: Callable[[str], None],
        progress: Progress,
        record: Record | None,
    ) -> IndexSession:
        """Return a library of the held index; DeclinedError when another vault, or one read otherwise, is asked."""
        if vault != self.vault or index_directory.folder != self.index_directory.folder:
            raise DeclinedError
        return HeldLibrary(self, say, progress, record)

    def remembered(self, history: History, cache: Path, now: float, warn: Callable[[str], None]) -> Memory:
        """Return what the history says at a moment, read on from where it was."""
        with self._reading:
            if history.folder not in self._readings:
                self._readings = {history.folder: HistoryReader(history, cache)}
            return self._readings[history.folder].at(now, warn)

    def is_fresh(self) -> bool:
        """Whether nothing has happened to the vault since it was looked at."""
        looked = self._looked
        if looked is None or looked.changes != self.watch.changes or not self.watch.is_there():
            return False
        return not self.watch.poll_seconds or time.monotonic() - looked.at < POLLED_SECONDS

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """What whoever looks at the vault is told each time."""
        return self._looked.warnings if self._looked else ()

    def looked(self, found: Looked | None) -> None:
        self._looked = found

    @contextlib.contextmanager
    def opened(self) -> Iterator[Snapshot]:
        """Lend the current generation of the index."""
        with self._opening:
            snapshot_ref = self._current()
            snapshot_ref.users += 1
        try:
            yield snapshot_ref.snapshot
        finally:
            with self._opening:
                snapshot_ref.release()

    def _current(self) -> SnapshotRef:
        now = stamp(self.index_directory)
        if self._lease is None or now is None or self._lease.stamp != now:
            snapshot = open_snapshot(self.index_directory)
            snapshot.index = SharedIndex(snapshot.index)
            self.drop()
            self._lease = SnapshotRef(snapshot, now)
        return self._lease

    def drop(self) -> None:
        """Keep nothing open any longer than those who use it now."""
        if self._lease:
            self._lease.release()
        self._lease = None


class HeldLibrary(IndexSession):
    """A library as any other, but that it looks at the vault only when something has happened."""

    def __init__(
        self, warm_index: WarmIndex, say: Callable[[str], None], progress: Progress, record: Record | None
    ) -> None:
        super().__init__(warm_index.vault, warm_index.index_directory, say, progress, record)
        self._held = warm_index
        self._warned: list[tuple[str, str]] = []

    def refresh(self, *, full: bool = False, wait_seconds: float = 0.0, bound: RefreshLimit | None = None) -> Refreshed:
        """Bring the index up to date, one thread at a time; a vault that nothing has happened to is not walked."""
        if bound and self._repeated():
            return Refreshed()
        if not self._held.refreshing.acquire(timeout=max(wait_seconds, bound.seconds if bound else 0.0)):
            raise LockedError
        try:
            # Another thread may have done it meanwhile.
            if bound and self._repeated():
                return Refreshed()
            changes, started = self._held.watch.changes, time.monotonic()
            self._warned = []
            done = super().refresh(full=full, wait_seconds=wait_seconds, bound=bound)
            # Only a look that finds nothing new tells what every look will warn of.
            unchanged = done == Refreshed(notes=done.notes, fragments=done.fragments)
            self._held.looked(Looked(changes, started, tuple(self._warned)) if unchanged else None)
            return done
        finally:
            self._held.refreshing.release()

    def _repeated(self) -> bool:
        if not self._held.is_fresh():
            return False
        for path, why in self._held.warnings:
            super()._warn(path, why)
        return True

    def _answer(self, question: Callable[[Snapshot], Answer]) -> Answer:
        with self._held.opened() as snapshot:
            return question(snapshot)

    def _warn(self, path: str, why: str) -> None:
        self._warned.append((path, why))
        super()._warn(path, why)
