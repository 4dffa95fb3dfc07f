"""Look for changes in a second process, while this one imports what it needs to answer.

On two cores a recall of a vault that has not changed waits for neither. The second process only looks: whatever it
finds, this one does what it would have done without it. See docs/decisions/look-ahead.md.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain_cli.index.directory import IndexDirectory
    from brain_cli.index.sync import Vault


class CheckedIndex(NamedTuple):
    """The vault that is checked, the settings by which it is read (as in `Vault`), and the folder of its index."""

    vault: str
    archive_folders: tuple[str, ...]
    date_sources: tuple[str, ...]
    index_folder: str


class LookAhead:
    """A check for changes that runs in a forked process. Its result can be read once."""

    def __init__(self, at: CheckedIndex) -> None:
        self._at = at
        self._pid = _forked(at)

    def found_nothing(self, vault: Vault, index_directory: IndexDirectory) -> bool:
        """Wait for the end of the look; return whether it was at this index, and a refresh would do nothing."""
        return self._end() and CheckedIndex(*vault, str(index_directory.folder)) == self._at

    def close(self) -> None:
        """End the process if nobody has asked for its result: it writes nothing."""
        if self._pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
        self._end()

    def _end(self) -> bool:
        if not self._pid:
            return False
        status = 1
        with contextlib.suppress(ChildProcessError):
            status = os.waitpid(self._pid, 0)[1]
        # Not before the wait is over: who interrupts it leaves a process that `close` has to end.
        self._pid = 0
        return status == 0


def can_look_ahead() -> bool:
    """Return whether a second process helps and is safe: on two cores, forked from a process of a single thread.

    macOS, whose libraries do not survive a fork, does not say on which cores a process may run.
    """
    if not hasattr(os, "fork") or not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2:
        return False
    # Whoever starts a thread imports this module.
    threading = sys.modules.get("threading")
    return threading is None or threading.active_count() == 1


def _forked(at: CheckedIndex) -> int:
    """Fork a process that exits with 0 where a refresh would do nothing; return its id, 0 where there is none."""
    first_process, code = os.getpid(), 1
    try:
        if pid := os.fork():
            return pid
        _close_streams()
        code = 0 if _is_up_to_date(at) else 1
    except OSError:
        code = 1
    finally:
        if os.getpid() != first_process:
            # Whatever is wrong, the first process finds it too, and says so.
            os._exit(code)
    return 0


def _close_streams() -> None:
    """Let go of the streams of the first process: who reads its output would wait for this process too."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)


def _is_up_to_date(at: CheckedIndex) -> bool:
    # Imported in the second process: the first one imports the same meanwhile.
    from pathlib import Path

    from brain_cli.index.directory import IndexDirectory
    from brain_cli.index.sync import Vault, is_up_to_date

    vault = Vault(at.vault, at.archive_folders, at.date_sources)
    return is_up_to_date(vault, IndexDirectory(Path(at.index_folder)))
