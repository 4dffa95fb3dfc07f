"""Check for changes in a second process, while this one imports the modules for the answer.

On two cores, a recall of an unchanged vault takes only the longer of the two. The second process only reads: if it
finds changes, this one refreshes as it would without it. See docs/decisions/look-ahead.md.
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
    """The vault that is checked, its settings (as in `Vault`), and the folder of its index."""

    vault: str
    archive_folders: tuple[str, ...]
    date_sources: tuple[str, ...]
    index_folder: str


class LookAhead:
    """A check for changes that runs in a forked process. Its result can be read once."""

    def __init__(self, checked: CheckedIndex) -> None:
        self._checked = checked
        self._pid = _forked(checked)

    def found_nothing(self, vault: Vault, index_directory: IndexDirectory) -> bool:
        """Wait for the end of the check; return whether it was for this index, and a refresh would do nothing."""
        return self._end() and CheckedIndex(*vault, str(index_directory.folder)) == self._checked

    def close(self) -> None:
        """Kill the process if its result was not read; it writes nothing, so that is safe."""
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
        # Only after the wait: if that is interrupted, `close` has to end the process.
        self._pid = 0
        return status == 0


def can_look_ahead() -> bool:
    """Return whether a second process helps and is safe: with two cores, forked from a process with one thread.

    macOS, whose libraries do not survive a fork, is excluded because it has no `sched_getaffinity`.
    """
    if not hasattr(os, "fork") or not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2:
        return False
    # Without this module no thread has been started.
    threading = sys.modules.get("threading")
    return threading is None or threading.active_count() == 1


def _forked(checked: CheckedIndex) -> int:
    """Fork a process that exits with 0 if a refresh would do nothing; return its id, 0 if it cannot be started."""
    first_process, code = os.getpid(), 1
    try:
        if pid := os.fork():
            return pid
        _close_streams()
        code = 0 if _is_up_to_date(checked) else 1
    except OSError:
        code = 1
    finally:
        if os.getpid() != first_process:
            # The first process meets and reports the same errors.
            os._exit(code)
    return 0


def _close_streams() -> None:
    """Close the streams of the first process, because a reader of its output would wait for this process too."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)


def _is_up_to_date(checked: CheckedIndex) -> bool:
    # Imported only in the second process; the first one imports the same modules meanwhile.
    from pathlib import Path

    from brain_cli.index.directory import IndexDirectory
    from brain_cli.index.sync import Vault, is_up_to_date

    vault = Vault(checked.vault, checked.archive_folders, checked.date_sources)
    return is_up_to_date(vault, IndexDirectory(Path(checked.index_folder)))
