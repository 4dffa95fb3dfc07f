"""Score and order candidates: as many of them as can reach the first places.

A question of common words has thousands of candidates, and ten are shown. Where a formula names an
upper bound of its signals, scoring stops when even these, at the relevance that is left, would not reach the first
places.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heappush, heappushpop
from types import MappingProxyType
from typing import NamedTuple

from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.candidate import Candidate
from brain_cli.ranking.certainty import CertaintyModel
from brain_cli.ranking.near_duplicates import MAX_COMPARED, demoted, repeats_among
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.ranking.scorers import Scorer, upper_bound_of
from brain_cli.ranking.signals import SignalExtractor
from brain_cli.ranking.succession import successors_first
from brain_cli.search.calibration import MINIMUM_RELEVANCE

# A formula may lose the last bits to rounding.
ROUNDING = 1e-9
# Where some repeat others, and are shown behind them, a few more are scored than are shown.
SPARE = 6
# Its publication puts repeats behind everything else; elsewhere they fall by one screen.
DIVERSITY_SCORER = "clawmem"


class RankingOptions(NamedTuple):
    """The options of a ranking: the formula, how many results, the floors on relevance and share (0..1).

    `diverse` shows a note that repeats a better one behind the others. `certainty` says how sure the first note is.
    `weights` are those of folders and kinds (search/weights.py).
    """

    scorer: Scorer
    limit: int = 10
    minimum: float = MINIMUM_RELEVANCE
    min_share: float = 0.0
    diverse: bool = True
    weights: Mapping[str, float] = MappingProxyType({})
    certainty: CertaintyModel = CertaintyModel()


class TopKRanker:
    """The candidates of one recall: their relevance (0..1) by note id, and what was measured of them all.

    `fuzzy` notes match only by a corrected word; they come behind the others.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        note_history: NoteHistory,
        measure: SignalExtractor,
        options: RankingOptions,
        relevances: Mapping[int, float],
        fuzzy: Collection[int],
    ) -> None:
        self._snapshot = snapshot
        self._note_table = snapshot.note_table
        self._note_history = note_history
        self._measure = measure
        self._options = options
        self._relevances = relevances
        self._guessed = fuzzy
        self._in_order = _in_order(relevances, fuzzy)
        self._scored: dict[int, Candidate] = {}
        self._totals: list[float] = []

    def best_first(self, least: int) -> list[Candidate]:
        """Return candidates in order, of which the first `least`, and all that may be shown, are the best there are."""
        shown = max(self._options.limit, least)
        for enough in (shown, shown + SPARE, shown + MAX_COMPARED):
            self._score(enough)
            in_order = ranked(self._scored.values(), self._options.min_share)
            repeats = self._repeats(in_order[:enough])
            if len(repeats) <= enough - shown:
                break
        return demoted(in_order, repeats, len(in_order) if self._is_published else self._options.limit)

    def _repeats(self, in_order: list[Candidate]) -> list[Candidate]:
        if not self._options.diverse:
            return []
        return repeats_among(in_order, self._snapshot, with_boilerplate=self._is_published)

    @property
    def _is_published(self) -> bool:
        """Return whether the formula comes with the diversity filter of its publication."""
        return self._options.scorer.name == DIVERSITY_SCORER

    def _score(self, enough: int) -> None:
        for note_id in successors_first(self._worth_scoring(enough), self._successors):
            if note_id not in self._scored:
                candidate = self._scored[note_id] = self._candidate(note_id)
                self._totals.append(candidate.score.total)

    def _successors(self, note_id: int) -> list[int]:
        return [each for each in self._note_table.successors(note_id) if each in self._relevances]

    def _worth_scoring(self, enough: int) -> Iterable[int]:
        scorer, upper_bound = self._options.scorer, upper_bound_of(self._options.scorer)
        # With a floor on the share, how many candidates there are is known only when all have been scored.
        if upper_bound is None or not is_bounded(self._options):
            return self._in_order
        return contenders(
            self._in_order,
            self._relevances,
            self._totals,
            lambda relevance: scorer.score(self._measure.at_best(relevance, upper_bound)).total,
            enough,
        )

    def _candidate(self, note_id: int) -> Candidate:
        signals = self._measure.signals(note_id)
        if successors := self._note_table.successors(note_id):
            totals = (self._scored[each].score.total for each in successors if each in self._scored)
            signals = signals._replace(successor=min(totals, default=None))
        return Candidate(
            note_id=note_id,
            content_hash=self._note_table.column("content_hash")[note_id],
            metadata=self._measure.metadata(note_id),
            signals=signals,
            score=self._options.scorer.score(signals),
            usage=self._note_history.usage(note_id),
            fuzzy=note_id in self._guessed,
        )


def is_bounded(options: RankingOptions) -> bool:
    """Return whether scoring may stop early: the formula tells how far a note of some relevance can come."""
    return upper_bound_of(options.scorer) is not None and not options.min_share


def contenders(
    in_order: Iterable[int],
    relevances: Mapping[int, float],
    totals: Sequence[float],
    ceiling: Callable[[float], float],
    enough: int,
) -> Iterator[int]:
    """Yield note ids in their order until no other can come among the first `enough`.

    `totals` grows as the caller scores them; `ceiling` tells the highest total at a relevance (0..1).
    """
    best: list[float] = []
    looked_at = 0
    for note_id in in_order:
        for total in totals[looked_at:]:
            (heappushpop if len(best) == enough else heappush)(best, total)
        looked_at = len(totals)
        if len(best) == enough and ceiling(relevances[note_id]) + ROUNDING < best[0]:
            return
        yield note_id


def _in_order(relevances: Mapping[int, float], fuzzy: Collection[int]) -> list[int]:
    """Return note ids, most relevant first and guesses last: here a circle of successors is always entered alike."""
    in_order = sorted(relevances, key=relevances.__getitem__, reverse=True)
    return sorted(in_order, key=fuzzy.__contains__) if fuzzy else in_order


def ranked(candidates: Iterable[Candidate], min_share: float = 0.0) -> list[Candidate]:
    """Return the candidates with a share of at least `min_share` (0..1), in a total order.

    The best total comes first, then the newest note, then the first path. Notes found by a corrected word come last.
    """
    kept = (candidate for candidate in candidates if candidate.score.share >= min_share)
    return sorted(kept, key=lambda each: (each.fuzzy, -each.score.total, -each.metadata.timestamp, each.metadata.path))
