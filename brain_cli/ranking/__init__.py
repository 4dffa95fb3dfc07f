"""Relevant notes in, ranked notes with their signals and scores out.

A candidate is one relevant note with its signals, its score, and its standing in the answer.

`Standing` decides whether a note is a strong, a related or a weak answer; that is not the strength
of a memory (history/usage.py). The standings of all candidates choose one of the four answers.
Source: the six-factor recall score, "Response Strategies". The conditions on relevance are ours: a
fresh note has a high share by its age alone, so by the published thresholds every note of a fresh
clone would be "related" (docs/scoring.md).
"""

from collections.abc import Sequence

from brain_cli.ranking.scorers import Score
from brain_cli.record import Record
from brain_cli.types import NoteMetadata, Signals, Strategy, Usage

# At least this probability makes the first note the one strong match.
STRONG_CERTAINTY = 0.75
# From this certainty on, the first note is likely to be right; below it, nothing is claimed.
LIKELY_CERTAINTY = 0.6
# From this certainty on, a right note is probably among the first ones.
NEAR_CERTAINTY = 0.2
# A synthesis uses the notes with at least this share of the query in one section.
RELATED_COVERAGE = 0.65
# Where the ranking is not calibrated, as in the published formulas, these count instead.
STRONG_SHARE = 0.7
STRONG_RELEVANCE = 0.6
RELATED_SHARE = 0.4
RELATED_RELEVANCE = 0.35


class Part(Record):
    """One term of a certainty's sum: the feature's value and its weight; the intercept
    has value 1.
    """

    name: str
    value: float
    weight: float


class Certainty(Record):
    """The probability (0..1) that the first note is right; `rule` is the rule that overrode the
    sum, if any.

    From `strong_from` on, the note is the one strong match. `lacks` is the value that the question
    asks for and the note does not have, of search/question_words.py; else empty. `is_near` tells
    whether the note is near in meaning; None if it was not compared. `likely`: the answer may say
    “Probably this note”.
    """

    probability: float
    parts: tuple[Part, ...] = ()
    rule: str = ""
    strong_from: float = STRONG_CERTAINTY
    lacks: str = ""
    is_near: bool | None = None
    likely: bool = False

    @property
    def strong(self) -> bool:
        return self.probability >= self.strong_from


class Claim(Record):
    """The claim that an answer may make about a candidate: its certainty, and its best section's
    coverage, 0..1.

    Only the first candidate has a certainty.
    """

    coverage: float
    certainty: Certainty | None = None

    @property
    def strong(self) -> bool:
        return self.certainty is not None and self.certainty.strong


class Standing(Record):
    """The numbers that decide a candidate's standing, each 0..1: its share of the score, its
    relevance, and its claim.

    The published formulas decide by share and relevance; if the ranking is calibrated, only the
    claim decides. What has `ended` is never strong.
    """

    share: float
    relevance: float
    claim: Claim | None = None
    ended: bool = False

    @property
    def strong(self) -> bool:
        if self.ended:
            return False
        if self.claim:
            return self.claim.strong
        return self.share > STRONG_SHARE and self.relevance >= STRONG_RELEVANCE

    @property
    def related(self) -> bool:
        if self.claim:
            return self.claim.coverage >= RELATED_COVERAGE
        return self.share > RELATED_SHARE and self.relevance >= RELATED_RELEVANCE

    @property
    def in_synthesis(self) -> bool:
        """Return whether the candidate is part of a synthesis: it is strong or related."""
        return self.strong or self.related


class Candidate(Record):
    """A note that matched, with its signals and its score.

    `fuzzy`: the note matches only by a corrected spelling. `claim` is None if the ranking is not
    calibrated. `resembles` is the id of a better note that it repeats, or None. `ended` says why
    the note, or its line that answers, does not hold now.
    """

    note_id: int
    content_hash: str
    metadata: NoteMetadata
    signals: Signals
    score: Score
    usage: Usage
    fuzzy: bool = False
    claim: Claim | None = None
    resembles: int | None = None
    ended: str = ""

    @property
    def standing(self) -> Standing:
        return Standing(self.score.share, self.signals.relevance, self.claim, bool(self.ended))


def choose(standings: Sequence[Standing]) -> Strategy:
    """Return the strategy for a list of candidates, which may be empty."""
    if not standings:
        return Strategy.ARCHIVE_FALLBACK
    strong = sum(standing.strong for standing in standings)
    if strong == 1:
        return Strategy.SINGLE_STRONG
    if any(standing.in_synthesis for standing in standings):
        return Strategy.SYNTHESIZE
    return Strategy.MANY_WEAK


def choose_shown(standings: Sequence[Standing], shown: int) -> Strategy:
    """Choose by all candidates; if the notes of that answer rank too low to be shown, by the first
    `shown` only.
    """
    strategy = choose(standings)
    first = standings[:shown]
    is_single = strategy is Strategy.SINGLE_STRONG
    answers = (each.strong if is_single else each.in_synthesis for each in first)
    return strategy if any(answers) else choose(first)
