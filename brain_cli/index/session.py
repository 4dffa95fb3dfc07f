"""From a vault to an index that may be asked: taken in first what changed, built anew what is broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from brain_cli.errors import BrainError
from brain_cli.index import DAMAGED, BrokenIndexError
from brain_cli.index.directory import IndexDirectory, LockedError
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import BehindError, Progress, Record, Refreshed, RefreshLimit, Vault, refresh

Answer = TypeVar("Answer")
# The first build of a vault may be another process's; its end is worth waiting for.
FIRST_BUILD_SECONDS = 600.0
RECALL_BOUND = RefreshLimit(notes=200, seconds=1.0)


class IndexSession:
    """One vault and its index as a command uses them; `say` takes lines for stderr, `record` events."""

    def __init__(
        self,
        vault: Vault,
        index_directory: IndexDirectory,
        say: Callable[[str], None],
        progress: Progress,
        record: Record | None = None,
    ) -> None:
        self._vault = vault
        self._index_directory = index_directory
        self._say = say
        self._progress = progress
        self._record = record

    def refresh(self, *, full: bool = False, wait_seconds: float = 0.0, bound: RefreshLimit | None = None) -> Refreshed:
        """Bring the index up to date; LockedError when another process keeps the lock for longer."""
        done = refresh(
            self._vault,
            self._index_directory,
            self._warn,
            self._progress,
            full=full,
            wait_seconds=wait_seconds,
            bound=bound,
            record=self._record,
        )
        if done.rebuilt:
            self._say(f"{done.rebuilt[0].upper()}{done.rebuilt[1:]}, so it was built anew.")
        return done

    def ask(self, question: Callable[[Snapshot], Answer]) -> Answer:
        """Answer from a fresh index; one that turns out to be broken is built anew, once."""
        self._freshen()
        try:
            return self._answer(question)
        except (BrokenIndexError, FileNotFoundError):
            self._say(f"{DAMAGED[0].upper()}{DAMAGED[1:]}, so it was built anew.")
            self.refresh(full=True, wait_seconds=FIRST_BUILD_SECONDS)
            return self._answer(question)

    def _answer(self, question: Callable[[Snapshot], Answer]) -> Answer:
        snapshot = open_snapshot(self._index_directory)
        try:
            return question(snapshot)
        finally:
            snapshot.index.close()

    def _freshen(self) -> None:
        built = self._index_directory.folder.exists() and self._index_directory.build() is not None
        try:
            if built:
                self.refresh(bound=RECALL_BOUND)
            else:
                self.refresh(wait_seconds=FIRST_BUILD_SECONDS)
        except BehindError as behind:
            self._say(
                f"{behind.changed} notes have changed; this is the answer from the index as it stands."
                " `brain index` takes them in."
            )
        except LockedError:
            if not built:
                raise BrainError(
                    "Another brain is still building the index of this vault.", "Try again when it is done."
                ) from None
            self._say("Another brain is refreshing the index; this is the answer from the index as it stands.")
        except OSError as error:
            why = error.strerror or type(error).__name__
            if not built:
                raise BrainError(
                    f"The index cannot be written: {why}.", "Make room, or point XDG_CACHE_HOME elsewhere."
                ) from None
            self._say(f"The index cannot be refreshed ({why}); this is the answer from the index as it stands.")

    def _warn(self, path: str, why: str) -> None:
        self._say(f"{path}: {why}")
