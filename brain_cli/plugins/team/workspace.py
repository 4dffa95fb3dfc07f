"""The workspace of a shared memory: its commands ask the server instead of a vault."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TypeVar

from brain_cli.cli._output import say
from brain_cli.cli._workspace import Workspace
from brain_cli.history.log import Event, History, history_in
from brain_cli.index.directory import IndexDirectory
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.team.address import memory_name

Answer = TypeVar("Answer")


class TeamWorkspace(Workspace):
    """A shared memory, at the address in the configuration, and this user's history of it."""

    __slots__ = ()

    @property
    def address(self) -> str:
        """The address of the server."""
        return address_of(self)

    @property
    def files(self) -> str:
        return ""

    @property
    def index_directory(self) -> IndexDirectory:
        return IndexDirectory(Path(self.cache_home) / "brain" / memory_name(self.address))

    @property
    def history(self) -> History:
        return history_in(Path(self.state_home) / "brain", memory_name(self.address))

    def record(self, events: list[Event]) -> None:
        from brain_cli.plugins.team.history import record_in_memory

        record_in_memory(self.history, self.address, events)

    def session(self, *, touch: bool) -> TeamSession:  # noqa: ARG002 - the history of a memory changes by events alone
        return TeamSession(self)

    def opened(self) -> AbstractContextManager[object]:
        from brain_cli.plugins.team.connections import connected

        return connected()


class TeamSession:
    """The session of a recall that asks the shared memory. Its answers are never stale."""

    behind = 0

    def __init__(self, workspace: TeamWorkspace) -> None:
        self._workspace = workspace

    def ask(self, question: Callable[[Snapshot], Answer], *, tells_staleness: bool = False) -> Answer:  # noqa: ARG002
        """Answer from one state of the memory, and of this user's history of it."""
        from brain_cli.plugins.team.connections import using_store
        from brain_cli.plugins.team.history import seen_in, take_new_events
        from brain_cli.plugins.team.reading import Reader
        from brain_cli.plugins.team.snapshot import UnaskedSnapshot

        folder = self._workspace.history.folder
        seen = seen_in(folder)
        with using_store(self._workspace.address) as store:
            reader = Reader(store, seen.number, seen.languages, partial(take_new_events, folder, seen))
            try:
                answer = question(UnaskedSnapshot(reader))
            finally:
                reader.close()
        for vault in sorted(reader.shown & reader.totals.stale.keys()):
            say(f"“{vault}” may be out of date: last sent by {reader.totals.stale[vault]}.")
        return answer


def elsewhere(workspace: Workspace) -> TeamWorkspace:
    """Return the workspace of the configured shared memory."""
    return TeamWorkspace(*workspace)


def address_of(workspace: Workspace) -> str:
    """Return the address of the shared memory that is configured; `off` if none is."""
    return str(workspace.config.of_plugins["memory"])
