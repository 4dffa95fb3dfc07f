"""The shared memory in a command: ask it, and send a vault's notes to it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from brain_cli.cli._output import Progress
from brain_cli.cli._shared_connections import using_store
from brain_cli.cli._shared_history import seen_in, take_new_events
from brain_cli.cli._workspace import Workspace
from brain_cli.index.directory import read_note_table, stamp
from brain_cli.index.note_table import NoteTable
from brain_cli.index.shared_snapshot import SharedSnapshot
from brain_cli.index.shared_sync import Sent, send
from brain_cli.index.snapshot import Snapshot
from brain_cli.index.sync import Vault
from brain_cli.paths import make_private_folder, memory_name, vault_name
from brain_cli.vault.atomic_write import replace_file

Answer = TypeVar("Answer")


class SharedSession:
    """The session of a recall that asks the shared memory. Its answers are never stale."""

    behind = 0

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def ask(self, question: Callable[[Snapshot], Answer], *, tells_staleness: bool = False) -> Answer:  # noqa: ARG002
        """Answer from one state of the memory, and of this user's history of it."""
        folder = self._workspace.history.folder
        seen = seen_in(folder)
        with using_store(self._workspace.memory) as store:
            reader = store.reader(seen.number)
            snapshot = SharedSnapshot(reader)
            take_new_events(folder, reader, seen)
            try:
                return question(snapshot)
            finally:
                snapshot.index.close()


class VaultIdentity(NamedTuple):
    """The name of a vault in a shared memory, and the random key that distinguishes it from others of that name."""

    name: str
    origin: str


def send_notes(workspace: Workspace, address: str, name: str | None) -> tuple[str, Sent]:
    """Send the notes of a vault, as they are indexed, to a shared memory; return the vault's name there."""
    path = Path(workspace.state_home) / "brain" / memory_name(address) / f"{vault_name(workspace.vault)}.json"
    known = _read_identity(path)
    identity = VaultIdentity(name or (known.name if known else os.path.basename(os.path.realpath(workspace.vault))), "")
    identity = identity._replace(origin=known.origin if known else os.urandom(8).hex())
    directory = workspace.index_directory
    with using_store(address) as store:
        target = store.vault(identity.name, identity.origin, join=name is not None)
        if known != identity:
            make_private_folder(path.parent)
            replace_file(path, json.dumps(identity._asdict()).encode())
        token = f"{identity.origin} {stamp(directory)}"
        vault = Vault(workspace.vault, workspace.config.archive_folders, workspace.config.dates)
        note_table = read_note_table(directory) or NoteTable()
        return identity.name, send(vault, note_table, target, token, Progress("sending notes"))


def _read_identity(path: Path) -> VaultIdentity | None:
    try:
        return VaultIdentity(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
