"""Sending beside a daemon: each change of the index goes to the shared memory, in a process of its own.

What the server does not take is sent later: its notes are compared anew with each attempt.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable

from brain_cli.cli._meaning import OFF as NO_MEANING
from brain_cli.cli._workspace import Workspace
from brain_cli.index.directory import stamp

OFF = "off"
# A server that is down is asked again after so long.
RETRY_SECONDS = 30.0
LOWEST_PRIORITY = 19
CLOSE_SECONDS = 2.0
MOST_SAID_BYTES = 4_000


class BackgroundSending:
    """Send the notes of a vault to the shared memory whenever its index has changed, in one process at a time."""

    def __init__(self, workspace: Workspace, say: Callable[[str], None], name: str | None) -> None:
        self._workspace = workspace
        self._say = say
        self._name = name
        self._process: subprocess.Popen[bytes] | None = None
        self._sent: object = None
        self._next = 0.0

    def continue_if_due(self) -> None:
        """Start a process if the index has changed since the last one, which has ended."""
        if self._workspace.config.memory == OFF or not self._has_ended() or time.monotonic() < self._next:
            return
        state = stamp(self._workspace.index_directory)
        if state and state != self._sent:
            self._sent = state
            self._start()

    def close(self) -> None:
        """Stop the process; each note that it has sent is whole."""
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
        error = self._process.stderr.read(MOST_SAID_BYTES) if self._process.stderr else b""
        self._process = None
        if code:
            self._sent, self._next = None, time.monotonic() + RETRY_SECONDS
            first = error.decode("utf-8", "replace").partition("\n")[0].removeprefix("brain: ")
            self._say(f"Not sent to the shared memory yet. {first}".strip())
        return True

    def _start(self) -> None:
        # -P: import nothing from the working folder, which may be the vault and hold files of strangers.
        command = [sys.executable, "-P", "-m", "brain_cli", "index", "--vault", self._workspace.vault]
        command += ["--as", self._name] if self._name else []
        environ = {**os.environ, "BRAIN_MEMORY": self._workspace.config.memory, "BRAIN_MEANING": NO_MEANING}
        with contextlib.suppress(OSError):
            quiet = subprocess.DEVNULL
            self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, env=environ)
            os.setpriority(os.PRIO_PROCESS, self._process.pid, LOWEST_PRIORITY)
