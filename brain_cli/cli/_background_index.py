"""Run `brain index` beside a daemon, in a process of lowest priority, one at a time.

The process uses one core while no other process needs it, so answers come first, and its memory is freed at its end.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import NamedTuple

LOWEST_PRIORITY = 19
CLOSE_SECONDS = 2.0
MAX_ERROR_BYTES = 4_000


class Ended(NamedTuple):
    """A process that has ended: its exit code, and what it wrote to stderr, at most 4,000 bytes of it."""

    code: int
    error: str


class BackgroundIndex:
    """One process of `brain index` for a vault."""

    def __init__(self, vault: str) -> None:
        self._vault = vault
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, environ: Mapping[str, str], *options: str) -> None:
        """Start the process with some variables set; if the system has no room for it, nothing is started."""
        # -P: import nothing from the working folder, which may be the vault and hold files of strangers.
        command = [sys.executable, "-P", "-m", "brain_cli", "index", "--vault", self._vault, *options]
        with contextlib.suppress(OSError):
            quiet = subprocess.DEVNULL
            self._process = subprocess.Popen(
                command, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, env={**os.environ, **environ}
            )
            os.setpriority(os.PRIO_PROCESS, self._process.pid, LOWEST_PRIORITY)

    def take_ended(self) -> Ended | None:
        """Return how the last process ended, once; None if there was none or it is still running."""
        if not self._process or self.is_running:
            return None
        process, self._process = self._process, None
        with process:
            error = process.stderr.read(MAX_ERROR_BYTES) if process.stderr else b""
        return Ended(process.returncode, error.decode("utf-8", "replace"))

    def close(self) -> None:
        """Stop the process, and wait two seconds for its end."""
        if self._process and self.is_running:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(CLOSE_SECONDS)
