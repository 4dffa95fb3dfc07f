"""Look for changes in a second process, while this one imports what it needs to answer.

On two cores a recall of a vault that has not changed waits for neither. The second process only looks: whatever it
finds, this one does what it would have done without it. See docs/decisions/look-ahead.md.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

from brain_cli.index.directory import IndexDirectory
from brain_cli.index.sync import Vault, is_up_to_date


class LookAhead:
    """A look for changes that goes on in a process of its own; it is asked for its result once."""

    def __init__(self, vault: Vault, index_directory: IndexDirectory) -> None:
        self._vault = vault
        self._folder = index_directory.folder
        self._pid = _forked(vault, index_directory)

    def found_nothing(self, vault: Vault, index_directory: IndexDirectory) -> bool:
        """Wait for the end of the look; return whether it was at this index, and a refresh would do nothing."""
        return self._end() and vault == self._vault and index_directory.folder == self._folder

    def close(self) -> None:
        """End the process if nobody has asked for its result: it writes nothing."""
        if self._pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
        self._end()

    def _end(self) -> bool:
        if not self._pid:
            return False
        pid, self._pid = self._pid, 0
        with contextlib.suppress(ChildProcessError):
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        return False


def can_look_ahead() -> bool:
    """Return whether a second process helps and is safe: on two cores, forked from a process of a single thread."""
    if not hasattr(os, "fork") or sys.platform == "darwin" or len(os.sched_getaffinity(0)) < 2:
        return False
    # Whoever starts a thread imports this module.
    threading = sys.modules.get("threading")
    return threading is None or threading.active_count() == 1


def _forked(vault: Vault, index_directory: IndexDirectory) -> int:
    """Fork a process that exits with 0 where a refresh would do nothing; return its id, 0 where there is none."""
    try:
        pid = os.fork()
    except OSError:
        return 0
    if pid:
        return pid
    code = 1
    try:
        code = 0 if is_up_to_date(vault, index_directory) else 1
    finally:
        # Whatever is wrong, the first process finds it too, and says so.
        os._exit(code)
