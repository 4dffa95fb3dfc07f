"""Propose what to archive, merge, retire and link, for the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from brain_cli.answer.health import FADING, NoteHealth
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.top_k import repeats_in
from brain_cli.vault.repetition import SHARED_HASHES, bigrams, hashes_of

# One run of sleep archives at most this share of the active notes, and at most this many, without
# --all.
MAX_SHARE_AT_ONCE = 0.05
MAX_AT_ONCE = 25
# A hash that more notes share is boilerplate, not a sign that two notes repeat each other.
COMMON_HASH = 50


class Pair(NamedTuple):
    """Two near-duplicates, or a note and the note that replaces it."""

    one: NoteHealth
    other: NoteHealth


class Proposals(NamedTuple):
    """`faded` may be archived, weakest first; the others are for a person to review."""

    faded: list[NoteHealth]
    repeated: list[Pair]
    superseded: list[Pair]
    unlinked: list[NoteHealth]


def proposals(snapshot: Snapshot, found: list[NoteHealth]) -> Proposals:
    """Return what sleep would propose for the active notes of a vault."""
    rows = snapshot.note_table.rows
    return Proposals(
        faded=[each for each in found if each.tier == FADING],
        repeated=list(_repeated(snapshot, found)),
        superseded=list(superseded(snapshot, found)),
        unlinked=[each for each in found if not rows[each.note_id].neighbours],
    )


def most_at_once(active_notes: int) -> int:
    """Return how many notes one run of sleep may archive."""
    return min(MAX_AT_ONCE, max(1, int(active_notes * MAX_SHARE_AT_ONCE)))


def _repeated(snapshot: Snapshot, found: list[NoteHealth]) -> Iterator[Pair]:
    """Yield near-duplicates, the weaker one first; only pairs with a similar sketch are compared in
    full.
    """
    by_id = {each.note_id: each for each in found}
    sharing: dict[str, list[int]] = {}
    for each in found:
        for hashed in hashes_of(snapshot.note_table.read_record(each.note_id).sketch):
            sharing.setdefault(hashed, []).append(each.note_id)
    shared = Counter(
        pair
        for notes in sharing.values()
        if len(notes) <= COMMON_HASH
        for pair in combinations(notes, 2)
    )
    for (one, other), count in sorted(shared.items()):
        if count >= SHARED_HASHES and repeats_in(
            [bigrams(snapshot.body(one)), bigrams(snapshot.body(other))]
        ):
            notes = (by_id[one], by_id[other])
            yield Pair(
                *sorted(notes, key=lambda each: (each.strength, each.metadata.timestamp))
            )


def superseded(snapshot: Snapshot, found: list[NoteHealth]) -> Iterator[Pair]:
    """Yield active notes with the active note that says it replaces them."""
    names = snapshot.note_table.names()
    by_path = {each.metadata.path: each for each in found}
    for newer in found:
        for target in newer.metadata.supersedes:
            path = names.best(target, newer.metadata.path)
            if path in by_path and path != newer.metadata.path:
                yield Pair(by_path[path], newer)
