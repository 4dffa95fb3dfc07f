"""What happens to the files of a vault: counted as it happens, batched, and looked for where nobody tells.

Events only say that something has changed; what, is found by the same walk as ever. So none can be misread, a
thousand cost no more than one, and one that was lost is made up for by the next look.
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

# A batch ends when nothing has happened for so long, at the latest after as long as somebody may wait.
QUIET_SECONDS = 0.15
LONGEST_BATCH_SECONDS = 1.0
# How often to see whether the vault is still there, and to look without having been told.
TICK_SECONDS = 1.0
UNTOLD_SECONDS = 30.0
POLL_SECONDS = 2.0
# File systems that tell nothing of what others do to them.
NETWORK = ("nfs", "cifs", "smb", "afs", "ceph", "9p", "fuse.", "vboxsf", "drvfs", "glusterfs", "lustre", "ncpfs")
NO_NETWORK = ("fuse.ext", "fuse.gocryptfs", "fuse.encfs", "fuse.bindfs")


class FileWatcher:
    """The changes in one vault, as a number that grows; `poll_seconds` is 0 where the system tells of them."""

    def __init__(self, vault: str, say: Callable[[str], None], poll_seconds: float = 0.0) -> None:
        self._vault = vault
        self._say = say
        self._identity: tuple[int, int] | None = None
        self._away = True
        self._observer: Any = None
        self._looked = 0.0
        self._stirred = Event()
        self.poll_seconds = poll_seconds or (POLL_SECONDS if on_network(vault) else 0.0)
        self.changes = 0

    def stir(self) -> None:
        """Something has changed, or may have."""
        self.changes += 1
        self._stirred.set()

    def begin(self) -> None:
        """Watch from now on; what has changed before is left to the first look."""
        self._there()

    def is_there(self) -> bool:
        """Whether the vault is where it was, and the same folder."""
        return not self._away and _identity(self._vault) == self._identity

    def wait(self) -> bool:
        """Wait for a batch of changes, at most a tick; return whether there is something to look for."""
        told = self._stirred.wait(min(TICK_SECONDS, self.poll_seconds or TICK_SECONDS))
        if told:
            self._let_settle()
        return self._there() and (told or self._is_due())

    def looked(self) -> None:
        """Begin to look now: what happens from here on is for the next time."""
        self._looked = time.time()

    def close(self) -> None:
        if self._observer:
            with contextlib.suppress(RuntimeError):  # it never came to start
                self._observer.stop()
                self._observer.join(TICK_SECONDS)
        self._observer = None

    def _let_settle(self) -> None:
        until = time.monotonic() + LONGEST_BATCH_SECONDS
        self._stirred.clear()
        while self._stirred.wait(QUIET_SECONDS) and time.monotonic() < until:
            self._stirred.clear()

    def _is_due(self) -> bool:
        """Whether it is long since the last look, by the clock on the wall: it goes on while the machine sleeps."""
        return abs(time.time() - self._looked) > (self.poll_seconds or UNTOLD_SECONDS)

    def _there(self) -> bool:
        """Whether the vault is there; one that has come back, or another in its place, is watched anew."""
        identity = _identity(self._vault)
        if identity is None or (self._identity not in (None, identity) and _is_empty(self._vault)):
            # Where a file system was mounted there may be an empty folder now: no reason to forget its notes.
            self._away = True
        elif self._away or identity != self._identity or not self._is_told():
            self.close()
            self._away, self._identity, self._looked = False, identity, 0.0
            self._observe()
            self.changes += 1
        return not self._away

    def _is_told(self) -> bool:
        """Whether whoever tells of changes is alive."""
        return not self._observer or all(emitter.is_alive() for emitter in self._observer.emitters)

    def _observe(self) -> None:
        if self.poll_seconds:
            return
        from watchdog.observers import Observer

        self._observer = Observer()
        try:
            self._observer.schedule(_Listener(self), self._vault, recursive=True)
            self._observer.start()
        except OSError as error:
            self.close()
            self.poll_seconds = POLL_SECONDS
            self._say(f"Changes are not told ({error.strerror}): looking every {POLL_SECONDS:g} seconds instead.")

    def concerns(self, path: str, is_folder: bool) -> bool:
        """Whether a file or folder may have to do with notes."""
        *folders, name = os.path.relpath(path, self._vault).split(os.sep)
        if any(folder.startswith(".") or folder in SKIPPED_FOLDERS for folder in folders):
            return False
        if is_folder:
            return not name.startswith(".") and name not in SKIPPED_FOLDERS
        return name in IGNORE_FILES or (name.lower().endswith(NOTE_SUFFIXES) and not name.startswith("."))


class _Listener:
    """Takes watchdog's events; being read is no change."""

    def __init__(self, watch: FileWatcher) -> None:
        self._watch = watch

    def dispatch(self, event: Any) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return
        paths = (os.fsdecode(path) for path in (event.src_path, event.dest_path) if path)
        if any(self._watch.concerns(path, event.is_directory) for path in paths):
            self._watch.stir()


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


def on_network(folder: str, mounts: str = "/proc/self/mounts") -> bool:
    """Whether a folder lies on a file system that others change unseen."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split(" ") for line in file]
    except OSError:
        return False
    real = os.path.realpath(folder)
    above = [(len(point), kind) for _, point, kind, *_ in lines if (real + "/").startswith(point.rstrip("/") + "/")]
    kind = max(above, default=(0, ""))[1]
    return kind.startswith(NETWORK) and not kind.startswith(NO_NETWORK)
