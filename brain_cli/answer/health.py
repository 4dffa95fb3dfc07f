"""The health of a vault at a time: the strength and idle time of each note, and counts of all notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from brain_cli.answer.periods import notes_by_period
from brain_cli.index.note_table import NoteTable
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.ranking.signals import days_between, present_strength
from brain_cli.types import NoteMetadata, Usage

# The minimum strength of each tier, strongest first; a note below the last tier is fading.
TIERS = (("strong", 0.6), ("moderate", 0.3), ("weak", 0.1))
FADING = "fading"
AGES = (("this week", 7.0), ("this month", 30.0), ("this quarter", 90.0), ("this year", 365.0))
OLDER = "older"


class NoteHealth(NamedTuple):
    """One note: `strength` 0..1, `idle_days` since its last access, `age_days` since its timestamp.

    Idle time begins no earlier than the history, because a vault that is new to brain has not been neglected.
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


class VaultStats(NamedTuple):
    """Counts by name, in display order; `useful_share` is None without feedback."""

    notes: int
    archived: int
    pinned: int
    kinds: dict[str, int]
    ages: dict[str, int]
    periods: dict[str, int]
    dated_by: dict[str, int]
    strengths: dict[str, int]
    recalls: int
    recalled_notes: int
    feedback: int
    useful_share: float | None


def vault_stats(found: list[NoteHealth], archived: int) -> VaultStats:
    """Count the active notes of a vault, their recalls and their feedback."""
    useful = sum(each.usage.useful for each in found)
    feedback = useful + sum(each.usage.wrong for each in found)
    return VaultStats(
        notes=len(found),
        archived=archived,
        pinned=sum(each.metadata.pinned for each in found),
        kinds=dict(Counter(each.metadata.kind for each in found).most_common()),
        ages=_counted((name for name, _ in AGES), OLDER, (_age(each.age_days) for each in found)),
        periods=notes_by_period(each.metadata.timestamp for each in found),
        dated_by=dict(Counter(each.metadata.dated_by for each in found).most_common()),
        strengths=_counted((name for name, _ in TIERS), FADING, (each.tier for each in found)),
        recalls=sum(each.usage.recalled for each in found),
        recalled_notes=sum(each.usage.recalled > 0 for each in found),
        feedback=feedback,
        useful_share=useful / feedback if feedback else None,
    )


def _age(days: float) -> str:
    return next((name for name, max_days in AGES if days < max_days), OLDER)


def _counted(names: Iterable[str], last: str, found: Iterable[str]) -> dict[str, int]:
    counts = Counter(found)
    return {name: counts[name] for name in (*names, last)}
