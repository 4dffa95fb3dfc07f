"""Choose the scores to show without a query: those near the best one, if the best one is high
enough.

    kept = scores >= ratio * best, and none if best < floor

ratio  0..1, how near to the best
floor  0..1, the activation floor

Publication: "ClawMem: Composite Scoring", adaptive thresholds. Co-activation is applied after this
threshold, so that it cannot rescue a weak note.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# .55 * .8 is .44000000000000006, and a score of exactly .44 must be kept.
ROUNDING = 1e-12


class Threshold(NamedTuple):
    """The share of the best score that a note needs, and the minimum of the best score."""

    ratio: float
    floor: float


THRESHOLDS: dict[str, Threshold] = {
    "speed": Threshold(ratio=0.65, floor=0.24),
    "balanced": Threshold(ratio=0.55, floor=0.20),
    "deep": Threshold(ratio=0.45, floor=0.16),
}


def surfaced(scores: "Sequence[float]", threshold: Threshold) -> list[int]:
    """Return the indices of the scores to show, in the order given."""
    best = max(scores, default=0.0)
    if best < threshold.floor - ROUNDING:
        return []
    least = threshold.ratio * best - ROUNDING
    return [index for index, score in enumerate(scores) if score >= least]
