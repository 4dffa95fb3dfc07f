"""The shared memory in a command: ask it, and send a vault's notes to it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from brain_cli.cli._output import Progress, confirmed
from brain_cli.cli._shared_connections import using_store
from brain_cli.cli._shared_history import seen_in, take_new_events
from brain_cli.cli._workspace import Workspace
from brain_cli.errors import BrainError
from brain_cli.index.directory import read_note_table, stamp
from brain_cli.index.note_table import NoteTable
from brain_cli.index.shared_snapshot import SharedSnapshot
from brain_cli.index.shared_sync import Sent, send
from brain_cli.index.snapshot import Snapshot
from brain_cli.index.sync import Vault
from brain_cli.paths import make_private_folder, memory_name, vault_name
from brain_cli.render.phrases import counted
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


def send_notes(workspace: Workspace, address: str, name: str | None, *, yes: bool = False) -> tuple[str, Sent]:
    """Send the notes of a vault, as they are indexed, to a shared memory; return the vault's name there.

    With `yes`, nothing is asked. BrainError if the user declines.
    """
    path, known = _identity(workspace, address)
    called = name or (known.name if known else os.path.basename(os.path.realpath(workspace.vault)))
    origin = known.origin if known else os.urandom(8).hex()
    directory = workspace.index_directory
    with using_store(address) as store:
        target = store.vault(called, origin, join=name is not None)
        is_foreign = target.origin != origin

        def accept(planned: Sent, stored: int) -> None:
            if not yes:
                _ask(called, planned, stored, is_foreign=is_foreign)
            _keep_identity(path, VaultIdentity(called, target.origin))

        if not is_foreign:
            _keep_identity(path, VaultIdentity(called, origin))
        token = f"{target.origin} {stamp(directory)}"
        vault = Vault(workspace.vault, workspace.config.archive_folders, workspace.config.dates)
        note_table = read_note_table(directory) or NoteTable()
        return called, send(vault, note_table, target, token, Progress("sending notes"), accept)


def _ask(name: str, planned: Sent, stored: int, *, is_foreign: bool) -> None:
    """Ask before most notes of a vault, or those of another one, are replaced; BrainError if the user declines."""
    if not stored or not (is_foreign or 2 * planned.removed > stored):
        return
    whose = ", which was sent from another vault" if is_foreign else ""
    changes = f"adds {planned.added} and removes {planned.removed} of its {counted(stored, 'note')}"
    doing = f"Sending to “{name}” of the shared memory{whose}, {changes}"
    if not confirmed(f"{doing}. Do it?", f"{doing}; there is no terminal to ask."):
        raise BrainError("Nothing was sent.")


def _identity(workspace: Workspace, address: str) -> tuple[Path, VaultIdentity | None]:
    """Return the file of a vault's identity in a memory, and the identity: else that at the address sent to last.

    After a restore the memory has another address, and the vault is still the same.
    """
    folder, file = Path(workspace.state_home) / "brain", f"{vault_name(workspace.vault)}.json"
    own = folder / memory_name(address) / file
    others = sorted((path for each in folder.glob("shared-*") if (path := each / file).is_file()), key=_age)
    return own, next(filter(None, map(_read_identity, (own, *others))), None)


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _keep_identity(path: Path, identity: VaultIdentity) -> None:
    if _read_identity(path) != identity:
        make_private_folder(path.parent)
        replace_file(path, json.dumps(identity._asdict()).encode())


def _read_identity(path: Path) -> VaultIdentity | None:
    try:
        return VaultIdentity(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
