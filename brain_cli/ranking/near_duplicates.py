"""Near-duplicates of a better note are shown behind the others (maximal marginal relevance)."""

from __future__ import annotations

from itertools import combinations

from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.candidate import Candidate
from brain_cli.ranking.diversity import repeats_in
from brain_cli.vault.bigrams import Bigram, bigrams, hashes_of, perhaps_alike

# Beyond this place nobody sees whether two notes repeat each other.
MOST_COMPARED = 50


def repeats_among(best_first: list[Candidate], snapshot: Snapshot) -> list[Candidate]:
    """Return those of the candidates, at most the first 50, that repeat a higher-ranked one, in their order."""
    top = best_first[:MOST_COMPARED]
    suspects = _suspects(top, snapshot)
    if not suspects:
        return []
    # Only texts that may be alike are read; all others count as like no other.
    pairs = [_bigrams(snapshot, each.note_id) if each.note_id in suspects else frozenset() for each in top]
    return [top[place] for place in repeats_in(pairs)]


def _bigrams(snapshot: Snapshot, note_id: int) -> frozenset[Bigram]:
    return snapshot.cache.get(("bigrams", note_id), lambda: bigrams(snapshot.body(note_id)))


def _suspects(top: list[Candidate], snapshot: Snapshot) -> set[int]:
    sketches = [(each.note_id, hashes_of(snapshot.note_table.read_record(each.note_id).sketch)) for each in top]
    alike = (
        (one, other)
        for (one, hashes), (other, others) in combinations(sketches, 2)
        if not hashes.isdisjoint(others) and perhaps_alike(hashes, others)
    )
    return {note_id for pair in alike for note_id in pair}
