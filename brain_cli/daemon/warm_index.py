"""An index and a history kept open between recalls, and the session that answers from them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from brain_cli.daemon.file_watcher import FileWatcher
from brain_cli.daemon.snapshot_ref import SnapshotRef
from brain_cli.index.directory import IndexDirectory, LockedError, stamp
from brain_cli.index.session import IndexSession
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import BehindError, Progress, Record, Refreshed, RefreshLimit, Vault, count_changes
from brain_cli.memory.history import History
from brain_cli.memory.history_reader import HistoryReader, Memory

Answer = TypeVar("Answer")
# Without file events, a scan that found nothing new is valid for this long.
POLLED_SECONDS = 1.0


class DeclinedError(BaseException):
    """The daemon cannot answer this request. Not an Exception, so that no command mistakes it for its own failure."""


class CleanScan(NamedTuple):
    """A scan of the vault that found nothing new: the count of changes then, its time, and its warnings."""

    changes: int
    at: float
    warnings: tuple[tuple[str, str], ...]


class WarmIndex:
    """One vault's index and history in memory, shared by all threads of the daemon."""

    def __init__(self, vault: Vault, index_directory: IndexDirectory, watcher: FileWatcher) -> None:
        self.vault = vault
        self.index_directory = index_directory
        self.watcher = watcher
        self.refresh_lock = Lock()
        self.last_scan: CleanScan | None = None
        self._snapshot_lock = Lock()
        self._snapshot_ref: SnapshotRef | None = None
        self._history_lock = Lock()
        self._history_readers: dict[Path, HistoryReader] = {}

    def index_session(
        self,
        vault: Vault,
        index_directory: IndexDirectory,
        say: Callable[[str], None],
        progress: Progress,
        record: Record | None,
    ) -> IndexSession:
        """Return a session of this index; raise DeclinedError for another vault or other archive folders."""
        # The folder of the index is named after the vault's real path, so a link to the vault is the same vault.
        if vault[1:] != self.vault[1:] or index_directory.folder != self.index_directory.folder:
            raise DeclinedError
        return WarmIndexSession(self, say, progress, record)

    def remembered(self, history: History, cache: Path, now: float, warn: Callable[[str], None]) -> Memory:
        """Return what the history says at a moment; only new events are read."""
        with self._history_lock:
            if history.folder not in self._history_readers:
                self._history_readers = {history.folder: HistoryReader(history, cache)}
            return self._history_readers[history.folder].at(now, warn)

    def is_fresh(self) -> bool:
        """Return whether the vault is unchanged since the last scan."""
        scan = self.last_scan
        if scan is None or scan.changes != self.watcher.changes or not self.watcher.is_present():
            return False
        return not self.watcher.poll_seconds or time.monotonic() - scan.at < POLLED_SECONDS

    @contextlib.contextmanager
    def open_snapshot(self) -> Iterator[Snapshot]:
        """Keep the current snapshot of the index open inside the block."""
        with self._snapshot_lock:
            snapshot_ref = self._current()
            snapshot_ref.acquire()
        try:
            yield snapshot_ref.snapshot
        finally:
            with self._snapshot_lock:
                snapshot_ref.release()

    def _current(self) -> SnapshotRef:
        now = stamp(self.index_directory)
        if self._snapshot_ref is None or now is None or self._snapshot_ref.stamp != now:
            opened = SnapshotRef(open_snapshot(self.index_directory), now)
            if self._snapshot_ref:
                self._snapshot_ref.release()
            self._snapshot_ref = opened
        return self._snapshot_ref


class WarmIndexSession(IndexSession):
    """A session that scans the vault only after a change."""

    def __init__(
        self, warm_index: WarmIndex, say: Callable[[str], None], progress: Progress, record: Record | None
    ) -> None:
        # The daemon's own loop takes in what a recall has no time for.
        later = warm_index.watcher.notify
        super().__init__(warm_index.vault, warm_index.index_directory, say, progress, record, later)
        self._warm_index = warm_index

    def refresh(self, *, full: bool = False, wait_seconds: float = 0.0, bound: RefreshLimit | None = None) -> Refreshed:
        """Bring the index up to date, one thread at a time; an unchanged vault is not scanned."""
        if bound and self._is_unchanged():
            return Refreshed()
        if not self._warm_index.refresh_lock.acquire(timeout=max(wait_seconds, bound.seconds if bound else 0.0)):
            return self._locked(bound)
        try:
            # Another thread may have refreshed it in the meantime.
            if bound and self._is_unchanged():
                return Refreshed()
            return self._scan(full, wait_seconds, bound)
        finally:
            self._warm_index.refresh_lock.release()

    def _locked(self, bound: RefreshLimit | None) -> Refreshed:
        """Raise LockedError, or with a bound BehindError; changes that the other thread has taken in do not count."""
        if bound is None:
            raise LockedError
        if changed := count_changes(self._warm_index.vault, self._warm_index.index_directory):
            raise BehindError(changed)
        return Refreshed()

    def _scan(self, full: bool, wait_seconds: float, bound: RefreshLimit | None) -> Refreshed:
        changes, started = self._warm_index.watcher.changes, time.monotonic()
        done = super().refresh(full=full, wait_seconds=wait_seconds, bound=bound)
        # Only a scan that finds nothing new yields the warnings that every later scan would repeat.
        is_clean = done == Refreshed(notes=done.notes, fragments=done.fragments)
        self._warm_index.last_scan = CleanScan(changes, started, tuple(self._warnings)) if is_clean else None
        return done

    def _is_unchanged(self) -> bool:
        scan = self._warm_index.last_scan
        if scan is None or not self._warm_index.is_fresh():
            return False
        # Repeat the warnings of the last scan, as a scan would.
        self._say_warnings(scan.warnings)
        return True

    def _answer(self, question: Callable[[Snapshot], Answer]) -> Answer:
        with self._warm_index.open_snapshot() as snapshot:
            return question(snapshot)
