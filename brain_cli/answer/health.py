"""The health of a vault at a time: the strength and idle time of each note, and counts of all
notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from brain_cli.history.usage import never_decays
from brain_cli.index.note_table import NoteTable
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.ranking.signals import days_between, present_strength
from brain_cli.types import NoteMetadata, Usage
from brain_cli.vault.clock import day_of, local_date

# The minimum strength of each tier, strongest first; a note below the last tier is fading. A weaker
# note than moderate is kept if it may not fade.
STRONG = "strong"
MODERATE = "moderate"
WEAK = "weak"
FADING = "fading"
KEPT = "kept"
TIERS = ((STRONG, 0.6), (MODERATE, 0.3), (WEAK, 0.1))
TIER_RULE = (
    "weak: brain review goes through them",
    "fading: review --apply archives them",
    "kept: pinned, salient or lasting ones",
)
PROTECTED_SALIENCE = 0.7
AGES = (("this week", 7.0), ("this month", 30.0), ("this quarter", 90.0), ("this year", 365.0))
OLDER = "older"
UNKNOWN = "not known"
# With more bars than these, days become months, and months become years.
MAX_DAYS = 62
MAX_MONTHS = 72


class NoteHealth(NamedTuple):
    """One note: `strength` 0..1 as in an answer, `idle_days` since its last access, `age_days`
    since its timestamp.

    Idle time begins no earlier than the history, because a vault that is new to brain has not been
    neglected. `kept` is the strength with this idle time; it decides whether a note fades.
    `is_dated`: the timestamp is the note's own, not only that of files that were copied together.
    """

    note_id: int
    content_hash: str
    metadata: NoteMetadata
    usage: Usage
    strength: float
    kept: float
    idle_days: float
    age_days: float
    is_dated: bool = True

    @property
    def path(self) -> str:
        return self.metadata.path

    @property
    def title(self) -> str:
        return self.metadata.title

    @property
    def tier(self) -> str:
        tier = next((name for name, least in TIERS if self.kept >= least), FADING)
        return KEPT if tier in (WEAK, FADING) and not self.may_fade else tier

    @property
    def may_fade(self) -> bool:
        """Return whether the note may be proposed for the archive: it is not pinned, salient or of
        a lasting kind.
        """
        metadata = self.metadata
        return not (
            metadata.pinned
            or metadata.salience >= PROTECTED_SALIENCE
            or never_decays(metadata.kind)
        )


def notes_health(
    note_table: NoteTable, note_history: NoteHistory, now: float
) -> list[NoteHealth]:
    """Return the active notes, weakest first."""
    kinds = note_history.kinds
    began = now if note_history.began is None else min(note_history.began, now)
    found: list[NoteHealth] = []
    for row in note_table.rows.values():
        note_id = row.note_id
        if row.archived:
            continue
        metadata = note_table.metadata(note_id)
        usage = note_history.usage(note_id)
        last_access = max(metadata.timestamp, usage.last_access or metadata.timestamp, began)
        accessed = usage._replace(last_access=last_access)
        health = NoteHealth(
            note_id=note_id,
            content_hash=row.content_hash,
            metadata=metadata,
            usage=usage,
            strength=present_strength(metadata, usage, now, kinds),
            kept=present_strength(metadata, accessed, now, kinds),
            idle_days=days_between(last_access, now),
            age_days=days_between(metadata.timestamp, now),
            is_dated=note_table.stated_date(note_id) is not None,
        )
        found.append(health)
    return sorted(
        found, key=lambda each: (each.strength, each.metadata.timestamp, each.metadata.path)
    )


class VaultStats(NamedTuple):
    """Counts by name, in display order; `useful_share` is None without feedback.

    Notes without a date of their own are `undated`: of no period, and of an age that is not known.
    """

    notes: int
    archived: int
    pinned: int
    kinds: dict[str, int]
    tags: dict[str, int]
    ages: dict[str, int]
    periods: dict[str, int]
    dated_by: dict[str, int]
    strengths: dict[str, int]
    recalls: int
    recalled_notes: int
    feedback: int
    useful_share: float | None
    undated: int = 0


def vault_stats(found: list[NoteHealth], zone: str, *, archived: int) -> VaultStats:
    """Count the active notes of a vault, their recalls and their feedback."""
    useful = sum(each.usage.useful for each in found)
    feedback = useful + sum(each.usage.wrong for each in found)
    dated = [each for each in found if each.is_dated]
    undated = len(found) - len(dated)
    return VaultStats(
        notes=len(found),
        archived=archived,
        pinned=sum(each.metadata.pinned for each in found),
        kinds=dict(Counter(each.metadata.kind for each in found).most_common()),
        tags=dict(Counter(tag for each in found for tag in each.metadata.tags).most_common()),
        ages=_counted((*dict(AGES), OLDER), (_age(each.age_days) for each in dated))
        | ({UNKNOWN: undated} if undated else {}),
        periods=notes_by_period(local_date(each.metadata, zone) for each in dated),
        dated_by=dict(Counter(each.metadata.dated_by for each in found).most_common()),
        strengths=notes_by_tier(found),
        recalls=sum(each.usage.recalled for each in found),
        recalled_notes=sum(each.usage.recalled > 0 for each in found),
        feedback=feedback,
        useful_share=useful / feedback if feedback else None,
        undated=undated,
    )


def _age(days: float) -> str:
    return next((name for name, max_days in AGES if days < max_days), OLDER)


def notes_by_tier(found: Iterable[NoteHealth]) -> dict[str, int]:
    """Count the notes of each tier, strongest first."""
    return _counted((*dict(TIERS), FADING, KEPT), (each.tier for each in found))


def _counted(names: Iterable[str], found: Iterable[str]) -> dict[str, int]:
    counts = Counter(found)
    return {name: counts[name] for name in names}


def notes_by_period(timestamps: Iterable[float]) -> dict[str, int]:
    """Count times of the calendar (seconds) by period, named as ISO writes it: the finest that
    gives few enough periods.

    Periods without notes between the first and the last count 0.
    """
    days = sorted(map(day_of, timestamps))
    if not days:
        return {}
    first, last = days[0], days[-1]
    between = range(first.toordinal(), last.toordinal() + 1)
    months = (last.year - first.year) * 12 + last.month - first.month
    # The beginning of a date that names its day (2026-11-28), its month or its year.
    chars = 10 if len(between) <= MAX_DAYS else 7
    names = (date.fromordinal(number).isoformat()[:chars] for number in between)
    if months >= MAX_MONTHS:
        chars = 4
        names = (f"{year:04}" for year in range(first.year, last.year + 1))
    return _counted(dict.fromkeys(names), (day.isoformat()[:chars] for day in days))
