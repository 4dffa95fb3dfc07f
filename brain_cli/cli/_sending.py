"""Send notes beside a daemon: each change of the index goes to the shared memory.

What the server does not take is sent later: its notes are compared again with each attempt.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from brain_cli.cli._background_index import BackgroundIndex
from brain_cli.cli._meaning import OFF as NO_MEANING
from brain_cli.cli._workspace import Workspace
from brain_cli.index.directory import stamp

OFF = "off"
# A server that is down is asked again after so long.
RETRY_SECONDS = 30.0


class BackgroundSending:
    """Sends the notes of a vault to the shared memory whenever its index has changed, in one process at a time."""

    def __init__(self, workspace: Workspace, say: Callable[[str], None], name: str | None) -> None:
        self._workspace = workspace
        self._say = say
        self._options = ("--as", name) if name else ()
        self._process = BackgroundIndex(workspace.vault)
        self._sent: object = None
        self._next = 0.0

    def continue_if_due(self) -> None:
        """Start a process if the last one has ended, and the index has changed since it began."""
        if self._workspace.config.memory == OFF:
            return
        self._note_end()
        if self._process.is_running or time.monotonic() < self._next:
            return
        state = stamp(self._workspace.index_directory)
        if state and state != self._sent:
            self._sent = state
            environ = {"BRAIN_MEMORY": self._workspace.config.memory, "BRAIN_MEANING": NO_MEANING}
            self._process.start(environ, *self._options)

    def close(self) -> None:
        """Stop the process; each note that it has sent is whole."""
        self._process.close()

    def _note_end(self) -> None:
        ended = self._process.take_ended()
        if ended and ended.code:
            self._sent, self._next = None, time.monotonic() + RETRY_SECONDS
            first = ended.error.partition("\n")[0].removeprefix("brain: ")
            self._say(f"Not sent to the shared memory yet. {first}".strip())
