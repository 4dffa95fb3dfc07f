"""Watch a vault: debounced file-system events, plus a periodic rescan in case events are lost.

An event only triggers the usual scan of the vault, which finds the changes. So no event can be misread, a thousand
events cost no more than one, and the next rescan makes up for a lost one.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from threading import Event
from typing import Any

from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.walk import IGNORE_FILES, SKIPPED_FOLDERS

# A batch of events ends after this much silence, at the latest after this long.
DEBOUNCE_SECONDS = 0.15
MAX_BATCH_SECONDS = 1.0
# How often to check that the vault still exists, and to rescan it without an event.
TICK_SECONDS = 1.0
RESCAN_SECONDS = 30.0
POLL_SECONDS = 2.0
# File systems that send no events for changes by other machines; and similar names of local ones, which do.
NETWORK = ("nfs", "cifs", "smb", "afs", "ceph", "9p", "fuse.", "vboxsf", "drvfs", "glusterfs", "lustre", "ncpfs")
LOCAL_FUSE = ("fuse.ext", "fuse.gocryptfs", "fuse.encfs", "fuse.bindfs")


class FileWatcher:
    """Count the changes in a vault; `poll_seconds` is 0 if the system sends events."""

    def __init__(self, vault: str, say: Callable[[str], None], poll_seconds: float = 0.0) -> None:
        self._vault = vault
        self._say = say
        self._identity: tuple[int, int] | None = None
        self._is_away = True
        self._observer: Any = None
        self._last_scan = 0.0
        self._changed = Event()
        self.poll_seconds = poll_seconds or (POLL_SECONDS if is_on_network(vault) else 0.0)
        self.changes = 0

    def notify(self) -> None:
        """Count a change, or a possible one."""
        self.changes += 1
        self._changed.set()

    def start(self) -> None:
        """Start watching; earlier changes are left to the first scan."""
        self._check_vault()

    def is_present(self) -> bool:
        """Return whether the vault is still the same folder in the same place."""
        return not self._is_away and _identity(self._vault) == self._identity

    def wait(self) -> bool:
        """Wait for a batch of changes, at most for a tick; return whether a scan is due."""
        changed = self._changed.wait(min(TICK_SECONDS, self.poll_seconds or TICK_SECONDS))
        if changed:
            self._debounce()
        return self._check_vault() and (changed or self._is_rescan_due())

    def mark_scanned(self) -> None:
        """Record that a scan starts now, which covers all earlier changes."""
        self._last_scan = time.time()

    def close(self) -> None:
        """Stop watching."""
        if self._observer:
            with contextlib.suppress(RuntimeError):  # raised if it never started
                self._observer.stop()
                self._observer.join(TICK_SECONDS)
        self._observer = None

    def _debounce(self) -> None:
        end = time.monotonic() + MAX_BATCH_SECONDS
        self._changed.clear()
        while self._changed.wait(DEBOUNCE_SECONDS) and time.monotonic() < end:
            self._changed.clear()

    def _is_rescan_due(self) -> bool:
        # The wall clock also counts the time that the machine was asleep.
        return abs(time.time() - self._last_scan) > (self.poll_seconds or RESCAN_SECONDS)

    def _check_vault(self) -> bool:
        """Return whether the vault exists; watch it again if it has come back or been replaced."""
        identity = _identity(self._vault)
        if identity is None or (self._identity not in (None, identity) and _is_empty(self._vault)):
            # An empty folder may be the mount point of an unmounted file system, so its notes are kept.
            self._is_away = True
        elif self._is_away or identity != self._identity or not self._is_observing():
            self.close()
            self._is_away, self._identity, self._last_scan = False, identity, 0.0
            self._observe()
            self.changes += 1
        return not self._is_away

    def _is_observing(self) -> bool:
        """Return whether the threads that deliver events are alive, or none are needed."""
        return not self._observer or all(emitter.is_alive() for emitter in self._observer.emitters)

    def _observe(self) -> None:
        if self.poll_seconds:
            return
        from watchdog.observers import Observer

        self._observer = Observer()
        try:
            self._observer.schedule(_EventHandler(self), self._vault, recursive=True)
            self._observer.start()
        except OSError as error:
            self.close()
            self.poll_seconds = POLL_SECONDS
            reason = error.strerror or str(error)
            self._say(f"The system sends no file events ({reason}): scanning every {POLL_SECONDS:g} seconds instead.")

    def concerns(self, path: str, is_folder: bool) -> bool:
        """Return whether a change of a file or folder may affect the notes."""
        *folders, name = os.path.relpath(path, self._vault).split(os.sep)
        if any(folder.startswith(".") or folder in SKIPPED_FOLDERS for folder in folders):
            return False
        if is_folder:
            return not name.startswith(".") and name not in SKIPPED_FOLDERS
        return name in IGNORE_FILES or (name.lower().endswith(NOTE_SUFFIXES) and not name.startswith("."))


class _EventHandler:
    """Receive watchdog's events and ignore those that only report a read."""

    def __init__(self, watcher: FileWatcher) -> None:
        self._watcher = watcher

    def dispatch(self, event: Any) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return
        paths = (os.fsdecode(path) for path in (event.src_path, event.dest_path) if path)
        if any(self._watcher.concerns(path, event.is_directory) for path in paths):
            self._watcher.notify()


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_empty(folder: str) -> bool:
    try:
        return not os.listdir(folder)
    except OSError:
        return True


def is_on_network(folder: str, mounts: str = "/proc/self/mounts") -> bool:
    """Return whether a folder lies on a file system that other machines change without events."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split(" ") for line in file]
    except OSError:
        return False
    real = os.path.realpath(folder)
    above = [(len(point), kind) for _, point, kind, *_ in lines if (real + "/").startswith(point.rstrip("/") + "/")]
    kind = max(above, default=(0, ""))[1]
    return kind.startswith(NETWORK) and not kind.startswith(LOCAL_FUSE)
