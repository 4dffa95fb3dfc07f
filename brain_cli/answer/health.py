"""How each memory is doing at a moment: its strength, how long it has been idle, how often it was recalled."""

from __future__ import annotations

from typing import NamedTuple

from brain_cli.index.note_table import Catalogue
from brain_cli.ranking.note_history import Past
from brain_cli.ranking.signals import days_between, present_strength
from brain_cli.types import Facts, Usage

# The least strength of each tier, strongest first; below the last is fading.
TIERS = (("strong", 0.6), ("moderate", 0.3), ("weak", 0.1))
FADING = "fading"


class Vital(NamedTuple):
    """One note: `strength` 0..1, `idle_days` since its last access, `age_days` since its timestamp."""

    note_id: int
    content_hash: str
    facts: Facts
    usage: Usage
    strength: float
    idle_days: float
    age_days: float

    @property
    def tier(self) -> str:
        return next((name for name, least in TIERS if self.strength >= least), FADING)


def vitals(catalogue: Catalogue, past: Past, now: float) -> list[Vital]:
    """Return the active notes, weakest first."""
    active = (note_id for note_id, row in catalogue.rows.items() if not row.archived)
    found = [vital(catalogue, past, note_id, now) for note_id in active]
    return sorted(found, key=lambda each: (each.strength, each.facts.timestamp, each.facts.path))


def vital(catalogue: Catalogue, past: Past, note_id: int, now: float) -> Vital:
    """Return how one note is doing."""
    facts, usage = catalogue.facts(note_id), past.usage(note_id)
    return Vital(
        note_id=note_id,
        content_hash=catalogue.rows[note_id].content_hash,
        facts=facts,
        usage=usage,
        strength=present_strength(facts, usage, now),
        idle_days=days_between(max(facts.timestamp, usage.last_access or facts.timestamp), now),
        age_days=days_between(facts.timestamp, now),
    )
