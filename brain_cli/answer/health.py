"""The health of each memory at a moment: its strength, how long it has been idle, how often it was recalled."""

from __future__ import annotations

from typing import NamedTuple

from brain_cli.index.note_table import NoteTable
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.ranking.signals import days_between, present_strength
from brain_cli.types import NoteMetadata, Usage

# The least strength of each tier, strongest first; below the last is fading.
TIERS = (("strong", 0.6), ("moderate", 0.3), ("weak", 0.1))
FADING = "fading"


class NoteHealth(NamedTuple):
    """One note: `strength` 0..1, `idle_days` since its last access, `age_days` since its timestamp.

    Idle time begins no earlier than the history: a vault that is new to brain has not been forgotten.
    """

    note_id: int
    content_hash: str
    metadata: NoteMetadata
    usage: Usage
    strength: float
    idle_days: float
    age_days: float

    @property
    def tier(self) -> str:
        return next((name for name, least in TIERS if self.strength >= least), FADING)


def notes_health(note_table: NoteTable, note_history: NoteHistory, now: float) -> list[NoteHealth]:
    """Return the active notes, weakest first."""
    active = (note_id for note_id, row in note_table.rows.items() if not row.archived)
    found = [note_health(note_table, note_history, note_id, now) for note_id in active]
    return sorted(found, key=lambda each: (each.strength, each.metadata.timestamp, each.metadata.path))


def note_health(note_table: NoteTable, note_history: NoteHistory, note_id: int, now: float) -> NoteHealth:
    """Return the health of one note."""
    metadata, usage = note_table.metadata(note_id), note_history.usage(note_id)
    began = note_history.began if note_history.began is not None else now
    last_access = max(metadata.timestamp, usage.last_access or metadata.timestamp, min(began, now))
    return NoteHealth(
        note_id=note_id,
        content_hash=note_table.rows[note_id].content_hash,
        metadata=metadata,
        usage=usage,
        strength=present_strength(metadata, usage._replace(last_access=last_access), now, note_history.kinds),
        idle_days=days_between(last_access, now),
        age_days=days_between(metadata.timestamp, now),
    )
