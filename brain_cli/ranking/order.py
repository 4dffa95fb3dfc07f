"""Order candidates: best total first, then newest, then by path. Notes found by a corrected word come last."""

from __future__ import annotations

from collections.abc import Iterable

from brain_cli.ranking.candidate import Candidate


def ranked(candidates: Iterable[Candidate], min_share: float = 0.0) -> list[Candidate]:
    """Return the candidates whose share is at least `min_share` (0..1), best first; a total order."""
    kept = (candidate for candidate in candidates if candidate.score.share >= min_share)
    return sorted(kept, key=lambda each: (each.fuzzy, -each.score.total, -each.metadata.timestamp, each.metadata.path))
