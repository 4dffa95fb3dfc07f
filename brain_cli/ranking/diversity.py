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
