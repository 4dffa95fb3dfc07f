"""Apply the rule of `diversity` to candidates: find those that repeat a better one, and move them behind the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, combinations

from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.candidate import Candidate
from brain_cli.ranking.diversity import originals_in
from brain_cli.vault.boilerplate import without_boilerplate
from brain_cli.vault.text_similarity import Bigram, bigrams, hashes_of, perhaps_alike

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
    perhaps_next: Sequence[Candidate] = (),
) -> list[Candidate]:
    """Return those of the first 50 candidates that repeat a higher-ranked one, each with that one's id.

    The published filter compares whole texts (`with_boilerplate`), so two notes of one template are similar. A shared
    memory fetches the texts of the candidates that are compared next, `perhaps_next`, at the same time.
    """
    top = best_first[:MAX_COMPARED]
    likely = _likely_repeats(top, snapshot)
    if not likely:
        return []
    ahead = _likely_repeats([*top, *perhaps_next][:MAX_COMPARED], snapshot) if snapshot.is_shared else likely
    snapshot.read_ahead(ahead, whole=True, also=(each.note_id for each in top))
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
