"""Watch a vault for changes, so that an answer knows whether the last scan is still valid.

An event only triggers the usual scan of the vault, which finds the changes: no event can be
misread, and a thousand events cost no more than one. On Linux the kernel queues an event before the
write that caused it returns. So once the queue is read, a change made before a question is known.
Other systems deliver events late: there, each question scans, and so does the daemon every half a
minute.
"""

import contextlib
import os
import select
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.walk import IGNORE_FILES, OBSIDIAN_SETTINGS, SKIPPED_FOLDERS

# A batch of events ends after this much silence, at the latest after this long.
DEBOUNCE_SECONDS = 0.15
MAX_BATCH_SECONDS = 1.0
# How often to check that the vault still exists, and to rescan it without an event.
TICK_SECONDS = 1.0
RESCAN_SECONDS = 30.0
POLL_SECONDS = 2.0
# The kernel drops events beyond 16,384, by default: of so many, some may be lost, also those of new
# folders.
MANY_EVENTS = 8_192
SETTINGS_FOLDER, SETTINGS_FILE = os.path.split(OBSIDIAN_SETTINGS)
# File systems that send no events for changes by other machines; and similar names of local ones,
# which do.
NETWORK = (
    "nfs",
    "cifs",
    "smb",
    "afs",
    "ceph",
    "9p",
    "fuse.",
    "vboxsf",
    "drvfs",
    "glusterfs",
    "lustre",
    "ncpfs",
)
LOCAL_FUSE = ("fuse.ext", "fuse.gocryptfs", "fuse.encfs", "fuse.bindfs")


@dataclass
class FileWatcher:
    """Count the changes in a vault; `poll_seconds` is 0 if the system sends events."""

    _vault: str
    _say: Callable[[str], None]
    poll_seconds: float = 0.0
    changes: int = 0
    _identity: tuple[int, int] | None = None
    _is_away: bool = True
    # Watchdog's inotify object on Linux.
    _inotify: Any = None
    _last_scan: float = 0.0
    # When the first and the last change came that no scan has seen.
    _batch: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not self.poll_seconds and is_on_network(self._vault):
            self.poll_seconds = POLL_SECONDS

    def notify(self) -> None:
        """Count a change, or a possible one."""
        now = time.monotonic()
        self.changes += 1
        self._batch = (self._batch[0] if self._batch else now), now

    def start(self) -> None:
        """Start watching; earlier changes are left to the first scan."""
        self._check_vault()

    def descriptor(self) -> int | None:
        """Return the file descriptor that is readable when there are events; None if
        there is none.
        """
        return self._inotify.fd if self._inotify else None

    def knows_changes(self) -> bool:
        """Count all changes made until now; return False if the system cannot tell."""
        return (
            self._read_events()
            and not self._is_away
            and _identity(self._vault) == self._identity
        )

    def seconds_to_wait(self) -> float:
        """Return how long to wait for events, at most."""
        longest = min(TICK_SECONDS, self.poll_seconds or TICK_SECONDS)
        if self._batch is None:
            return longest
        first, last = self._batch
        end = min(last + DEBOUNCE_SECONDS, first + MAX_BATCH_SECONDS)
        return min(longest, max(0.0, end - time.monotonic()))

    def is_scan_due(self) -> bool:
        """Return whether a batch of changes has ended, or the last scan is long ago; not while the
        vault is away.
        """
        self._read_events()
        is_batch_over = self._batch is not None and not self.seconds_to_wait()
        return self._check_vault() and (is_batch_over or self._is_rescan_due())

    def mark_scanned(self) -> None:
        """Record that a scan starts now, which covers all earlier changes."""
        self._last_scan = time.time()
        self._batch = None

    def close(self) -> None:
        """Stop watching."""
        if self._inotify:
            self._inotify.close()
        self._inotify = None

    def _is_rescan_due(self) -> bool:
        # The wall clock also counts the time that the machine was asleep.
        return abs(time.time() - self._last_scan) > (self.poll_seconds or RESCAN_SECONDS)

    def _check_vault(self) -> bool:
        """Return whether the vault exists; watch it again if it has come back or been replaced."""
        identity = _identity(self._vault)
        if identity is None or (
            self._identity not in (None, identity) and _is_empty(self._vault)
        ):
            # An empty folder may be the mount point of an unmounted file system, so its notes are
            # kept.
            self._is_away = True
        elif (
            self._is_away
            or identity != self._identity
            or not (self._inotify or self.poll_seconds)
        ):
            self._is_away = False
            self._identity = identity
            self._last_scan = 0.0
            self._observe()
        return not self._is_away

    def _observe(self) -> None:
        self.close()
        self.notify()
        if self.poll_seconds:
            return
        if sys.platform != "linux":
            self.poll_seconds = RESCAN_SECONDS
            return
        try:
            self._start_inotify()
        except OSError as error:
            self.close()
            self.poll_seconds = POLL_SECONDS
            self._say(
                f"The system sends no file events ({error.strerror or error}): scanning every "
                f"{POLL_SECONDS:g} seconds instead."
            )

    def _start_inotify(self) -> None:
        from watchdog.observers.inotify_c import Inotify, InotifyConstants

        of_files = (
            InotifyConstants.IN_MODIFY
            | InotifyConstants.IN_CLOSE_WRITE
            | InotifyConstants.IN_ATTRIB
        )
        of_names = (
            InotifyConstants.IN_CREATE | InotifyConstants.IN_DELETE | InotifyConstants.IN_MOVE
        )
        self._inotify = Inotify(
            os.fsencode(self._vault), recursive=False, event_mask=of_files | of_names
        )
        self._watch_folders()

    def _watch_folders(self) -> None:
        """Watch every folder that may have notes; one that is watched already stays so."""
        for folder, names, _ in os.walk(os.fsencode(self._vault)):
            names[:] = [name for name in names if may_have_notes(os.fsdecode(name))]
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                self._inotify.add_watch(folder)
        settings = os.fsencode(os.path.join(self._vault, SETTINGS_FOLDER))
        if os.path.isdir(settings):
            self._inotify.add_watch(settings)

    def _read_events(self) -> bool:
        """Read the queue of events until it is empty, counting the changes; return False without a
        queue.
        """
        count = 0
        while self._inotify and select.select([self._inotify.fd], [], [], 0)[0]:
            try:
                events = self._inotify.read_events()
                count += len(events)
                if any(map(self._concerns, events)):
                    self.notify()
                if count > MANY_EVENTS or any(event.is_directory for event in events):
                    # The next scan comes after the new folders are watched, so that nothing in them
                    # is missed.
                    self.notify()
                    self._watch_folders()
                    count = 0
            except (OSError, KeyError):  # KeyError: watchdog has lost count of its folders
                self._observe()
        return self._inotify is not None

    def _concerns(self, event: Any) -> bool:
        name = os.fsdecode(event.name)
        return (
            may_have_notes(name)
            if event.is_directory
            else is_read(name) or name == SETTINGS_FILE
        )


def may_have_notes(folder: str) -> bool:
    """Return whether a folder of this name is read."""
    return not folder.startswith(".") and folder not in SKIPPED_FOLDERS


def is_read(name: str) -> bool:
    """Return whether a file of this name is a note or has rules for notes."""
    return name in IGNORE_FILES or (
        name.lower().endswith(NOTE_SUFFIXES) and not name.startswith(".")
    )


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
    above = [
        (len(point), kind)
        for _, point, kind, *_ in lines
        if (real + "/").startswith(point.rstrip("/") + "/")
    ]
    kind = max(above, default=(0, ""))[1]
    return kind.startswith(NETWORK) and not kind.startswith(LOCAL_FUSE)
