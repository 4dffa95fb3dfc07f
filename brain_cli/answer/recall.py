"""The journey of a recall: query → candidates → score → strategy → what is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from brain_cli.answer.asked_time import AskedTime
from brain_cli.answer.by_meaning import ByMeaning, Meaning, by_meaning
from brain_cli.answer.quoting import Quoter, Quotes
from brain_cli.answer.results import Hit, Ranked, Recall, Related
from brain_cli.answer.strategy import choose
from brain_cli.answer.suggestions import suggestions
from brain_cli.answer.working_files import overlap_in
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.candidate import Candidate
from brain_cli.ranking.claims import with_claims
from brain_cli.ranking.note_history import NoteHistory, linked, no_history
from brain_cli.ranking.scorers import is_calibrated
from brain_cli.ranking.signals import SignalExtractor, present_strength
from brain_cli.ranking.top_k import RankingOptions, TopKRanker
from brain_cli.search.bm25 import look_up
from brain_cli.search.calibration import ARCHIVE_MINIMUM_RELEVANCE
from brain_cli.search.conditions import Everything, all_of
from brain_cli.search.expansion import expanded
from brain_cli.search.filters import Filters, condition
from brain_cli.search.intent import recency_intent
from brain_cli.search.known_words import matches_of_known_words
from brain_cli.search.note_matcher import NoteMatcher, lift_phrases
from brain_cli.search.query_parser import as_words, parse
from brain_cli.search.question_words import content_words
from brain_cli.search.relevance import Matches, every_note
from brain_cli.search.weights import weighted
from brain_cli.types import BY_SCORE, Session, Strategy
from brain_cli.vault.analyzer import Word

MOST_RELATED = 5
MOST_FRAGMENTS = 5
# A passage in a list is about two lines of a terminal.
LISTED_CHARS = 130
MOST_LISTED_PASSAGES = 7
# A candidate of half the best one's relevance is worth a look.
WORTH_SHOWING = 0.5


class Query(NamedTuple):
    """A query: the text as typed, the filters, and how the text is to be read.

    `recent` overrules what the words say of recency; `literal` takes every word as a word; `order` is one of ORDERS.
    """

    text: str
    filters: Filters = Filters()
    recent: bool | None = None
    literal: bool = False
    order: str = BY_SCORE


def remember(
    query: Query,
    session: Session,
    snapshot: Snapshot,
    options: RankingOptions,
    note_history: NoteHistory | None = None,
    quotes: Quotes = Quotes.EVERY,
    meaning: Meaning | None = None,
) -> Recall:
    """Answer one query from one generation of the index and its history; reads no clock and writes nothing."""
    history = note_history or no_history(snapshot.note_table)
    return _Remembering(query, session, snapshot, options, history, meaning).answer(quotes)


class RankedCandidates(NamedTuple):
    """The best candidates among some notes, in order; how many there are; what was measured of them.

    `relevances` are those of all candidates, by note id.
    """

    candidates: list[Candidate]
    considered: int
    measure: SignalExtractor
    relevances: Mapping[int, float]


class _Remembering:
    """One recall on its way: what was asked, what matched, what came of it."""

    def __init__(
        self,
        query: Query,
        session: Session,
        snapshot: Snapshot,
        options: RankingOptions,
        note_history: NoteHistory,
        meaning: Meaning | None = None,
    ) -> None:
        self._query = query
        self._session = session
        self._snapshot, self._note_table = snapshot, snapshot.note_table
        self._options = options
        self._note_history = note_history
        self._intent = recency_intent(query.text, query.recent, session.now)
        topic = "" if self._intent.only_time else self._intent.topic
        self._asked = as_words(topic) if query.literal else parse(topic)
        self._words = self._ranking_words()
        self._must = all_of([self._asked.condition, condition(query.filters, session.now)])
        most = options.limit + MOST_RELATED
        self._time = AskedTime(self._intent, query.order, self._note_table, session, most)
        self._near: ByMeaning | None = by_meaning(meaning, topic, self._words, snapshot)
        self._only_near: Set[int] = frozenset()
        found = self._restricted(query.text if self._intent.spans else topic)
        self._matches = found._replace(relevances=self._time.relevances(found.relevances))
        self._quoter = Quoter(snapshot, self._matches.worths, self._near)

    def answer(self, quotes: Quotes) -> Recall:
        active = self._weigh(archived=self._query.filters.archived, minimum=self._options.minimum)
        candidates = self._with_claims(active.candidates)
        strategy = self._strategy(candidates)
        fallback = strategy is Strategy.ARCHIVE_FALLBACK
        if strategy is Strategy.MANY_WEAK or fallback:
            self._quoter.usual_chars = LISTED_CHARS
        recall = Recall(
            query=self._query.text,
            scorer=self._options.scorer.name,
            intent=self._intent.intent,
            now=self._session.now,
            strategy=strategy,
            results=self._shown(candidates),
            related=self._related(active, candidates) if strategy is Strategy.SINGLE_STRONG else (),
            archive=self._archive() if fallback else (),
            suggestions=tuple(suggestions(self._note_table, self._matches.relevances)) if fallback else (),
            considered=active.considered,
            worth_showing=self._worth_showing(active),
            problem=self._asked.problem or self._time.problem(self._matches.relevances),
            corrections=self._matches.corrections,
            unknown=self._unknown(),
        )
        return recall if quotes is Quotes.NOTHING else self._with_passages(self._with_text(recall), quotes)

    def _worth_showing(self, active: RankedCandidates) -> int:
        """Return how many candidates are at least half as relevant as the best one; those that are shown count."""
        relevances = active.relevances.values()
        least = WORTH_SHOWING * max(relevances, default=0.0)
        shown = min(len(active.candidates), self._options.limit)
        return max(shown, min(active.considered, sum(each >= least for each in relevances)))

    def _with_text(self, recall: Recall) -> Recall:
        """Add what is quoted: the key points of a synthesis, or a stretch of the one strong match."""
        if recall.strategy is Strategy.SYNTHESIZE:
            return recall._replace(key_points=tuple(self._quoter.key_points(recall.sources)))
        if recall.strategy is Strategy.SINGLE_STRONG:
            return recall._replace(excerpt=self._quoter.excerpt(recall.answer))
        return recall

    def _with_passages(self, recall: Recall, quotes: Quotes) -> Recall:
        """Add the passages of the results: of every one, or of those that the strategy shows with one."""
        if quotes is Quotes.EVERY:
            shown = {ranked.note_id for ranked in (*recall.results, *recall.archive)}
        elif recall.strategy is Strategy.SYNTHESIZE:
            shown = {ranked.note_id for ranked in recall.sources}
        elif recall.strategy is Strategy.SINGLE_STRONG:
            shown = set()
        else:
            shown = {ranked.note_id for ranked in (recall.results or recall.archive)[:MOST_LISTED_PASSAGES]}
        is_list = recall.strategy in (Strategy.MANY_WEAK, Strategy.ARCHIVE_FALLBACK)

        def quoted(ranked: Ranked) -> Ranked:
            if ranked.note_id not in shown:
                return ranked
            is_first = is_list and ranked.rank == 1
            passage = self._quoter.long_passage(ranked) if is_first else self._quoter.passage(ranked)
            return ranked._replace(passage=passage)

        results, archive = tuple(map(quoted, recall.results)), tuple(map(quoted, recall.archive))
        return recall._replace(results=results, archive=archive)

    def _unknown(self) -> tuple[str, ...]:
        """Return the words of the query that stand nowhere in the vault."""
        found = (look_up(self._snapshot, word) for word in self._words if not word.optional)
        return tuple(each.word.text for each in found if not each.places.frequency)

    def _ranking_words(self) -> tuple[Word, ...]:
        prefixes = [expanded(self._snapshot, prefix) for prefix in self._asked.prefixes]
        return (*content_words(self._asked.ranking, self._note_table.languages), *prefixes)

    def _restricted(self, topic: str) -> Matches:
        """Return the matches that meet every condition; without a word to rank by, all such notes at relevance 1."""
        restricted = self._must != Everything() or self._query.filters.archived
        if (restricted or self._intent.only_time) and not self._words:
            found = every_note(self._snapshot)
        else:
            found = matches_of_known_words(self._snapshot, topic, self._words)
        if self._options.weights:
            found = found._replace(relevances=weighted(found.relevances, self._options.weights, self._note_table))
        if self._near:
            by_words, found = found.relevances, self._near.joined(found)
            self._only_near = found.relevances.keys() - by_words.keys()
        if not restricted and not self._asked.phrases:
            return found
        matcher = NoteMatcher(self._snapshot)
        kept = {each: value for each, value in found.relevances.items() if self._must.holds(matcher.of(each))}
        lift_phrases(kept, self._asked.phrases, matcher)
        return found._replace(relevances=kept)

    def _weigh(self, *, archived: bool, minimum: float) -> RankedCandidates:
        rows = self._note_table.rows
        relevant = {
            note_id: relevance
            for note_id, relevance in self._matches.relevances.items()
            if relevance >= minimum
            and rows[note_id].archived == archived
            and rows[note_id].snoozed_until <= self._session.now
        }
        chosen = self._time.chosen(relevant)
        if chosen is not None:
            relevant = {note_id: relevant[note_id] for note_id in chosen}
        measure = SignalExtractor(
            self._note_table,
            self._session,
            self._intent.intent,
            self._words,
            relevant,
            self._note_history,
            self._section_dates(relevant),
            file_overlap=overlap_in(self._session),
        )
        ranker = TopKRanker(self._snapshot, self._note_history, measure, self._options, relevant, self._matches.fuzzy)
        candidates = ranker.best_first(1 + MOST_RELATED)
        if chosen is not None:
            candidates.sort(key=lambda candidate: chosen.index(candidate.note_id))
        return RankedCandidates(
            candidates, len(candidates) if self._options.min_share else len(relevant), measure, relevant
        )

    def _with_claims(self, candidates: list[Candidate]) -> list[Candidate]:
        """Say what may be claimed of the candidates that can be shown, where the formula's ranking is calibrated."""
        if not is_calibrated(self._options.scorer):
            return candidates
        return [*with_claims(candidates[: self._options.limit], self._matches, self._snapshot, self._options.certainty)]

    def _section_dates(self, note_ids: Iterable[int]) -> dict[int, float]:
        """Return the dates of the notes whose matching section names its own in its heading."""
        dates: dict[int, float] = {}
        for note_id in note_ids:
            if self._note_table.rows[note_id].section_dates:
                own = self._snapshot.numbers_of(note_id)
                best = [number - own[0] for number, _ in self._matches.sections(own)]
                date = self._time.section_date(note_id, best or [self._time.first_section(note_id)])
                dates |= {} if date is None else {note_id: date}
        return dates

    def _strategy(self, candidates: list[Candidate]) -> Strategy:
        """Choose by all candidates; where the one strong match is too far behind to be shown, by those that are."""
        standings = [candidate.standing for candidate in candidates]
        shown = standings[: self._options.limit]
        strategy = choose(standings)
        is_hidden = strategy is Strategy.SINGLE_STRONG and not any(standing.strong for standing in shown)
        return choose(shown) if is_hidden else strategy

    def _archive(self) -> tuple[Ranked, ...]:
        return self._shown(self._weigh(archived=True, minimum=ARCHIVE_MINIMUM_RELEVANCE).candidates)

    def _shown(self, candidates: list[Candidate]) -> tuple[Ranked, ...]:
        best = enumerate(candidates[: self._options.limit], start=1)
        return tuple(self._ranked(rank, candidate) for rank, candidate in best)

    def _ranked(self, rank: int, candidate: Candidate) -> Ranked:
        ranked = Ranked(rank, candidate, self._hits(candidate))
        found = [look_up(self._snapshot, word) for word in self._words if not word.optional]
        matched = [each.word.text for each in found if candidate.note_id in each.places.notes]
        return ranked._replace(
            matched=tuple(matched),
            unmatched=tuple(each.word.text for each in found if each.word.text not in matched),
            only_by_meaning=candidate.note_id in self._only_near,
        )

    def _hits(self, candidate: Candidate) -> tuple[Hit, ...]:
        """Return the matching fragments; of a note that matched by its name alone, the first."""
        own = self._snapshot.numbers_of(candidate.note_id)
        first = own[self._time.first_section(candidate.note_id)]
        numbers = self._matches.sections(own)[:MOST_FRAGMENTS] or [(first, candidate.signals.relevance)]
        return tuple(Hit(self._snapshot.index.fragment(number), relevance, number) for number, relevance in numbers)

    def _related(self, active: RankedCandidates, candidates: list[Candidate]) -> tuple[Related, ...]:
        """Return the other related candidates, then what is linked to the answer, most activated first."""
        best = next(candidate for candidate in candidates if candidate.standing.strong)
        beside = [each.note_id for each in candidates if each is not best and each.standing.counts]
        near = (each for each in linked(self._note_table, self._note_history, best.note_id) if each not in beside)
        awake = [each for each in near if not self._note_table.metadata(each).archived]
        awake.sort(key=lambda each: (-active.measure.activation.get(each), self._note_table.metadata(each).path))
        return tuple(self._as_related(each) for each in (*beside, *awake)[:MOST_RELATED])

    def _as_related(self, note_id: int) -> Related:
        metadata = self._note_table.metadata(note_id)
        strength = present_strength(
            metadata, self._note_history.usage(note_id), self._session.now, self._note_history.kinds
        )
        return Related(metadata.path, metadata.title, strength)
