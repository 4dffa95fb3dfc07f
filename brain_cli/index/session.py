"""Answer from an up-to-date index: refresh it first, and rebuild it if it is damaged."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from brain_cli.errors import BrainError
from brain_cli.index.damage import BrokenIndexError
from brain_cli.index.directory import IndexDirectory, LockedError, UnwritableError, stamp
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import IndexedVault, Progress, RecordEvents, Refreshed, Warn, refresh
from brain_cli.index.sync_plan import BehindError, RefreshLimit, stale_answer
from brain_cli.printable import some_of

Answer = TypeVar("Answer")
# Where a temporary index is built if the cache folder cannot be written.
MEMORY_FOLDER = "/dev/shm"
# Warnings of more reasons are counted.
MAX_REASONS = 10
# How long to wait for another process that builds the index of a vault for the first time.
FIRST_BUILD_SECONDS = 600.0
# How long a recall builds the first index of a large vault before it answers from what is read.
FIRST_SECONDS = 10.0
# What a recall refreshes at most. The clock is read between notes, so the size bounds a long one: 1
# MB takes 1.5 s.
RECALL_LIMIT = RefreshLimit(notes=200, size=1 << 20, seconds=1.0)
# How long a recall waits for another process: a refresh of a few notes takes less time, a full
# build more.
RECALL_LOCK_SECONDS = 0.5


class IndexAccess(Protocol):
    """How a session refreshes and opens the index: directly, or through a daemon's warm index."""

    def refresh(self, warn: Warn, progress: Progress, **options: Any) -> Refreshed:
        """Bring the index up to date, with the options of `sync.refresh`; raise what that
        raises.
        """
        ...

    def open_snapshot(self) -> AbstractContextManager[Snapshot]:
        """Keep the current snapshot of the index open inside this context."""
        ...


class DirectAccess:
    """Access for a single command: it scans the vault itself, and opens the index for one
    answer.
    """

    def __init__(self, vault: IndexedVault, index_directory: IndexDirectory) -> None:
        self._index_directory = index_directory
        self.refresh = partial(refresh, vault, index_directory)

    @contextlib.contextmanager
    def open_snapshot(self) -> Iterator[Snapshot]:
        snapshot = open_snapshot(self._index_directory)
        try:
            yield snapshot
        finally:
            snapshot.index.close()


class IndexSession:
    """One vault and its index, as a command uses them; `say` prints to stderr, `record` gets the
    events of a refresh.

    `refresh_later` starts a refresh in the background. `behind` counts the changed notes that the
    last answer lacks. `access` is how the index is refreshed and opened.
    """

    def __init__(
        self,
        vault: IndexedVault,
        index_directory: IndexDirectory,
        say: Callable[[str], None],
        progress: Progress,
        record: RecordEvents | None = None,
        refresh_later: Callable[[], None] | None = None,
        access: IndexAccess | None = None,
    ) -> None:
        self._vault = vault
        self._index_directory = index_directory
        self._say = say
        self._progress = progress
        self._record = record
        self._refresh_later = refresh_later
        self._access = access or DirectAccess(vault, index_directory)
        self._refresh_remains = False
        self.behind = 0

    def refresh(self, *, wait_seconds: float = 0.0, **options: Any) -> Refreshed:
        """Bring the index up to date, with the options of `sync.refresh`; LockedError if another
        process holds the lock for longer.
        """
        try:
            return self._refresh_once(wait_seconds=wait_seconds, **options)
        except BrokenIndexError as damage:
            return self._rebuild(damage, wait_seconds)

    def ask(
        self, question: Callable[[Snapshot], Answer], *, tells_staleness: bool = False
    ) -> Answer:
        """Answer from a fresh index. If it turns out to be damaged, rebuild it, once.

        If the index lacks changed notes, one line says so, unless the answer itself does. If there
        is no index and none can be written, one is built in memory.
        """
        try:
            self._bring_up_to_date()
        except UnwritableError as unwritable:
            return self._ask_in_memory(question, unwritable)
        if self.behind and not tells_staleness:
            self._say(stale_answer(self.behind))
        try:
            return self._answer_or_rebuild(question)
        finally:
            # Started only now, so that the answer had the processor to itself. It lacks exactly the
            # notes it reports.
            if self._refresh_remains and self._refresh_later:
                self._refresh_later()

    def _answer_or_rebuild(self, question: Callable[[Snapshot], Answer]) -> Answer:
        """Answer from the current index; if it turns out to be damaged, rebuild it and answer
        again.
        """
        before = stamp(self._index_directory)
        try:
            return self._answer(question)
        except BrokenIndexError as damage:
            # If another process has just rebuilt the index, the old files are gone but nothing is
            # damaged.
            if stamp(self._index_directory) == before:
                self._rebuild(damage, FIRST_BUILD_SECONDS)
        return self._answer(question)

    def _refresh_once(self, **options: Any) -> Refreshed:
        warnings: list[tuple[str, str]] = []

        def warn(path: str, why: str) -> None:
            warnings.append((path, why))

        try:
            return self._access.refresh(warn, self._progress, record=self._record, **options)
        finally:
            # Warnings are printed after the progress bar, which they would break.
            for line in _grouped(warnings):
                self._say(line)

    def _rebuild(self, damage: BrokenIndexError, wait_seconds: float) -> Refreshed:
        """Rebuild a damaged index, and report it."""
        done = self._refresh_once(full=True, wait_seconds=wait_seconds)
        why = str(damage)
        self._say(f"{why[0].upper()}{why[1:]}, so it was rebuilt.")
        return done._replace(rebuilt=why)

    def _answer(self, question: Callable[[Snapshot], Answer]) -> Answer:
        with self._access.open_snapshot() as snapshot:
            snapshot.behind = self.behind
            return question(snapshot)

    def _bring_up_to_date(self) -> None:
        """Refresh the index within the limit of a recall; build it if there is none, for ten
        seconds in a large vault.
        """
        self.behind = 0
        self._refresh_remains = False
        if not (os.path.exists(self._index_directory.folder) and self._index_directory.build()):
            self._build_or_wait()
            return
        try:
            self.refresh(limit=RECALL_LIMIT, wait_seconds=RECALL_LOCK_SECONDS)
        except LockedError:
            # No short refresh: another process is rebuilding the index.
            self._build_or_wait()
        except BehindError as behind:
            # What stopped this refresh, such as a full disk, would also stop one in the background.
            self.behind = behind.changed
            self._refresh_remains = not behind.why
            if behind.why:
                self._say(f"The index cannot be refreshed ({behind.why}).")

    def _build_or_wait(self) -> None:
        """Build the index of a vault, or wait for another process that builds it."""
        try:
            self.refresh(wait_seconds=FIRST_BUILD_SECONDS, first_seconds=FIRST_SECONDS)
        except BehindError as behind:
            self.behind = behind.changed
            self._refresh_remains = True
            self._say(
                "The first index of a large vault takes a while: this answer is from the notes that"
                " are read, and reading goes on in the background."
            )
        except LockedError:
            raise BrainError(
                "Another brain process is still building the index of this vault.",
                "Try again when it is done.",
            ) from None
        except OSError as error:
            raise UnwritableError(
                f"The index cannot be written: {error.strerror or type(error).__name__}.",
                "Free some space, or point XDG_CACHE_HOME elsewhere.",
            ) from None

    def _ask_in_memory(
        self, question: Callable[[Snapshot], Answer], unwritable: UnwritableError
    ) -> Answer:
        """Answer from a temporary index; raise the error if there is no space for one."""
        # Imported here, because hardly any question needs it.
        from tempfile import TemporaryDirectory

        for parent in (MEMORY_FOLDER, None):
            with (
                contextlib.suppress(OSError, UnwritableError),
                TemporaryDirectory(prefix="brain-", dir=parent) as folder,
            ):
                directory = IndexDirectory(Path(os.path.realpath(folder), "index"))
                session = IndexSession(self._vault, directory, self._say, self._progress)
                session.refresh()
                self._say(f"{unwritable.message} This answer is from an index in memory.")
                return session._answer(question)
        raise unwritable


def _grouped(warnings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines for some warnings (path and reason), in their order, grouped by reason; long
    lists are cut.
    """
    paths_of: dict[str, list[str]] = {}
    for path, why in dict.fromkeys(warnings):
        paths_of.setdefault(why, []).append(path)
    groups = [*paths_of.items()]
    for why, paths in groups[:MAX_REASONS]:
        yield f"{some_of(paths)}: {why}"
    hidden = sum(len(paths) for _, paths in groups[MAX_REASONS:])
    if hidden:
        yield (
            f"and {hidden} more {'warning' if hidden == 1 else 'warnings'}; `brain doctor` "
            "counts them."
        )
