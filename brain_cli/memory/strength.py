"""The strength of a memory by its kind, its daily decay, and what a recall adds to both.

    decayed   = strength * rate ** idle_days
    strength' = min(1, strength + 0.05 * min(3, 1 + log2(1 + d)) / (1 + 0.1 * n))
    rate'     = max(rate, rate + 0.1 * (0.999 - rate))

d   days since the access before: a recall after a pause teaches more, up to threefold
n   accesses before this one: each further recall teaches less
`strength` and `rate` are 0..1. The gain of a recall does not depend on the present strength, so the gains can be
summed over the history in time order and added to the initial strength of the note's kind.

Whether a note is a strong match for a query is another question: see `Standing` in ranking/candidate.py.

Publication: the `brain` scoring formula, "Strength & Decay"; the boost and its bounds are ours, and so are the kinds
marked "ours".
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log2
from typing import TYPE_CHECKING

from brain_cli.bounds import elapsed, unit

if TYPE_CHECKING:
    from brain_cli.types import Signals

BOOST = 0.05
SPACING_CAP = 3.0
FATIGUE = 0.1
RATE_GAIN = 0.1
RATE_GOAL = 0.999

# Kind → base strength, daily decay rate. `[kinds.KIND]` of the configuration changes a kind or adds one.
Kinds = Mapping[str, tuple[float, float]]
STRENGTHS: Kinds = {
    "insight": (0.90, 0.997),
    "decision": (0.85, 0.995),
    "goal": (0.80, 0.993),
    "experience": (0.75, 0.985),
    "learning": (0.70, 0.990),
    "relationship": (0.70, 0.997),
    "preference": (0.60, 0.998),
    "observation": (0.40, 0.950),
    # ours
    "project": (0.75, 0.993),
    "handoff": (0.55, 0.970),
    "conversation": (0.50, 0.980),
    "progress": (0.50, 0.980),
}
OTHER_KINDS = (0.70, 0.990)


def base_strength(kind: str) -> tuple[float, float]:
    """Return the strength and daily decay rate of a new note of a kind."""
    return STRENGTHS.get(kind.lower(), OTHER_KINDS)


def configured_kinds(tables: Mapping[str, Mapping[str, float]]) -> Kinds:
    """Read the `[kinds.KIND]` tables of the configuration; a missing value keeps its default."""
    kinds: dict[str, tuple[float, float]] = {}
    for kind, table in tables.items():
        strength, decay_rate = base_strength(kind)
        kinds[kind.lower()] = (table.get("strength", strength), table.get("decay_rate", decay_rate))
    return kinds


# Half-life ∞ in "ClawMem: Composite Scoring".
NEVER_DECAYING = frozenset(("decision", "deductive", "preference", "hub", "antipattern"))


def never_decays(kind: str) -> bool:
    """Return whether notes of a kind are never proposed for the archive."""
    return kind.lower() in NEVER_DECAYING


def decayed_strength(signals: Signals) -> float:
    """Return what is left of a note's strength since its last access; its own numbers win over its kind's."""
    strength, rate = base_strength(signals.kind)
    strength = unit(strength if signals.strength is None else signals.strength)
    rate = unit(rate if signals.decay_rate is None else signals.decay_rate)
    return strength if signals.pinned else strength * rate ** elapsed(signals.idle)


def boost(days_since_access: float, accesses_before: float) -> float:
    """Return what one recall adds to a note's strength."""
    spacing = min(SPACING_CAP, 1 + log2(1 + max(0.0, days_since_access)))
    return BOOST * spacing / (1 + FATIGUE * max(0.0, accesses_before))


def reinforced_strength(strength: float, boosts: float) -> float:
    """Return a strength with all that recalls have added to it."""
    return min(1.0, strength + boosts)


def reinforced_rate(rate: float, recalls: int) -> float:
    """Return a decay rate after some recalls: it closes a tenth of the gap to .999 with each, and never falls."""
    return max(rate, RATE_GOAL - (RATE_GOAL - rate) * (1 - RATE_GAIN) ** recalls)
