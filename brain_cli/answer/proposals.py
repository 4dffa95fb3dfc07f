"""What a night's sleep would do: archive what has faded, and point at repetition, contradiction and solitude."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from brain_cli.answer.health import FADING, NoteHealth
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.diversity import repeats_in
from brain_cli.vault.bigrams import SHARED_HASHES, bigrams, hashes_of

PROTECTED_SALIENCE = 0.7
# A hash that so many notes share is a phrase of the house, not a sign of two notes being one.
COMMON_HASH = 50


class Pair(NamedTuple):
    """Two notes that say much the same, or of which the second replaces the first."""

    one: NoteHealth
    other: NoteHealth


class Proposals(NamedTuple):
    """`faded` may be archived; the others are for a person to look at."""

    faded: list[NoteHealth]
    repeated: list[Pair]
    superseded: list[Pair]
    unlinked: list[NoteHealth]


def proposals(snapshot: Snapshot, found: list[NoteHealth]) -> Proposals:
    """Return what sleep would propose for the active notes of a vault."""
    rows = snapshot.note_table.rows
    return Proposals(
        faded=[each for each in found if may_fade(each) and each.tier == FADING],
        repeated=list(_repeated(snapshot, found)),
        superseded=list(_superseded(snapshot, found)),
        unlinked=[each for each in found if not rows[each.note_id].neighbours],
    )


def may_fade(note_health: NoteHealth) -> bool:
    """Whether a note may be proposed for the archive at all: pinned and salient ones never are."""
    return not note_health.metadata.pinned and note_health.metadata.salience < PROTECTED_SALIENCE


def _repeated(snapshot: Snapshot, found: list[NoteHealth]) -> Iterator[Pair]:
    """Yield near-duplicates, the weaker one first; only pairs with a similar sketch are compared in full."""
    by_id = {each.note_id: each for each in found}
    holders: dict[str, list[int]] = {}
    for each in found:
        for hashed in hashes_of(snapshot.note_table.read_record(each.note_id).sketch):
            holders.setdefault(hashed, []).append(each.note_id)
    shared = Counter(pair for notes in holders.values() if len(notes) <= COMMON_HASH for pair in combinations(notes, 2))
    for (one, other), count in sorted(shared.items()):
        if count >= SHARED_HASHES and repeats_in([bigrams(snapshot.body(one)), bigrams(snapshot.body(other))]):
            yield Pair(*sorted((by_id[one], by_id[other]), key=lambda each: (each.strength, each.metadata.timestamp)))


def _superseded(snapshot: Snapshot, found: list[NoteHealth]) -> Iterator[Pair]:
    """Yield active notes with the active note that says it replaces them."""
    names = snapshot.note_table.names()
    by_path = {each.metadata.path: each for each in found}
    for newer in found:
        for target in newer.metadata.supersedes:
            for path in names.find(target, newer.metadata.path)[:1]:
                if path in by_path and path != newer.metadata.path:
                    yield Pair(by_path[path], newer)
