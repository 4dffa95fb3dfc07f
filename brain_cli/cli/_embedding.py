"""Embed notes beside a daemon, after their words are searchable."""

from __future__ import annotations

import time

from brain_cli.cli._background_index import BackgroundIndex
from brain_cli.cli._meaning import is_possible, models_stamp
from brain_cli.cli._workspace import Workspace
from brain_cli.index.directory import stamp

# A note that is being written changes every few seconds. So the pause between two processes is ten times the duration
# of the last one, but at most half a minute. The note's words are searchable in the meantime.
PAUSE = 10
MAX_PAUSE_SECONDS = 30.0


class BackgroundEmbedding:
    """Embeds new and changed notes of a vault, in one process at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._process = BackgroundIndex(workspace.vault)
        self._embedded: object = None
        self._started = self._next = 0.0

    def continue_if_due(self) -> None:
        """Start a process if the last one has ended, and the index or the models have changed since it began."""
        if not is_possible(self._workspace):
            return
        self._note_end()
        if self._process.is_running or time.monotonic() < self._next:
            return
        state = (stamp(self._workspace.index_directory), models_stamp())
        if state != self._embedded:
            self._embedded = state
            self._started = time.monotonic()
            self._process.start({"BRAIN_MEMORY": "off"})

    def close(self) -> None:
        """Stop the process; its finished embeddings are kept."""
        self._process.close()

    def _note_end(self) -> None:
        if ended := self._process.take_ended():
            now = time.monotonic()
            self._next = now + min(MAX_PAUSE_SECONDS, PAUSE * (now - self._started))
            if ended.code:
                self._embedded = None
