"""Rank the top k candidates, scoring only those that can be among them.

A query of common words has thousands of candidates, and ten are shown. If a formula states the best
signals that a note can have, its upper bound, candidates are scored in the order of their
relevance, until even a note with these signals and the next relevance would not be among the first.
A note is scored after its successors, the notes that supersede it, to be kept below them.

Maximal marginal relevance: notes that repeat a higher-ranked one are shown after the others.

    similarity = |A ∩ B| / |A ∪ B| over the word bigrams of two notes, 0..1; above `MAX_SIMILARITY`
    the lower one is demoted

A note of fewer than two words has no bigrams and is similar to no other. Nothing is removed, no
score changes.

Publication: "ClawMem: Composite Scoring", MMR diversity filter.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappush, heappushpop, nlargest
from itertools import accumulate, combinations
from types import MappingProxyType

from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking import Candidate
from brain_cli.ranking.certainty import CertaintyModel
from brain_cli.ranking.scorers import Formula
from brain_cli.ranking.signals import SignalExtractor
from brain_cli.record import Record
from brain_cli.types import MINIMUM_RELEVANCE
from brain_cli.vault.repetition import (
    Bigram,
    bigrams,
    hashes_of,
    perhaps_alike,
    without_boilerplate,
)

MAX_SIMILARITY = 0.6


def repeats_in(ranked: Sequence[frozenset[Bigram]]) -> list[int]:
    """Return the indices of the notes, given best first, that repeat a higher-ranked one, itself a
    repeat or not.
    """
    return sorted(originals_in(ranked))


def originals_in(ranked: Sequence[frozenset[Bigram]]) -> dict[int, int]:
    """Return the index of each repeat with that of the best note that it repeats."""
    originals: dict[int, int] = {}
    for better, index in combinations(range(len(ranked)), 2):
        if index not in originals and _are_alike(ranked[better], ranked[index]):
            originals[index] = better
    return originals


def _are_alike(one: frozenset[Bigram], other: frozenset[Bigram]) -> bool:
    fewer, more = sorted((len(one), len(other)))
    # Even a complete overlap may not suffice.
    if fewer <= MAX_SIMILARITY * more:
        return False
    common = len(one & other)
    return common > MAX_SIMILARITY * (fewer + more - common)


# Lower candidates are not compared, as they are rarely seen.
MAX_REPEATABLE = 50


def demoted(
    candidates: list[Candidate], repeats: list[Candidate], positions: int
) -> list[Candidate]:
    """Return candidates with every repeat moved behind the next others, `positions` + 1 of them.

    A repeat R at the front of R A B C D comes after A and B if `positions` is 1: it is still within
    reach. `repeats` are candidates that know which note they resemble; they replace those of the
    same note.
    """
    repeats_by_id = {each.note_id: each for each in repeats}
    is_other = [each.note_id not in repeats_by_id for each in candidates]
    others_before = [0, *accumulate(is_other)]
    # The others are numbered from 0, and a repeat gets a number between two of theirs.
    keys = [
        n if other else n + positions + 0.5
        for n, other in zip(others_before, is_other, strict=False)
    ]
    in_order = sorted(range(len(candidates)), key=keys.__getitem__)
    return [
        repeats_by_id.get(candidates[index].note_id, candidates[index]) for index in in_order
    ]


def repeats_among(
    best_first: list[Candidate], snapshot: Snapshot, *, with_boilerplate: bool
) -> list[Candidate]:
    """Return those of the first candidates that repeat a higher-ranked one, each with its id as
    `resembles`.

    Lines that many notes have are compared only `with_boilerplate`.
    """
    top = best_first[:MAX_REPEATABLE]
    likely = _likely_repeats(top, snapshot)
    if not likely:
        return []
    boilerplate = frozenset[str]() if with_boilerplate else snapshot.note_table.boilerplate
    # Only texts that may be similar are read; all others count as similar to none.
    texts = [
        _bigrams(snapshot, each.note_id, boilerplate) if each.note_id in likely else frozenset()
        for each in top
    ]
    originals = originals_in(texts)
    return [
        top[index]._replace(resembles=top[original].note_id)
        for index, original in originals.items()
    ]


def _bigrams(
    snapshot: Snapshot, note_id: int, boilerplate: frozenset[str]
) -> frozenset[Bigram]:
    """Return the bigrams of a note without the lines that are boilerplate."""
    key = ("own bigrams" if boilerplate else "bigrams", note_id)
    return snapshot.cache.get(
        key, lambda: bigrams(without_boilerplate(snapshot.body(note_id), boilerplate))
    )


def _likely_repeats(top: list[Candidate], snapshot: Snapshot) -> set[int]:
    """Return the candidates that may be similar to another one, by the sketches of the
    note table.
    """
    sketches = [
        (each.note_id, hashes_of(snapshot.note_table.read_record(each.note_id).sketch))
        for each in top
    ]
    similar = (
        (one, other)
        for (one, hashes), (other, others) in combinations(sketches, 2)
        if not hashes.isdisjoint(others) and perhaps_alike(hashes, others)
    )
    return {note_id for pair in similar for note_id in pair}


# A formula may lose the last bits to rounding.
ROUNDING = 1e-9
# A few more candidates are scored than shown, because repeats are moved behind the others.
EXTRA = 6
# With other formulas, repeats fall by about one answer.
DIVERSITY_SCORER = "clawmem"


# Fuzzy notes rank after all others.
Place = tuple[bool, float]


class RankingOptions(Record):
    """The options of a ranking: the formula, the number of results, the least relevance and share
    of the score (0..1).

    `diverse` moves a note that repeats a better one behind the others. `certainty` is the model of
    certainty. `weights` are those of folders and kinds (search/relevance.py).
    """

    scorer: Formula
    limit: int = 10
    minimum: float = MINIMUM_RELEVANCE
    min_share: float = 0.0
    diverse: bool = True
    weights: Mapping[str, float] = MappingProxyType({})
    synonyms: tuple[tuple[str, str], ...] = ()
    certainty: CertaintyModel = CertaintyModel()


class TopKRanker:
    """The candidates of one recall, measured by the extractor of their signals.

    `fuzzy` notes match only by a corrected word; they rank after the others. `score_all` scores
    every candidate, because another order than the score's decides which ones are shown.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        extractor: SignalExtractor,
        options: RankingOptions,
        fuzzy: Collection[int],
        score_all: bool = False,
    ) -> None:
        self._snapshot = snapshot
        self._note_table = snapshot.note_table
        self._extractor = extractor
        self._options = options
        self._fuzzy = fuzzy
        # Most relevant first, fuzzy notes last. The order is always the same, so a cycle of
        # successors is always broken at the same note.
        self._by_relevance = (
            sorted(extractor.in_order, key=fuzzy.__contains__) if fuzzy else extractor.in_order
        )
        # Scoring stops early if the formula has an upper bound for each relevance.
        self._upper_bound = (
            None if options.min_share or score_all else options.scorer.upper_bound
        )
        self._scored: dict[int, Candidate] = {}

    def best_first(self) -> list[Candidate]:
        """Return candidates in order; the first ones, as many as the limit, are the best of all."""
        shown = self._options.limit
        # The publication of this formula compares whole texts, so that two notes of one template
        # are similar, and moves repeats to the end.
        is_published = self._options.scorer.name == DIVERSITY_SCORER
        # Repeats give way to lower notes, so more are scored until enough of them are no repeats.
        for count in (shown, shown + EXTRA, shown + MAX_REPEATABLE):
            self._score(count)
            in_order = ranked(self._scored.values())
            best = in_order[:count] if self._options.diverse else []
            repeats = repeats_among(best, self._snapshot, with_boilerplate=is_published)
            if len(repeats) <= count - shown:
                break
        return demoted(in_order, repeats, len(in_order) if is_published else shown)

    def _score(self, count: int) -> None:
        """Score candidates until the best ones, `count` of them, are known."""
        # The lowest of the best places first.
        best = nlargest(count, map(_place, self._scored.values()))
        heapify(best)
        for note_id in successors_first(self._worth_scoring(best, count), self._successors):
            if note_id not in self._scored:
                candidate = self._scored[note_id] = self._candidate(note_id)
                add = heappushpop if len(best) == count else heappush
                add(best, _place(candidate))

    def _successors(self, note_id: int) -> list[int]:
        relevances = self._extractor.relevances
        return [each for each in self._note_table.successors(note_id) if each in relevances]

    def _worth_scoring(self, best: list[Place], count: int) -> Iterable[int]:
        """Yield note ids, most relevant first, until no other can be among the best, to which the
        caller adds.
        """
        upper_bound = self._upper_bound
        for note_id in self._by_relevance:
            if upper_bound and len(best) == count:
                at_best = self._extractor.at_best(note_id, upper_bound)
                total = self._options.scorer.score(at_best).total
                if (note_id not in self._fuzzy, total + ROUNDING) < best[0]:
                    return
            yield note_id

    def _candidate(self, note_id: int) -> Candidate:
        signals = self._extractor.signals(note_id)
        if successors := self._note_table.successors(note_id):
            # The formula keeps the note below the lowest of these.
            totals = (
                self._scored[each].score.total for each in successors if each in self._scored
            )
            signals = signals._replace(successor=min(totals, default=None))
        return Candidate(
            note_id=note_id,
            content_hash=self._note_table.value("content_hash", note_id),
            metadata=self._extractor.metadata(note_id),
            signals=signals,
            score=self._options.scorer.score(signals),
            usage=self._extractor.history.usage(note_id),
            fuzzy=note_id in self._fuzzy,
        )


def _place(candidate: Candidate) -> Place:
    return not candidate.fuzzy, candidate.score.total


def ranked(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates in a total order: the best total first, then the newest note, then the
    first path.

    Notes found by a corrected word come last.
    """
    return sorted(
        candidates,
        key=lambda each: (
            each.fuzzy,
            -each.score.total,
            -each.metadata.timestamp,
            each.metadata.path,
        ),
    )


def successors_first(
    notes: Iterable[int], successors: Callable[[int], Iterable[int]]
) -> Iterator[int]:
    """Yield every note once, after its successors; a cycle is broken at its first note.

    The generator reads the next note only after the caller has processed those it yielded.
    """
    seen: set[int] = set()
    done: set[int] = set()
    stack: list[int] = []
    for start in notes:
        stack.append(start)
        while stack:
            note = stack[-1]
            unseen = (
                () if note in seen else [each for each in successors(note) if each not in seen]
            )
            seen.add(note)
            if unseen:
                stack += unseen
                continue
            stack.pop()
            if note not in done:
                done.add(note)
                yield note
