"""Which candidates are worth scoring: those that may still come among the first, whatever else is known of them.

A question of common words has thousands of candidates, and ten are shown. Where a formula names its ideal signals,
scoring stops as soon as even those, at the relevance that is left, would not reach the first places.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from heapq import heappush, heappushpop
from itertools import islice

from brain_cli.recall.results import Candidate

# A formula may lose the last bits to rounding.
ROUNDING = 1e-9


def contenders(
    relevances: Mapping[int, float],
    guessed: Collection[int],
    scored: Mapping[int, Candidate],
    ceiling: Callable[[float], float],
    enough: int,
) -> Iterator[int]:
    """Yield note ids, most relevant first and guesses last, until no other can come among the first `enough`.

    `scored` is what the caller has made of them so far; `ceiling` tells the highest total at a relevance (0..1).
    """
    best: list[float] = []
    looked_at = 0
    for note_id in _in_order(relevances, guessed):
        for candidate in islice(scored.values(), looked_at, None):
            (heappushpop if len(best) == enough else heappush)(best, candidate.score.total)
            looked_at += 1
        if len(best) == enough and ceiling(relevances[note_id]) + ROUNDING < best[0]:
            return
        yield note_id


def _in_order(relevances: Mapping[int, float], guessed: Collection[int]) -> list[int]:
    in_order = sorted(relevances, key=relevances.__getitem__, reverse=True)
    return sorted(in_order, key=guessed.__contains__) if guessed else in_order
