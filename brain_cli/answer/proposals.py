"""What a night's sleep would do: archive what has faded, and point at repetition, contradiction and solitude."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from brain_cli.answer.health import FADING, Vital
from brain_cli.index.snapshot import Snapshot
from brain_cli.vault.bigrams import SHARED_HASHES, bigrams, hashes_of
from brain_cli.ranking.diversity import repeats_in

PROTECTED_SALIENCE = 0.7
# A hash that so many notes share is a phrase of the house, not a sign of two notes being one.
COMMON_HASH = 50


class Pair(NamedTuple):
    """Two notes that say much the same, or of which the second replaces the first."""

    one: Vital
    other: Vital


class Proposals(NamedTuple):
    """`faded` may be archived; the others are for a person to look at."""

    faded: list[Vital]
    repeated: list[Pair]
    superseded: list[Pair]
    unlinked: list[Vital]


def proposals(snapshot: Snapshot, found: list[Vital]) -> Proposals:
    """Return what sleep would propose for the active notes of a vault."""
    rows = snapshot.catalogue.rows
    return Proposals(
        faded=[each for each in found if may_fade(each) and each.tier == FADING],
        repeated=list(_repeated(snapshot, found)),
        superseded=list(_superseded(snapshot, found)),
        unlinked=[each for each in found if not rows[each.note_id].neighbours],
    )


def may_fade(vital: Vital) -> bool:
    """Whether a note may be proposed for the archive at all: pinned and salient ones never are."""
    return not vital.facts.pinned and vital.facts.salience < PROTECTED_SALIENCE


def _repeated(snapshot: Snapshot, found: list[Vital]) -> Iterator[Pair]:
    """Yield near-duplicates, the weaker one first; only pairs with a similar sketch are compared in full."""
    by_id = {each.note_id: each for each in found}
    holders: dict[str, list[int]] = {}
    for each in found:
        for hashed in hashes_of(snapshot.catalogue.told(each.note_id).sketch):
            holders.setdefault(hashed, []).append(each.note_id)
    shared = Counter(pair for notes in holders.values() if len(notes) <= COMMON_HASH for pair in combinations(notes, 2))
    for (one, other), count in sorted(shared.items()):
        if count >= SHARED_HASHES and repeats_in([bigrams(snapshot.body(one)), bigrams(snapshot.body(other))]):
            yield Pair(*sorted((by_id[one], by_id[other]), key=lambda each: (each.strength, each.facts.timestamp)))


def _superseded(snapshot: Snapshot, found: list[Vital]) -> Iterator[Pair]:
    """Yield active notes with the active note that says it replaces them."""
    names = snapshot.catalogue.names()
    by_path = {each.facts.path: each for each in found}
    for newer in found:
        for target in newer.facts.supersedes:
            for path in names.find(target, newer.facts.path)[:1]:
                if path in by_path and path != newer.facts.path:
                    yield Pair(by_path[path], newer)
