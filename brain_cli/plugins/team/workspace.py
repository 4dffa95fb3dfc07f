"""The workspace of a shared memory: its commands ask the server, on connections that a daemon keeps
open.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from brain_cli.cli.workspace import Workspace
from brain_cli.errors import BrainError, UnreachableError
from brain_cli.extension import hooks
from brain_cli.history.log import Event, History, history_in
from brain_cli.index.directory import IndexDirectory
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.paths import vault_name
from brain_cli.plugins.team.address import memory_name
from brain_cli.process import command_context
from brain_cli.streams import say

if TYPE_CHECKING:
    from brain_cli.cli.doctor import Finding
    from brain_cli.plugins.team.store import Health, Store

Answer = TypeVar("Answer")


class TeamWorkspace(Workspace):
    """A shared memory at the configured address, and this user's history of it; its answers are
    never stale.
    """

    __slots__ = ()
    behind = 0

    @property
    def files(self) -> str:
        return ""

    @property
    def index_directory(self) -> IndexDirectory:
        return IndexDirectory(Path(self.cache_home) / "brain" / memory_name(address_of(self)))

    @property
    def history(self) -> History:
        return history_in(Path(self.state_home) / "brain", memory_name(address_of(self)))

    def record(self, events: list[Event]) -> None:
        from brain_cli.plugins.team.history import record_in_memory

        try:
            record_in_memory(self, events)
        except UnreachableError as error:
            say(f"{error.message} This was not recorded.")

    def opened(self) -> AbstractContextManager[object]:
        return connected()

    # Nothing here is undone.
    def writing(self) -> AbstractContextManager[object]:
        return connected()

    def create(self, paths: Iterable[str], raw: bytes) -> str:
        """Add a note to a vault on the server."""
        from brain_cli.plugins.team.written import add

        with using_store(self) as store:
            return add(self, store, paths, raw)

    # The history changes by events alone.
    def session(self, *, touch: bool) -> TeamWorkspace:  # noqa: ARG002
        return self

    def ask(
        self,
        question: Callable[[Snapshot], Answer],
        *,
        tells_staleness: bool = False,  # noqa: ARG002
    ) -> Answer:
        """Answer from one state of the memory, and of this user's history of it."""
        with using_store(self) as store:
            from brain_cli.plugins.team.reading import Reader
            from brain_cli.plugins.team.snapshot import UnaskedSnapshot

            reader = Reader(store, self.history.folder, asked=partial(first_found, "asked", self))
            try:
                answer = question(UnaskedSnapshot(reader))
            finally:
                reader.close()
        for vault in sorted(reader.shown & reader.totals.stale.keys()):
            say(f"“{vault}” may be out of date: last sent by {reader.totals.stale[vault]}.")
        return answer


def first_found(hook: str, workspace: Workspace, *about: object, **options: object) -> Any:
    """Return what the first plugin with a hook answers; None if none has an answer."""
    answers = (ask(workspace, *about, **options) for ask in hooks(hook, workspace.config))
    return next((answer for answer in answers if answer), None)


elsewhere = TeamWorkspace._make  # returns the workspace of the configured shared memory


def address_of(workspace: Workspace) -> str:
    """Return the address of the shared memory that is configured; `off` if none is."""
    return str(workspace.config.of_plugins["memory"])


def identity(workspace: Workspace) -> tuple[str, str]:
    """Return the name of a vault in a memory, and the random key that distinguishes it from others
    of that name.

    They are empty before it was sent. After a restore the memory has another address, and the vault
    is still the same.
    """
    own = identity_file(workspace)
    others = sorted(
        own.parent.parent.glob(f"shared-*/{own.name}"), key=os.path.getmtime, reverse=True
    )
    for path in (own, *others):
        with suppress(OSError, ValueError, TypeError, KeyError):
            found = json.loads(path.read_text(encoding="utf-8"))
            return found["name"], found["origin"]
    return "", ""


def identity_file(workspace: Workspace) -> Path:
    folder = Path(workspace.state_home, "brain", memory_name(address_of(workspace)))
    return folder / f"{vault_name(workspace.vault)}.json"


# Open stores that wait for their next use, by address.
_of_daemon: dict[str, Store] = {}
_of_command: ContextVar[dict[str, Store] | None] = ContextVar("stores_of_command", default=None)


@contextmanager
def connected() -> Iterator[None]:
    """Use one connection inside the block; a daemon keeps it open afterwards."""
    idle: dict[str, Store] = {}
    token = _of_command.set(idle)
    try:
        yield
    finally:
        _of_command.reset(token)
        for store in idle.values():
            store.close()


@contextmanager
def using_store(workspace: Workspace) -> Iterator[Store]:
    """Open the store of the configured memory inside the block, or use one that is open."""
    from brain_cli.plugins.team.store import open_store

    address = address_of(workspace)
    idle = _of_daemon if command_context().warm_index is not None else _of_command.get()
    store = (idle.pop(address, None) if idle else None) or open_store(address)
    try:
        yield store
    except BaseException:
        store.close()
        raise
    if idle is None or address in idle:
        store.close()
    else:
        idle[address] = store


def status(workspace: Workspace, note_table: NoteTable) -> tuple[str, str | Health]:
    """Return the state of the shared memory for `brain status`."""
    try:
        with using_store(workspace) as store:
            return "memory", store.health()
    except BrainError as error:
        return "memory", f"{error.message} {error.hint}".rstrip()


def checks(workspace: Workspace, note_table: NoteTable | None) -> Iterator[Finding]:
    """Check the server of the shared memory for `brain doctor`."""
    from brain_cli.cli.doctor import FINE, WRONG, Finding

    name, state = status(workspace, note_table or NoteTable())
    yield Finding(
        name, WRONG if isinstance(state, str) else FINE, str(state), int(isinstance(state, str))
    )
