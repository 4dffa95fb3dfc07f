"""A vault in numbers: notes by kind, age and strength, recalls, and how useful they were said to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from brain_cli.answer.health import FADING, TIERS, NoteHealth

AGES = (("this week", 7.0), ("this month", 30.0), ("this quarter", 90.0), ("this year", 365.0))
OLDER = "older"


class VaultStats(NamedTuple):
    """Counts by name, in the order in which they are told; `useful_share` is None without any feedback."""

    notes: int
    archived: int
    pinned: int
    kinds: dict[str, int]
    ages: dict[str, int]
    dated_by: dict[str, int]
    strengths: dict[str, int]
    recalls: int
    recalled_notes: int
    feedback: int
    useful_share: float | None


def vault_stats(found: list[NoteHealth], archived: int) -> VaultStats:
    """Count the active notes of a vault, and what its history says of them."""
    useful = sum(each.usage.useful for each in found)
    feedback = useful + sum(each.usage.wrong for each in found)
    return VaultStats(
        notes=len(found),
        archived=archived,
        pinned=sum(each.metadata.pinned for each in found),
        kinds=dict(Counter(each.metadata.kind for each in found).most_common()),
        ages=_counted((name for name, _ in AGES), OLDER, (_age(each.age_days) for each in found)),
        dated_by=dict(Counter(each.metadata.dated_by for each in found).most_common()),
        strengths=_counted((name for name, _ in TIERS), FADING, (each.tier for each in found)),
        recalls=sum(each.usage.recalled for each in found),
        recalled_notes=sum(each.usage.recalled > 0 for each in found),
        feedback=feedback,
        useful_share=useful / feedback if feedback else None,
    )


def _age(days: float) -> str:
    return next((name for name, most in AGES if days < most), OLDER)


def _counted(names: Iterable[str], last: str, found: Iterable[str]) -> dict[str, int]:
    counts = Counter(found)
    return {name: counts[name] for name in (*names, last)}
