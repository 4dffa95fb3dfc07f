"""Report how strong each memory of a vault is, and what plugins say of their state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from brain_cli.answer.health import NoteHealth, VaultStats, notes_health, vault_stats
from brain_cli.extension import hooks
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import note_history_of

if TYPE_CHECKING:
    from brain_cli.library.vault import Vault


class VaultStatus(NamedTuple):
    """The active notes of a vault, weakest first, and their `counts`; `states` are those of
    plugins, by name.
    """

    notes: list[NoteHealth]
    counts: VaultStats
    states: dict[str, Any]


def health_of(vault: Vault, snapshot: Snapshot) -> list[NoteHealth]:
    """Return the active notes of a vault, weakest first."""
    return notes_health(snapshot.note_table, note_history_of(vault, snapshot), vault.now)


def status_of(vault: Vault, snapshot: Snapshot) -> VaultStatus:
    """Return the status of a vault."""
    table = snapshot.note_table
    notes = health_of(vault, snapshot)
    states = (hook(vault, table) for hook in hooks("status", vault.config))
    return VaultStatus(
        notes,
        vault_stats(notes, vault.zone, archived=len(table.rows) - len(notes)),
        dict(filter(None, states)),
    )
