"""The connections of a command to a shared memory: one for each command, and some that a daemon keeps open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING

from brain_cli.cli._checks import FINE, WRONG, Finding
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import Workspace
from brain_cli.errors import BrainError
from brain_cli.index.note_table import NoteTable
from brain_cli.plugins.team.values import Health
from brain_cli.plugins.team.workspace import address_of

if TYPE_CHECKING:
    from brain_cli.plugins.team.store import Store


class _Pool:
    """Open stores that wait for their next use: each is used by one thread at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: list[tuple[str, Store]] = []

    def take(self, address: str) -> Store | None:
        with self._lock:
            found = next((pair for pair in self._idle if pair[0] == address), None)
            if found:
                self._idle.remove(found)
        return found[1] if found else None

    def put(self, address: str, store: Store) -> None:
        with self._lock:
            self._idle.append((address, store))

    def close(self) -> None:
        with self._lock:
            stores = [store for _, store in self._idle]
            self._idle = []
        for store in stores:
            store.close()


_of_daemon = _Pool()
_of_command: ContextVar[_Pool | None] = ContextVar("stores_of_command", default=None)


@contextmanager
def connected() -> Iterator[None]:
    """Use one connection inside the block; a daemon keeps it open afterwards."""
    pool = _Pool()
    token = _of_command.set(pool)
    try:
        yield
    finally:
        _of_command.reset(token)
        pool.close()


@contextmanager
def using_store(address: str) -> Iterator[Store]:
    """Open the store at an address inside the block, or use one that is open."""
    pool = _of_daemon if command_context().warm_index is not None else _of_command.get()
    from brain_cli.plugins.team.store import open_store

    store = (pool.take(address) if pool else None) or open_store(address)
    try:
        yield store
    except BaseException:
        store.close()
        raise
    if pool:
        pool.put(address, store)
    else:
        store.close()


def health_of(address: str) -> Health:
    """Return the state of a shared memory; StoreError if it cannot be reached."""
    with using_store(address) as store:
        return store.health()


def status(workspace: Workspace, note_table: NoteTable) -> tuple[str, str | Health]:
    """Return the state of the shared memory for `brain status`."""
    try:
        return "memory", health_of(address_of(workspace))
    except BrainError as error:
        return "memory", error.message


def checks(workspace: Workspace, note_table: NoteTable | None) -> Iterator[Finding]:
    """Check the server of the shared memory for `brain doctor`."""
    try:
        yield Finding("memory", FINE, str(health_of(address_of(workspace))))
    except BrainError as error:
        yield Finding("memory", WRONG, f"{error.message} {error.hint}".rstrip(), 1)
