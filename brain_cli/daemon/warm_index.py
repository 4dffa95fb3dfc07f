"""An index and a history that a daemon keeps open between recalls."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from brain_cli.daemon.file_watcher import FileWatcher
from brain_cli.daemon.snapshot_ref import SnapshotRef
from brain_cli.index.directory import IndexDirectory, LockedError, stamp
from brain_cli.index.refresh_limit import BehindError, RefreshLimit
from brain_cli.index.session import IndexSession, RefreshOptions
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import (
    Progress,
    Record,
    Refreshed,
    Vault,
    Warn,
    count_changes,
    refresh,
)
from brain_cli.memory.history import History
from brain_cli.memory.history_reader import HistoryReader, Memory

# Without file events, a scan that found nothing new is valid for this long.
POLLED_SECONDS = 1.0


class DeclinedError(BaseException):
    """The daemon cannot answer this request. Not an Exception, so that no command handles it as a failure."""


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
        self._refresh_lock = Lock()
        self._last_scan: CleanScan | None = None
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
        # The daemon's loop indexes the changes for which a recall has no time.
        later = self.watcher.notify
        return IndexSession(self.vault, self.index_directory, say, progress, record, later, access=self)

    def remembered(self, history: History, cache: Path, now: float, warn: Callable[[str], None]) -> Memory:
        """Return the history up to a time, reading only the new events."""
        with self._history_lock:
            if history.folder not in self._history_readers:
                self._history_readers = {history.folder: HistoryReader(history, cache)}
            return self._history_readers[history.folder].at(now, warn)

    def refresh(self, warn: Warn, progress: Progress, record: Record | None, options: RefreshOptions) -> Refreshed:
        """Update the index, one thread at a time; an unchanged vault is not scanned."""
        if options.limit and self._is_unchanged(warn):
            return Refreshed()
        if not self._refresh_lock.acquire(timeout=_lock_timeout(options)):
            return self._report_locked(options.limit)
        try:
            # Another thread may have refreshed it in the meantime.
            if options.limit and self._is_unchanged(warn):
                return Refreshed()
            return self._scan(warn, progress, record, options)
        finally:
            self._refresh_lock.release()

    def _report_locked(self, limit: RefreshLimit | None) -> Refreshed:
        """Raise LockedError, or BehindError if there is a limit.

        Changes that the other thread has indexed do not count.
        """
        if limit is None:
            raise LockedError
        if changed := count_changes(self.vault, self.index_directory):
            raise BehindError(changed)
        return Refreshed()

    def _scan(self, warn: Warn, progress: Progress, record: Record | None, options: RefreshOptions) -> Refreshed:
        changes, started = self.watcher.changes, time.monotonic()
        warnings: list[tuple[str, str]] = []

        def warn_and_keep(path: str, why: str) -> None:
            warnings.append((path, why))
            warn(path, why)

        done = refresh(self.vault, self.index_directory, warn_and_keep, progress, record=record, **options._asdict())
        # Only a scan without changes gives exactly the warnings that every later scan would repeat.
        is_clean = done == Refreshed(notes=done.notes, fragments=done.fragments)
        self._last_scan = CleanScan(changes, started, tuple(warnings)) if is_clean else None
        return done

    def _is_unchanged(self, warn: Warn) -> bool:
        """Return whether no scan is needed; if so, repeat the warnings of the last one."""
        scan = self._last_scan
        if scan is None or not self.is_fresh():
            return False
        for warning in scan.warnings:
            warn(*warning)
        return True

    def is_fresh(self) -> bool:
        """Return whether the vault is unchanged since the last scan."""
        scan = self._last_scan
        if scan is None or scan.changes != self.watcher.changes or not self.watcher.is_present():
            return False
        return not self.watcher.poll_seconds or time.monotonic() - scan.at < POLLED_SECONDS

    @contextlib.contextmanager
    def open_snapshot(self) -> Iterator[Snapshot]:
        """Keep the current snapshot of the index open inside this context."""
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


def _lock_timeout(options: RefreshOptions) -> float:
    """Return how many seconds a refresh waits for another thread."""
    return max(options.wait_seconds, options.limit.seconds if options.limit else 0.0)
