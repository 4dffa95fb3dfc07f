"""Answer one query: query → candidates → scores → strategy → the notes to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.answer.matching import Query, QueryMatches
from brain_cli.answer.results import USUAL_SCREEN, Hit, Quotes, Ranked, Recall, Related, Screen
from brain_cli.answer.strategy import choose_shown, suggestions
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.candidate import Candidate
from brain_cli.ranking.certainty import with_claims
from brain_cli.ranking.note_history import NoteHistory, linked, no_history
from brain_cli.ranking.scorers import is_calibrated
from brain_cli.ranking.signals import SignalExtractor, present_strength
from brain_cli.ranking.top_k import RankingOptions, TopKRanker
from brain_cli.search.bm25 import ARCHIVE_MINIMUM_RELEVANCE, look_up
from brain_cli.search.question_words import DATE, NUMBER
from brain_cli.search.words import TypedWords, unmentioned_words
from brain_cli.types import NoteMetadata, Session, Strategy
from brain_cli.vault.git import overlap_in

if TYPE_CHECKING:
    from brain_cli.answer.retriever import Retriever

MAX_RELATED = 5
MAX_FRAGMENTS = 5
# What no note says that has the subject of the question.
SAYS = {NUMBER: "how many or how much", DATE: "when"}
# The answer is chosen by at least this many candidates, however few are shown.
JUDGED = 10
# The share of the best relevance from which on a candidate is worth showing.
MIN_RELEVANCE_SHARE = 0.5


def remember(
    query: Query,
    session: Session,
    snapshot: Snapshot,
    options: RankingOptions,
    note_history: NoteHistory | None = None,
    quotes: Quotes = Quotes.EVERY,
    meaning: Retriever | None = None,
    screen: Screen = USUAL_SCREEN,
) -> Recall:
    """Answer one query from one generation of the index and the history; read no clock and write nothing.

    `screen` is the size that the answer has to fit.
    """
    history = note_history or no_history(snapshot.note_table)
    return _RecallSteps(query, session, snapshot, options, history, meaning).answer(quotes, screen)


class RankedCandidates(NamedTuple):
    """The best candidates, in order, the number of all candidates, and their relevances by note id.

    `extractor` has the signals of the candidates.
    """

    candidates: list[Candidate]
    considered: int
    extractor: SignalExtractor
    relevances: Mapping[int, float]


class _RecallSteps:
    """The steps of one recall, from the matches to the answer."""

    def __init__(
        self,
        query: Query,
        session: Session,
        snapshot: Snapshot,
        options: RankingOptions,
        note_history: NoteHistory,
        meaning: Retriever | None,
    ) -> None:
        self._query = query
        self._session = session
        self._snapshot, self._note_table = snapshot, snapshot.note_table
        self._options, self._judged = options, max(options.limit, JUDGED)
        self._note_history = note_history
        limit = self._judged + MAX_RELATED
        self._found = QueryMatches(query, session, snapshot, options.weights, meaning, limit)
        self._matches, self._time, self._words = self._found.matches, self._found.time, self._found.words
        self._typed = TypedWords(query.text)

    def answer(self, quotes: Quotes, screen: Screen) -> Recall:
        active = self._rank(archived=self._query.filters.archived, minimum=self._options.minimum)
        candidates = self._with_claims(active.candidates)
        if self._reread(candidates):
            active = self._rank(archived=self._query.filters.archived, minimum=self._options.minimum)
            candidates = self._with_claims(active.candidates)
        strategy = choose_shown([candidate.standing for candidate in candidates], len(self._presentable(candidates)))
        fallback = strategy is Strategy.ARCHIVE_FALLBACK
        unknown = unmentioned_words(self._snapshot, self._words, dict(self._matches.corrections))
        recall = Recall(
            query=self._query.text,
            scorer=self._options.scorer.name,
            intent=self._found.intent.intent,
            now=self._session.now,
            strategy=strategy,
            results=self._shown(candidates),
            related=self._related(active, candidates) if strategy is Strategy.SINGLE_STRONG else (),
            archive=self._archive() if fallback else (),
            suggestions=self._topics() if fallback else (),
            considered=active.considered,
            worth_showing=self._worth_showing(active),
            problem=self._found.problem or self._missing_value(strategy, candidates),
            corrections=tuple((self._typed.of(word), near) for word, near in self._matches.corrections),
            unknown=self._typed.of_all(unknown),
            is_filtered=bool(self._query.filters.values),
        )
        if recall.is_off_topic:
            recall = recall._replace(archive=self._archive(), suggestions=self._topics())
        return recall if quotes is Quotes.NOTHING else self._quoted(recall, quotes, screen)

    def _missing_value(self, strategy: Strategy, candidates: list[Candidate]) -> str:
        """Return a sentence if the notes have the subject of the question, but not the number or date it asks for."""
        claim = candidates[0].claim if candidates else None
        if strategy is not Strategy.MANY_WEAK or not (claim and claim.certainty and claim.certainty.lacks):
            return ""
        first, found = candidates[0].note_id, [look_up(self._snapshot, word) for word in self._words]
        subject = self._typed.of_all(
            each.word.text for each in found if first in each.scores.notes and not each.word.optional
        )
        return f"Notes about “{' '.join(subject)}”, but none says {SAYS[claim.certainty.lacks]}."

    def _quoted(self, recall: Recall, quotes: Quotes, screen: Screen) -> Recall:
        # Imported here, because a list of paths quotes nothing.
        from brain_cli.answer.shown import with_shown

        return with_shown(recall, self._snapshot, self._matches.term_weights, quotes, screen, self._found.near)

    def _topics(self) -> tuple[str, ...]:
        """Return topics near the query; none for a query of filters alone."""
        return tuple(suggestions(self._note_table, self._matches.relevances)) if self._words else ()

    def _worth_showing(self, active: RankedCandidates) -> int:
        """Return how many candidates are at least half as relevant as the best one, or are shown."""
        relevances = active.relevances.values()
        least = MIN_RELEVANCE_SHARE * max(relevances, default=0.0)
        shown = len(self._presentable(active.candidates))
        return max(shown, min(active.considered, sum(each >= least for each in relevances)))

    def _rank(self, *, archived: bool, minimum: float) -> RankedCandidates:
        is_archived, snoozed_until = self._note_table.column("archived"), self._note_table.column("snoozed_until")
        relevant = {
            note_id: relevance
            for note_id, relevance in self._matches.relevances.items()
            if relevance >= minimum and is_archived[note_id] == archived and snoozed_until[note_id] <= self._session.now
        }
        chosen = self._time.chosen(relevant)
        if chosen is not None:
            relevant = {note_id: relevant[note_id] for note_id in chosen}
        extractor = SignalExtractor(
            self._note_table,
            self._session,
            self._found.intent.intent,
            self._words,
            relevant,
            self._note_history,
            self._section_date,
            file_overlap=overlap_in(self._session),
            weights=self._options.weights,
        )
        ranker = TopKRanker(
            self._snapshot,
            self._note_history,
            extractor,
            self._options._replace(limit=self._judged),
            relevant,
            self._matches.fuzzy,
            score_all=chosen is not None,
        )
        candidates = ranker.best_first()
        if chosen is not None:
            candidates.sort(key=lambda candidate: chosen.index(candidate.note_id))
        considered = sum(map(self._has_min_share, candidates)) if self._options.min_share else len(relevant)
        return RankedCandidates(candidates, considered, extractor, relevant)

    def _has_min_share(self, candidate: Candidate) -> bool:
        return candidate.score.share >= self._options.min_share

    def _presentable(self, candidates: list[Candidate]) -> list[Candidate]:
        """Return the candidates that the options let through: `--limit` of those with at least `--min-score`."""
        return [*filter(self._has_min_share, candidates)][: self._options.limit]

    def _with_claims(self, candidates: list[Candidate]) -> list[Candidate]:
        """Add their claims to the first candidates, if the formula's ranking is calibrated."""
        if not is_calibrated(self._options.scorer):
            return candidates
        near, first, question = self._found.near, candidates[: self._judged], self._query.text
        if near and first and (model := near.certainty_model(first[0].note_id)):
            return [*with_claims(question, first, self._matches, self._snapshot, model, near.nearness)]
        return [*with_claims(question, first, self._matches, self._snapshot, self._options.certainty)]

    def _reread(self, candidates: Sequence[Candidate]) -> bool:
        """Read the best notes more closely by meaning if none is a strong match; return whether that was done."""
        if not self._found.near or any(each.standing.strong for each in candidates):
            return False
        best = [candidate.note_id for candidate in candidates]
        relevances = self._found.near.reread(self._matches.relevances, best, self._matches.terms)
        self._matches = self._matches._replace(relevances=relevances)
        return True

    def _date(self, candidate: Candidate) -> float:
        """Return the date of the section that matched, in seconds; where it names none, that of the note."""
        date = self._section_date(candidate.note_id)
        return candidate.metadata.timestamp if date is None else date

    def _section_date(self, note_id: int) -> float | None:
        """Return the date that the heading of a note's matching section names; None where it names none."""
        if not self._note_table.section_dates(note_id):
            return None
        first = self._snapshot.numbers_of(note_id)[0]
        best = [number - first for number, _ in self._sections(note_id)]
        return self._time.section_date(note_id, best or [self._time.first_section(note_id)])

    def _sections(self, note_id: int) -> list[tuple[int, float]]:
        """Return the numbers and relevances of a note's matching sections, best first."""
        own = self._snapshot.numbers_of(note_id)
        return self._time.sections(note_id, self._matches.sections(own), own[0])

    def _archive(self) -> tuple[Ranked, ...]:
        return self._shown(self._rank(archived=True, minimum=ARCHIVE_MINIMUM_RELEVANCE).candidates)

    def _shown(self, candidates: list[Candidate]) -> tuple[Ranked, ...]:
        best = self._presentable(candidates)
        return tuple(self._ranked(rank, candidate) for rank, candidate in enumerate(best, start=1))

    def _ranked(self, rank: int, candidate: Candidate) -> Ranked:
        shown = candidate._replace(metadata=self._snapshot.as_shown(candidate.metadata, candidate.note_id))
        hits = self._hits(candidate)
        ranked = Ranked(rank, shown, hits, line=hits[0].fragment.line, heading=hits[0].fragment.trail)
        found = [look_up(self._snapshot, word) for word in self._words if not word.optional]
        matched = [each.word.text for each in found if candidate.note_id in each.scores.notes]
        return ranked._replace(
            matched=self._typed.of_all(matched),
            unmatched=self._typed.of_all(each.word.text for each in found if each.word.text not in matched),
            only_by_meaning=candidate.note_id in self._found.only_by_meaning,
            resembles=self._metadata(candidate.resembles),
            date=self._date(candidate) if self._time.is_asked else None,
        )

    def _hits(self, candidate: Candidate) -> tuple[Hit, ...]:
        """Return the matching fragments; for a note that matched only by its name, the first fragment."""
        own = self._snapshot.numbers_of(candidate.note_id)
        first = own[self._time.first_section(candidate.note_id)]
        numbers = self._sections(candidate.note_id)[:MAX_FRAGMENTS] or [(first, candidate.signals.relevance)]
        return tuple(Hit(self._snapshot.index.fragment(number), relevance, number) for number, relevance in numbers)

    def _related(self, active: RankedCandidates, candidates: list[Candidate]) -> tuple[Related, ...]:
        """Return the other related candidates, then the notes linked to the answer, most activated first."""
        best = next(candidate for candidate in candidates if candidate.standing.strong)
        others = {
            each.note_id: each.resembles for each in candidates if each is not best and each.standing.in_synthesis
        }
        neighbours = [each for each in linked(self._note_table, self._note_history, best.note_id) if each not in others]
        connected = [each for each in neighbours if not self._note_table.metadata(each).archived]
        connected.sort(key=lambda each: (-active.extractor.activation.get(each), self._note_table.metadata(each).path))
        return tuple(self._as_related(each, others.get(each)) for each in (*others, *connected)[:MAX_RELATED])

    def _as_related(self, note_id: int, original: int | None) -> Related:
        metadata = self._note_table.metadata(note_id)
        strength = present_strength(
            metadata, self._note_history.usage(note_id), self._session.now, self._note_history.kinds
        )
        path = self._snapshot.as_shown(metadata, note_id).path
        return Related(path, metadata.title, strength, self._metadata(original))

    def _metadata(self, note_id: int | None) -> NoteMetadata | None:
        return None if note_id is None else self._snapshot.as_shown(self._note_table.metadata(note_id), note_id)
