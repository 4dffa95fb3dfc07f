"""Find the notes that a query matches: text → time, words and conditions → matches."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.answer.asked_time import MAX_ADDED, AskedTime
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import look_up
from brain_cli.search.filters import Everything, Filters, NoteMatcher, all_of, condition, lift_phrases
from brain_cli.search.intent import recency_intent
from brain_cli.search.query_parser import ParsedQuery, as_words, parse
from brain_cli.search.relevance import Matches, every_note, matches_of_known_words, weighted
from brain_cli.search.words import expanded, ranking_words
from brain_cli.types import BY_SCORE, Session
from brain_cli.vault.analyzer import MAX_QUERY_WORDS, Word, has_too_many_words, query_words

if TYPE_CHECKING:
    from brain_cli.answer.retriever import Retrieved, Retriever

# If at most this many notes are wanted, few candidates are fetched from a shared memory.
MAX_FEW = 30
# At most this many notes with all words of a phrase are fetched with their texts.
MAX_READ_WHOLE = 1_000


class Query(NamedTuple):
    """A query: the text as typed, the filters, and how to read the text.

    `recent` overrides the recency found in the words; `literal` turns off operators; `order` is one of ORDERS.
    """

    text: str
    filters: Filters = Filters()
    recent: bool | None = None
    literal: bool = False
    order: str = BY_SCORE


class QueryMatches:
    """Find the notes that match one query, and the time and intent it asks for; at most `limit` are returned.

    `words` rank the notes, `time` is the time asked about. `near` are the notes found by meaning; no word of the
    query matches those in `only_by_meaning`.
    """

    def __init__(
        self,
        query: Query,
        session: Session,
        snapshot: Snapshot,
        weights: Mapping[str, float],
        meaning: Retriever | None,
        limit: int,
    ) -> None:
        self._snapshot = snapshot
        self._query = query
        self._weights = weights
        self._archived = query.filters.archived
        self.intent = recency_intent(query.text, query.recent, session.now)
        topic = "" if self.intent.only_time else self.intent.topic
        self._parsed = as_words(topic) if query.literal else parse(topic)
        self._condition = all_of([self._parsed.condition, condition(query.filters, session.now)])
        self.words = self._ranking_words(self._parsed)
        self.time = AskedTime(self.intent, query.order, snapshot.note_table, session, limit, archived=self._archived)
        self._retriever, self._topic = meaning, topic
        self.near: Retrieved | None = None
        self.only_by_meaning: Set[int] = frozenset()
        found = self._ranked(query.text if self.intent.spans else topic)
        found = self._with_notes_of_the_day(self._restricted(found), found)
        relevances = self.time.relevances(found.relevances, self._notes_with_date())
        self.matches = found._replace(relevances=relevances)

    @property
    def problem(self) -> str:
        """A sentence that says why the query could not be read as intended; empty if it could."""
        return self._parsed.problem or self.time.problem(self.matches.relevances) or self._too_long()

    def _too_long(self) -> str:
        if not has_too_many_words(self._parsed.ranking, self._snapshot.note_table.languages):
            return ""
        return f"The query has more than {MAX_QUERY_WORDS} different words, so only the first of them were searched."

    def _ranking_words(self, parsed: ParsedQuery) -> tuple[Word, ...]:
        prefixes = [expanded(self._snapshot, prefix) for prefix in parsed.prefixes]
        return (*ranking_words(self._snapshot, parsed.ranking), *prefixes)

    def _notes_with_date(self) -> frozenset[int]:
        """Return the notes with the words of a date in one section: “the event in October 2024”."""
        note_ids, found = self._snapshot.index.note_ids, set[int]()
        for span in () if self.intent.only_time else self.intent.spans:
            words = query_words(span.text, self._snapshot.note_table.languages)
            sections = [look_up(self._snapshot, word).scores.sections.keys() for word in words]
            found |= {note_ids[number] for number in set.intersection(*map(set, sections))} if sections else set()
        return frozenset(found)

    @property
    def _is_restricted(self) -> bool:
        return self._condition != Everything() or self._archived

    def _ranked(self, text: str) -> Matches:
        """Return the notes that words or meaning find; every note at relevance 1 if there is no word to rank by."""
        if (self._is_restricted or self.intent.only_time) and not self.words:
            found = every_note(self._snapshot)
        else:
            found = self._found_by_words(text)
        if self._weights:
            relevances = weighted(found.relevances, self._weights, self._snapshot.note_table)
            found = found._replace(relevances=relevances)
        if self._retriever and (near := self._retriever(self._topic, self.words, self._snapshot, found)):
            self.near, by_words, found = near, found.relevances, near.joined(found)
            self.only_by_meaning = found.relevances.keys() - by_words.keys()
        return found

    def _with_notes_of_the_day(self, restricted: Matches, found: Matches) -> Matches:
        """Add the notes that only their date finds, if few of them pass the filters."""
        inside = self.time.notes_inside(found.relevances)
        passing = self._restricted(found._replace(relevances=inside)).relevances if inside else {}
        if not 0 < len(passing) <= MAX_ADDED:
            return restricted
        return restricted._replace(relevances=restricted.relevances | passing)

    def _found_by_words(self, text: str) -> Matches:
        """Return the matches of the words; a question that is asked again of the same notes has the same ones."""
        return self._snapshot.question_cache.get(
            (text, self.words), lambda: matches_of_known_words(self._snapshot, text, self.words), _numbers_kept
        )

    def _restricted(self, found: Matches) -> Matches:
        """Return the matches that meet every condition; those with an exact phrase rank higher."""
        if not self._is_restricted and not self._parsed.phrases:
            return found
        matcher = NoteMatcher(self._snapshot)
        relevances = found.relevances.items()
        meeting = {note_id: value for note_id, value in relevances if self._condition.holds(matcher.of(note_id))}
        lift_phrases(meeting, self._parsed.phrases, matcher)
        return found._replace(relevances=meeting)


def _numbers_kept(found: Matches) -> int:
    """Return about how many numbers are kept: for each note its relevance, and the three sums behind it."""
    return 4 * len(found.relevances) + 1
