"""Embed notes beside a daemon, in a process of lowest priority, after their words are searchable.

The process uses one core while no other process needs it, so answers come first, and its memory is freed at its end.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time

from brain_cli.cli._meaning import is_possible, models_stamp
from brain_cli.cli._workspace import Workspace
from brain_cli.index.directory import stamp

# A note that is being written changes every few seconds. So the pause between two processes is ten times the duration
# of the last one, but at most half a minute. The note's words are searchable in the meantime.
PAUSE = 10
MOST_PAUSE_SECONDS = 30.0
LOWEST_PRIORITY = 19
CLOSE_SECONDS = 2.0


class BackgroundEmbedding:
    """Embeds new and changed notes of a vault, in one process at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._process: subprocess.Popen[bytes] | None = None
        self._embedded: object = None
        self._started = self._next = 0.0

    def continue_if_due(self) -> None:
        """Start a process if the last one has ended, and the index or the models have changed since it began."""
        if not is_possible(self._workspace) or not self._has_ended() or time.monotonic() < self._next:
            return
        state = (stamp(self._workspace.index_directory), models_stamp())
        if state != self._embedded:
            self._embedded = state
            self._start()

    def close(self) -> None:
        """Stop the process; its finished embeddings are kept."""
        if self._process and self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(CLOSE_SECONDS)

    def _has_ended(self) -> bool:
        if not self._process:
            return True
        code = self._process.poll()
        if code is None:
            return False
        self._process = None
        now = time.monotonic()
        self._next = now + min(MOST_PAUSE_SECONDS, PAUSE * (now - self._started))
        if code:
            self._embedded = None
        return True

    def _start(self) -> None:
        self._started = time.monotonic()
        # -P: import nothing from the working folder, which may be the vault and hold files of strangers.
        command = [sys.executable, "-P", "-m", "brain_cli", "index", "--vault", self._workspace.vault]
        with contextlib.suppress(OSError):
            quiet = subprocess.DEVNULL
            environ = {**os.environ, "BRAIN_MEMORY": "off"}
            self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=environ)
            os.setpriority(os.PRIO_PROCESS, self._process.pid, LOWEST_PRIORITY)
