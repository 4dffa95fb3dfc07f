"""An index and a history that a daemon keeps open between recalls."""

import contextlib
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from brain_cli.daemon.watcher import FileWatcher
from brain_cli.history.log import History
from brain_cli.history.log_reader import HistoryReader, HistorySnapshot
from brain_cli.index.directory import IndexDirectory, Stamp, stamp
from brain_cli.index.session import IndexSession
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import IndexedVault, Progress, RecordEvents, Refreshed, Warn, refresh

CACHED_FRAGMENTS = 4_096


class DeclinedError(BaseException):
    """The daemon cannot answer this request. Not an Exception, so that no command handles it as a
    failure.
    """


@dataclass
class WarmIndex:
    """One vault's index and history in memory. `is_asked` while a client waits for the answer."""

    vault: IndexedVault
    index_directory: IndexDirectory
    watcher: FileWatcher
    is_asked: bool = False
    # Of the last scan, if it found nothing new: the count of changes when it began, and its
    # warnings.
    _last_scan: tuple[int, list[tuple[str, str]]] | None = None
    _snapshot: Snapshot | None = None
    _stamp: Stamp | None = None
    _users: int = 0
    _history_readers: dict[Path, HistoryReader] = field(default_factory=dict)

    def index_session(
        self,
        vault: IndexedVault,
        index_directory: IndexDirectory,
        say: Callable[[str], None],
        progress: Progress,
        record: RecordEvents | None,
    ) -> IndexSession:
        """Return a session of this index; raise DeclinedError for another vault or other archive
        folders.
        """
        # The folder of the index is named after the vault's real path, so a link to the vault is
        # the same vault.
        if vault[1:] != self.vault[1:] or index_directory.folder != self.index_directory.folder:
            raise DeclinedError
        # The daemon's loop indexes the changes for which a recall has no time.
        later = self.watcher.notify
        return IndexSession(
            self.vault, self.index_directory, say, progress, record, later, access=self
        )

    def remembered(
        self, history: History, cache: Path, now: float, warn: Callable[[str], None]
    ) -> HistorySnapshot:
        """Return the history up to a time, reading only the new events."""
        if history.folder not in self._history_readers:
            self._history_readers = {history.folder: HistoryReader(history, cache)}
        return self._history_readers[history.folder].at(now, warn)

    def refresh(self, warn: Warn, progress: Progress, **options: Any) -> Refreshed:
        """Update the index; an unchanged vault is not scanned. DeclinedError if a client would wait
        for a build.
        """
        if not options.get("limit"):
            if self.is_asked:
                raise DeclinedError
        elif self._last_scan and self.is_fresh():
            # The warnings are those that every scan would repeat.
            for warning in self._last_scan[1]:
                warn(*warning)
            return Refreshed()
        changes = self.watcher.changes
        warnings: list[tuple[str, str]] = []

        def warn_and_keep(path: str, why: str) -> None:
            warnings.append((path, why))
            warn(path, why)

        done = refresh(self.vault, self.index_directory, warn_and_keep, progress, **options)
        # Only a scan without changes gives exactly the warnings that every later scan would repeat.
        is_clean = done == Refreshed(notes=done.notes, fragments=done.fragments)
        self._last_scan = (changes, warnings) if is_clean else None
        return done

    def is_fresh(self) -> bool:
        """Return whether the vault is unchanged since the last scan, also by a change made just
        now.
        """
        knows = self.watcher.knows_changes()
        return (
            knows and self._last_scan is not None and self._last_scan[0] == self.watcher.changes
        )

    @contextlib.contextmanager
    def open_snapshot(self) -> Iterator[Snapshot]:
        """Keep the current snapshot of the index open inside this context."""
        snapshot = self._current()
        self._users += 1
        try:
            yield snapshot
        finally:
            self._users -= 1

    def _current(self) -> Snapshot:
        now = stamp(self.index_directory)
        if self._snapshot is None or now is None or (now != self._stamp and not self._users):
            opened = open_snapshot(self.index_directory)
            # The sections read last are kept.
            keeping: Any = copy(opened.index)
            keeping.fragment = lru_cache(CACHED_FRAGMENTS)(opened.index.fragment)
            opened.index = keeping
            if self._snapshot:
                self._snapshot.index.close()
                # The matches of a question refer to the snapshot: without this cycle everything is
                # freed at once.
                self._snapshot.question_cache.clear()
            self._snapshot = opened
            self._stamp = now
        return self._snapshot
