"""Maximal marginal relevance: notes that repeat a higher-ranked one are shown after the others.

    similarity = |A ∩ B| / |A ∪ B| over the word bigrams of two notes, 0..1; above 0.6 the lower one is demoted

A note of fewer than two words has no bigrams and is similar to no other. Nothing is removed, no score changes.

Publication: "ClawMem: Composite Scoring", MMR diversity filter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain_cli.vault.text_similarity import Bigram

if TYPE_CHECKING:
    from collections.abc import Sequence
from collections.abc import Sequence
from itertools import accumulate, combinations

from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.candidate import Candidate
from brain_cli.vault.boilerplate import without_boilerplate
from brain_cli.vault.text_similarity import bigrams, hashes_of, perhaps_alike

MAX_SIMILARITY = 0.6


def repeats_in(ranked: Sequence[frozenset[Bigram]]) -> list[int]:
    """Return the indices of the notes, given best first, that repeat a higher-ranked one, itself a repeat or not."""
    return [*originals_in(ranked)]


def originals_in(ranked: Sequence[frozenset[Bigram]]) -> dict[int, int]:
    """Return the index of each repeat, in order, with that of the best note that it repeats."""
    originals: dict[int, int] = {}
    higher: list[tuple[int, int, int]] = []
    for index, (size, shared) in enumerate(zip(map(len, ranked), _shared_bits(ranked), strict=True)):
        if shared.bit_count() <= MAX_SIMILARITY * size:  # too many bigrams of its own to be similar to any other
            continue
        similar = (other for other, *its in higher if _jaccard_exceeds(size, shared, *its))
        if (original := next(similar, None)) is not None:
            originals[index] = original
        higher.append((index, size, shared))
    return originals


def _jaccard_exceeds(size: int, shared: int, other_size: int, other_shared: int) -> bool:
    """Return whether the similarity of two notes is too high, from their bigram counts and shared bits."""
    if min(size, other_size) <= MAX_SIMILARITY * max(size, other_size):  # even a complete overlap would not suffice
        return False
    common = (shared & other_shared).bit_count()
    return common > MAX_SIMILARITY * (size + other_size - common)


def _shared_bits(notes: Sequence[frozenset[Bigram]]) -> list[int]:
    """Return each note as an integer with one bit for each bigram that at least two notes have.

    Comparing two integers takes a hundredth of comparing two sets of a few hundred bigrams.
    """
    bit = {bigram: 1 << index for index, bigram in enumerate(_in_two_or_more(notes))}
    return [sum(bit[bigram] for bigram in note if bigram in bit) for note in notes]


def _in_two_or_more(notes: Sequence[frozenset[Bigram]]) -> set[Bigram]:
    seen: set[Bigram] = set()
    shared: set[Bigram] = set()
    for note in notes:
        shared |= seen & note
        seen |= note
    return shared


# Lower candidates are not compared, as they are rarely seen.
MAX_COMPARED = 50


def demoted(candidates: list[Candidate], repeats: list[Candidate], positions: int) -> list[Candidate]:
    """Return candidates with every repeat moved back by a bounded number of places, so that it can still be reached."""
    repeated = {each.note_id: each for each in repeats}
    is_other = [each.note_id not in repeated for each in candidates]
    others_before = [0, *accumulate(is_other)]
    keys = [
        before if other else before + positions + 0.5 for before, other in zip(others_before, is_other, strict=False)
    ]
    places_in_order = sorted(range(len(candidates)), key=keys.__getitem__)
    return [repeated.get(candidates[index].note_id, candidates[index]) for index in places_in_order]


def repeats_among(
    best_first: list[Candidate],
    snapshot: Snapshot,
    *,
    with_boilerplate: bool = False,
) -> list[Candidate]:
    """Return those of the first 50 candidates that repeat a higher-ranked one, each with that one's id.

    The published filter compares whole texts (`with_boilerplate`), so two notes of one template are similar.
    """
    top = best_first[:MAX_COMPARED]
    likely = _likely_repeats(top, snapshot)
    if not likely:
        return []
    # Only texts that may be similar are read; all others count as similar to none.
    read = _bigrams if with_boilerplate else _own_bigrams
    pairs = [read(snapshot, each.note_id) if each.note_id in likely else frozenset() for each in top]
    originals = originals_in(pairs)
    return [top[index]._replace(resembles=top[original].note_id) for index, original in originals.items()]


def _bigrams(snapshot: Snapshot, note_id: int) -> frozenset[Bigram]:
    return snapshot.cache.get(("bigrams", note_id), lambda: bigrams(snapshot.body(note_id)))


def _own_bigrams(snapshot: Snapshot, note_id: int) -> frozenset[Bigram]:
    """Return the bigrams of a note without its boilerplate."""
    boilerplate = snapshot.note_table.boilerplate
    if not boilerplate:
        return _bigrams(snapshot, note_id)
    return snapshot.cache.get(
        ("own bigrams", note_id), lambda: bigrams(without_boilerplate(snapshot.body(note_id), boilerplate))
    )


def _likely_repeats(top: list[Candidate], snapshot: Snapshot) -> set[int]:
    sketches = [(each.note_id, hashes_of(snapshot.note_table.read_record(each.note_id).sketch)) for each in top]
    similar = (
        (one, other)
        for (one, hashes), (other, others) in combinations(sketches, 2)
        if not hashes.isdisjoint(others) and perhaps_alike(hashes, others)
    )
    return {note_id for pair in similar for note_id in pair}
