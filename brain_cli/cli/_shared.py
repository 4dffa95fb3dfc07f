"""The shared memory in a command: ask it, send a vault's notes to it, and keep its connection in a daemon."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from brain_cli.cli._context import command_context
from brain_cli.cli._output import Progress
from brain_cli.cli._workspace import Workspace
from brain_cli.index.directory import read_note_table, stamp
from brain_cli.index.note_table import NoteTable
from brain_cli.index.shared_snapshot import SharedSnapshot
from brain_cli.index.shared_sync import Sent, send
from brain_cli.index.snapshot import Snapshot
from brain_cli.index.store import Store, open_store
from brain_cli.index.store_values import Health
from brain_cli.index.sync import Vault
from brain_cli.paths import memory_name, vault_name
from brain_cli.render.phrases import counted
from brain_cli.vault.atomic_write import replace_file

Answer = TypeVar("Answer")


class SharedSession:
    """The session of a recall that asks the shared memory. What it answers is never behind."""

    behind = 0

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def ask(self, question: Callable[[Snapshot], Answer], *, tells_staleness: bool = False) -> Answer:  # noqa: ARG002
        """Answer from one state of the memory."""
        with using_store(self._workspace.memory) as store:
            snapshot = SharedSnapshot(store.reader())
            try:
                return question(snapshot)
            finally:
                snapshot.index.close()


def text_of(snapshot: Snapshot, note_id: int) -> str:
    """Return the text of a note with its headings, as far as the memory has them."""
    snapshot.read_ahead([note_id], whole=True)
    fragments = [snapshot.index.fragment(number) for number in snapshot.numbers_of(note_id)]
    return "\n\n".join(
        f"{'#' * len(each.trail)} {each.trail[-1]}\n\n{each.text}" if each.trail else each.text for each in fragments
    )


class _Pool:
    """The connections that a daemon keeps: each is used by one thread at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: list[tuple[str, Store]] = []

    def take(self, address: str) -> Store | None:
        with self._lock:
            found = next((pair for pair in self._idle if pair[0] == address), None)
            if found:
                self._idle.remove(found)
        return found[1] if found else None

    def give(self, address: str, store: Store) -> None:
        with self._lock:
            self._idle.append((address, store))


_pool = _Pool()


@contextmanager
def using_store(address: str) -> Iterator[Store]:
    """Open the store at an address inside the block. In a daemon its connection stays open for the next one."""
    in_daemon = command_context().warm_index is not None
    store = (_pool.take(address) if in_daemon else None) or open_store(address)
    try:
        if in_daemon and not store.is_alive():
            store = open_store(address)
        yield store
    except BaseException:
        store.close()
        raise
    if in_daemon:
        _pool.give(address, store)
    else:
        store.close()


class Place(NamedTuple):
    """The name of a vault in a shared memory, and the random key that tells it from others of that name."""

    name: str
    origin: str


def send_notes(workspace: Workspace, address: str, name: str | None) -> tuple[str, Sent]:
    """Send the notes of a vault, as they are indexed, to a shared memory; return the vault's name there."""
    path = Path(workspace.state_home) / "brain" / memory_name(address) / f"{vault_name(workspace.vault)}.json"
    known = _place_in(path)
    place = Place(name or (known.name if known else os.path.basename(os.path.realpath(workspace.vault))), "")
    place = place._replace(origin=known.origin if known else os.urandom(8).hex())
    directory = workspace.index_directory
    with using_store(address) as store:
        target = store.vault(place.name, place.origin, join=name is not None)
        if known != place:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(path, json.dumps(place._asdict()).encode())
        token = f"{place.origin} {stamp(directory)}"
        vault = Vault(workspace.vault, workspace.config.archive_folders, workspace.config.dates)
        note_table = read_note_table(directory) or NoteTable()
        return place.name, send(vault, note_table, target, token, Progress("sending notes"))


def _place_in(path: Path) -> Place | None:
    try:
        return Place(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def health_of(address: str) -> Health:
    """Return the state of a shared memory; StoreError where it cannot be reached."""
    with using_store(address) as store:
        return store.health()


def told(health: Health) -> str:
    """Say the state of a shared memory in one line."""
    size = f"{health.size_bytes / 1e6:,.1f} MB"
    return (
        f"PostgreSQL {health.version}, {health.latency_ms:.1f} ms away, generation {health.generation}:"
        f" {health.notes:,} notes and {health.fragments:,} fragments of {counted(health.vaults, 'vault')}, {size}"
    )
