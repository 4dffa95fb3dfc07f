"""The background work of a daemon: embed notes and send them to the shared memory, in separate processes.

Such a process has the lowest priority and uses one core while no other process needs it, so answers come first, and
its memory is freed at its end.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable
from typing import NamedTuple

from brain_cli.cli._background import index_command
from brain_cli.cli._meaning import OFF, is_possible, models_stamp
from brain_cli.cli._workspace import Workspace
from brain_cli.index.directory import stamp

LOWEST_PRIORITY = 19
CLOSE_SECONDS = 2.0
MAX_ERROR_BYTES = 4_000
# A note that is being written changes every few seconds. So the pause between two processes that embed notes is ten
# times the duration of the last one, but at most half a minute. The note's words are searchable in the meantime.
PAUSE = 10
MAX_PAUSE_SECONDS = 30.0
# A server that is down is retried after this time.
RETRY_SECONDS = 30.0


class Ended(NamedTuple):
    """A process that has ended: its exit code, and what it wrote to stderr, at most 4,000 bytes of it."""

    code: int
    error: str


class BackgroundIndex:
    """One process of `brain index` at a time, started again whenever there is something new for it.

    Stopping a process loses no work: every note that it embedded or sent is complete.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._process: subprocess.Popen[bytes] | None = None
        self._done: object = None
        self._next = 0.0

    def close(self) -> None:
        """Stop the process, and wait two seconds for its end."""
        if self._process and self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(CLOSE_SECONDS)

    def _may_start(self) -> bool:
        return self._process is None and time.monotonic() >= self._next

    def _start(self, state: object, environ: dict[str, str], *options: str) -> None:
        """Start the process for a state of the notes; if the system cannot start it, nothing happens."""
        self._done = state
        command = index_command(self._workspace.vault, *options)
        with contextlib.suppress(OSError):
            quiet = subprocess.DEVNULL
            self._process = subprocess.Popen(
                command, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, env={**os.environ, **environ}
            )
            os.setpriority(os.PRIO_PROCESS, self._process.pid, LOWEST_PRIORITY)

    def _take_ended(self) -> Ended | None:
        """Return the result of the last process, once; None if there was none or it is still running."""
        if self._process is None or self._process.poll() is None:
            return None
        process, self._process = self._process, None
        with process:
            error = process.stderr.read(MAX_ERROR_BYTES) if process.stderr else b""
        return Ended(process.returncode, error.decode("utf-8", "replace"))


class BackgroundEmbedding(BackgroundIndex):
    """Embeds new and changed notes of a vault, after their words are searchable."""

    _started = 0.0

    def continue_if_due(self) -> None:
        """Start a process if the last one has ended, and the index or the models have changed since it began."""
        if not is_possible(self._workspace):
            return
        self._record_end()
        if not self._may_start():
            return
        state = (stamp(self._workspace.index_directory), models_stamp())
        if state != self._done:
            self._started = time.monotonic()
            self._start(state, {"BRAIN_MEMORY": OFF})

    def _record_end(self) -> None:
        if ended := self._take_ended():
            now = time.monotonic()
            self._next = now + min(MAX_PAUSE_SECONDS, PAUSE * (now - self._started))
            if ended.code:
                self._done = None


class BackgroundSending(BackgroundIndex):
    """Sends the notes of a vault to the shared memory whenever its index has changed.

    What the server does not take is sent later: its notes are compared again with each attempt.
    """

    def __init__(self, workspace: Workspace, say: Callable[[str], None], name: str | None) -> None:
        super().__init__(workspace)
        self._say = say
        self._options = ("--as", name) if name else ()

    def continue_if_due(self) -> None:
        """Start a process if the last one has ended, and the index has changed since it began."""
        memory = self._workspace.config.memory
        if memory == OFF:
            return
        self._record_end()
        state = stamp(self._workspace.index_directory) if self._may_start() else None
        if state and state != self._done:
            self._start(state, {"BRAIN_MEMORY": memory, "BRAIN_MEANING": OFF}, *self._options)

    def _record_end(self) -> None:
        ended = self._take_ended()
        if ended and ended.code:
            self._done, self._next = None, time.monotonic() + RETRY_SECONDS
            first = ended.error.partition("\n")[0].removeprefix("brain: ")
            self._say(f"Not sent to the shared memory yet. {first}".strip())
