"""The result of a recall, ready to be rendered: ranked notes, the strategy, quotations, remarks;
and what is quoted.
"""

from itertools import islice, takewhile

from brain_cli.ranking import NEAR_CERTAINTY, Candidate, Certainty
from brain_cli.record import Record
from brain_cli.types import Fragment, Intent, NoteMetadata, Shown, Strategy

CLAIMS = STRONG, LIKELY, RELATED, NONE = ("strong", "likely", "related", "none")
# So many results are listed at most, and none with less than this share of the best relevance.
MAX_LISTED = 5
LISTED_SHARE = 0.2
# Below this relevance, and if no note has this share of the question (by idf), not even the best
# result is about it. A result that was compared by meaning is if it is near enough.
LEAST_RELEVANCE = 0.06
UNKNOWN_SHARE = 0.45


class Hit(Record):
    """A matching fragment, its relevance, 0..1, and its number in the index."""

    fragment: Fragment
    relevance: float
    number: int = -1


class Ranked(Record):
    """A candidate as shown: its rank, and its matching fragments, best first.

    `passage` is the best one for the query, `line` where to open the note, at its passage, and
    `heading` are the headings above that line; `matched` and `unmatched` are the words of the query
    that the note has and that it lacks. `only_by_meaning`: it has no word of the query, but is
    related in meaning. `resembles` is a better note that it repeats. `date` (seconds since the
    epoch) is that of the note, or of its section that matched; it is set only if the query asks
    about a time. `language` is that of the note's stems.
    """

    rank: int
    candidate: Candidate
    hits: tuple[Hit, ...]
    passage: Shown | None = None
    line: int = 0
    heading: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    only_by_meaning: bool = False
    resembles: NoteMetadata | None = None
    date: float | None = None
    language: str = ""

    @property
    def note_id(self) -> int:
        return self.candidate.note_id

    @property
    def metadata(self) -> NoteMetadata:
        return self.candidate.metadata

    @property
    def path(self) -> str:
        return self.metadata.path

    @property
    def title(self) -> str:
        return self.metadata.title

    @property
    def certainty(self) -> Certainty | None:
        """The certainty that this is right; only of the first result of a calibrated ranking."""
        claim = self.candidate.claim
        return claim.certainty if claim else None

    @property
    def other_project(self) -> str:
        """The project of the note; empty if it has none, or that of the session."""
        return "" if self.candidate.signals.same_project else self.metadata.project or ""


class Related(Record):
    """A note that was activated by the answer: its decayed strength (0..1), the note that it
    repeats, and its project if that is not the session's.
    """

    path: str
    title: str
    strength: float
    resembles: NoteMetadata | None = None
    other_project: str = ""


class Newer(Record):
    """A newer word on the question: a note, what it says, and in which line."""

    note: NoteMetadata
    text: str
    line: int


class Recall(Record):
    """The answer to one query. `considered` counts the candidates, `more` those that `results`
    omits; `worth_showing` counts those that are at least half as relevant as the best.

    `shown` are the passages of the screen, note by note. `near_topics` are those of the
    `suggestions` that notes with a word of the query have.

    `problem` says why the query was not read as intended; `corrections` are pairs of an unknown
    word and the word used instead, `forms` of a word and its other form or synonym by which alone
    results have it; `unknown` are the content words of the query that no note has; `terms` are its
    stems; `snoozed` notes, and so many `archived` ones, match as well as the first result, but are
    omitted; `synthesis` is the output of the user's own program for the key points; `behind`
    counts the changed notes that the index did not have yet; `is_filtered` tells whether options
    narrowed the notes; `subject` is set if the results list its notes; `project` is the session's;
    `value` is the kind of value asked for, of search/question_words.py; `newer` is what a younger
    note says on a strong or likely match. `local` is the time of the calendar, and `past` tells
    that the question asks for what was; `is_partial`, that lines of the first note are omitted
    because they do not hold.
    """

    query: str
    scorer: str
    intent: Intent
    now: float
    strategy: Strategy
    results: tuple[Ranked, ...] = ()
    shown: tuple[Shown, ...] = ()
    related: tuple[Related, ...] = ()
    archive: tuple[Ranked, ...] = ()
    suggestions: tuple[str, ...] = ()
    near_topics: tuple[str, ...] = ()
    considered: int = 0
    worth_showing: int = 0
    problem: str = ""
    corrections: tuple[tuple[str, str], ...] = ()
    forms: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()
    terms: frozenset[str] = frozenset()
    snoozed: tuple[NoteMetadata, ...] = ()
    archived: int = 0
    best_archived: NoteMetadata | None = None
    synthesis: str = ""
    behind: int = 0
    is_filtered: bool = False
    subject: str = ""
    project: str | None = None
    value: str = ""
    newer: Newer | None = None
    local: float | None = None
    past: bool = False
    is_partial: bool = False

    @property
    def certainty(self) -> Certainty | None:
        """The certainty that the first result is right; None if the formula's ranking is not
        calibrated.
        """
        return self.results[0].certainty if self.results else None

    @property
    def claim(self) -> str:
        """The claim of the answer, one of CLAIMS: a strong or a likely match, related notes, or
        nothing.
        """
        if self.strategy is Strategy.ARCHIVE_FALLBACK or self.is_off_topic:
            return NONE
        if self.strategy is Strategy.SINGLE_STRONG:
            return STRONG
        if not self.certainty:
            return LIKELY if self.strategy is Strategy.SYNTHESIZE else RELATED
        if self.certainty.likely:
            return LIKELY
        return RELATED if self.certainty.probability >= NEAR_CERTAINTY else NONE

    @property
    def is_off_topic(self) -> bool:
        """Return whether a calibrated ranking shows that no result is about the question."""
        missing = set(self.unknown).difference(typed for typed, _ in self.corrections)
        if self.strategy is not Strategy.MANY_WEAK or not self.certainty or not missing:
            return False
        unknown = next(
            (part.value for part in self.certainty.parts if part.name == "unknown"), 0.0
        )
        is_near = self.certainty.is_near
        if is_near is None:
            is_near = self.results[0].candidate.signals.relevance >= LEAST_RELEVANCE
        return unknown >= UNKNOWN_SHARE and not is_near

    def about_question(self) -> "Recall":
        """Return the answer without results that are not about the question."""
        if not self.is_off_topic:
            return self
        return self._replace(results=(), shown=(), strategy=Strategy.ARCHIVE_FALLBACK)

    def listed(self, most: int = 0) -> tuple[Ranked, ...]:
        """Return the notes to list on a screen; a number that was asked for overrules what is worth
        it.
        """
        if self.strategy is Strategy.SYNTHESIZE and not self.certainty:
            return self.sources[: most or MAX_LISTED]
        if most or not self.results:
            return (self.results or self.archive)[: most or MAX_LISTED]
        if self.is_off_topic:
            return self.archive[:MAX_LISTED]
        found = self.results[:MAX_LISTED]
        if self.strategy is not Strategy.MANY_WEAK or not self.certainty:
            return found
        least = LISTED_SHARE * found[0].candidate.signals.relevance
        near = tuple(
            takewhile(lambda ranked: ranked.candidate.signals.relevance >= least, found)
        )
        # The only note with a word of the question may be the one that was meant.
        words = {word for ranked in near for word in ranked.matched}
        others = (each for each in found[len(near) :] if not words.issuperset(each.matched))
        return (*near, *islice(others, 1))

    @property
    def clear(self) -> int:
        """How many notes clearly match: of a calibrated ranking at most as many as there are
        results.
        """
        if not self.certainty:
            return max(self.worth_showing, len(self.results or self.archive))
        if self.strategy is Strategy.MANY_WEAK:
            least = LISTED_SHARE * self.results[0].candidate.signals.relevance
            return sum(ranked.candidate.signals.relevance >= least for ranked in self.results)
        return len(self.sources)

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
        """The strong and related candidates, from which a synthesis is made."""
        return tuple(
            ranked for ranked in self.results if ranked.candidate.standing.in_synthesis
        )

    @property
    def found(self) -> bool:
        return bool(self.results or self.archive)
