"""What a recall hands to whoever presents it: ranked notes, the strategy, and what goes with it."""

from __future__ import annotations

from typing import NamedTuple

from brain_cli.answer.strategy import Standing
from brain_cli.ranking.scorers import Score
from brain_cli.types import Facts, Fragment, Intent, KeyPoint, Signals, Strategy, Usage


class Hit(NamedTuple):
    """A matching fragment and its relevance, 0..1."""

    fragment: Fragment
    relevance: float


class Candidate(NamedTuple):
    """A note that matched: what was measured, and the score that came of it.

    `guessed`: only a word that was taken for one of the query stands in it.
    """

    note_id: int
    content_hash: str
    facts: Facts
    signals: Signals
    score: Score
    usage: Usage
    guessed: bool = False

    @property
    def standing(self) -> Standing:
        return Standing(self.score.share, self.signals.relevance)


class Ranked(NamedTuple):
    """A candidate as shown: its place, and its matching fragments with their text, best first."""

    rank: int
    candidate: Candidate
    hits: tuple[Hit, ...]

    @property
    def facts(self) -> Facts:
        return self.candidate.facts


class Related(NamedTuple):
    """A memory that was activated beside the answer, with its decayed strength (0..1)."""

    path: str
    title: str
    strength: float


class Recall(NamedTuple):
    """The answer to one query. `considered` counts the candidates, `more` those that `results` leaves out.

    `problem` says why the query was not read as it was meant; `corrections` pairs unknown words with those
    taken for them.
    """

    query: str
    scorer: str
    intent: Intent
    now: float
    strategy: Strategy
    results: tuple[Ranked, ...] = ()
    key_points: tuple[KeyPoint, ...] = ()
    related: tuple[Related, ...] = ()
    archive: tuple[Ranked, ...] = ()
    suggestions: tuple[str, ...] = ()
    considered: int = 0
    problem: str = ""
    corrections: tuple[tuple[str, str], ...] = ()

    @property
    def more(self) -> int:
        return self.considered - len(self.results)

    @property
    def answer(self) -> Ranked:
        """The one strong match."""
        return next(ranked for ranked in self.results if ranked.candidate.standing.strong)

    @property
    def presented(self) -> tuple[Ranked, ...]:
        """The notes shown in full or synthesized: these count as recalled, listed ones do not."""
        if self.strategy is Strategy.SINGLE_STRONG:
            return (self.answer,)
        return self.sources if self.strategy is Strategy.SYNTHESIZE else ()

    @property
    def sources(self) -> tuple[Ranked, ...]:
        """The strong and related candidates, which a synthesis speaks of."""
        return tuple(ranked for ranked in self.results if ranked.candidate.standing.counts)

    @property
    def found(self) -> bool:
        return bool(self.results or self.archive)
