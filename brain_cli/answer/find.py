"""Find the notes that a parsed query matches: its words, their meaning, its conditions and the time
it asks about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from heapq import nlargest
from typing import TYPE_CHECKING

from brain_cli.index.snapshot import Snapshot
from brain_cli.record import Record
from brain_cli.search.asked_time import ADDED_RELEVANCE, MAX_ADDED, AskedTime
from brain_cli.search.bm25 import look_up
from brain_cli.search.filters import NoteMatcher, lift_phrases
from brain_cli.search.query import TOO_COMMON, ParsedQuery, Query, parse
from brain_cli.search.relevance import Matches, every_note, matches_of_known_words, weighted
from brain_cli.search.words import expanded, ranking_words
from brain_cli.types import Session
from brain_cli.vault.analyzer import Word
from brain_cli.vault.clock import Clock
from brain_cli.vault.languages import names_calendar

if TYPE_CHECKING:
    from brain_cli.answer.retriever import Retrieved, Retriever


# A date in a longer note does not count.
MAX_READ_CHARS = 50_000


class Found(Record):
    """The notes of a snapshot that a query matches.

    `words` rank the notes, `time` is the time asked about. `near` are the notes found by meaning;
    no word of the query matches those in `only_by_meaning`. `mentions` reads a text for a time; it
    is set if the query names one.
    """

    query: ParsedQuery
    session: Session
    snapshot: Snapshot
    words: tuple[Word, ...]
    matches: Matches
    time: AskedTime
    near: Retrieved | None = None
    only_by_meaning: Set[int] = frozenset()
    mentions: Callable[..., bool] | None = None

    @property
    def local(self) -> float:
        """The time of the question, in seconds of the asker's calendar."""
        return Clock(self.session.now, self.session.zone).local

    def with_relevances(self, relevances: dict[int, float]) -> Found:
        """Return these notes with other relevances."""
        return self._replace(matches=self.matches._replace(relevances=relevances))

    @property
    def problem(self) -> str:
        """A sentence that says why the query could not be read as intended; empty if it could."""
        problem = self.query.problem or self.time.problem(self.matches.relevances)
        # Beside a time that has notes, no other word is needed.
        is_enough = bool(self.time.spans) and self.query.excess == TOO_COMMON
        return problem or ("" if is_enough else self.query.excess)

    def tells_time(self, note_id: int) -> bool:
        """Return whether a note is dated in the time asked for, or mentions it; True if the query
        asks for none.
        """
        if not self.time.spans or self.time.fits(note_id):
            return True
        title = self.snapshot.note_table.metadata(note_id).title
        body = self.snapshot.body(note_id)[:MAX_READ_CHARS]
        return self.mentions_time(f"{title}\n{body}", note_id)

    def mentions_time(self, text: str, note_id: int) -> bool:
        """Return whether a text of a note has a date in the time asked for; “in April” may be that
        of the note's year.
        """
        written = self.snapshot.note_table.local_date(note_id, self.session.zone)
        times = (self.local, written or 0.0)
        return self.mentions is not None and any(
            self.mentions(span, text, Clock(time)) for span in self.time.spans for time in times
        )

    def words_of(self, note_id: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the words of the query that a note has, and those that it lacks, as typed."""
        found = [look_up(self.snapshot, word) for word in self.words if not word.optional]
        matched = [each.word.text for each in found if note_id in each.scores.notes]
        lacking = (each.word.text for each in found if each.word.text not in matched)
        return self.query.as_typed(matched), self.query.as_typed(lacking)

    def sections(self, note_id: int) -> list[tuple[int, float]]:
        """Return the numbers and relevances of a note's matching sections, best first."""
        own = self.snapshot.numbers_of(note_id)
        return self.time.sections(note_id, self.matches.sections(note_id), own[0])

    def section_date(self, note_id: int) -> float | None:
        """Return the date that the heading of a note's matching section names; None where it names
        none.
        """
        if not self.snapshot.note_table.section_dates(note_id):
            return None
        first = self.snapshot.numbers_of(note_id)[0]
        best = [number - first for number, _ in self.sections(note_id)]
        return self.time.section_date(
            note_id, best or [self.time.first_section(note_id, first)]
        )


# A note with an option is looked for among so many of those that the signs of a query exclude.
MAX_EXCLUDED_READ = 10
# A single letter or a short number with a sign is rather an option of a program than a condition.
_SHORT = r"[+-](?:\w(?:[:=].*)?|\d{1,3})"
OPTIONS = "{} can be an option of a program, so the query was searched as words."
ALL_EXCLUDED = "Every note that matches was excluded by {}."
# A file that a program is run with.
_FILE = r"[\w*]\.[^\W\d]\w{0,4}(?!\S)"


def find_asked(
    query: Query,
    session: Session,
    snapshot: Snapshot,
    weights: Mapping[str, float],
    retriever: Retriever | None = None,
) -> Found:
    """Return the notes that a query matches. A sign before a word restricts them only if it is not
    an option of a program, as in `java -jar`.

    It is one if it excludes a note that matches as well as any other and has it as typed, if it is
    a single letter, or if nothing is left and the query names a file.
    """
    languages = snapshot.note_table.languages
    clock = Clock(session.now, session.zone)
    parsed = parse(query, clock, languages)
    found = find(parsed, session, snapshot, weights, retriever)
    if not parsed.signed:
        return found
    as_words = parse(query._replace(unsigned=True), clock, languages)
    again = find(as_words, session, snapshot, weights, retriever)
    signed = ", ".join(parsed.signed)
    if _are_options(found, again):
        problem = OPTIONS.format(signed)
        return again._replace(
            query=as_words._replace(problem=problem, only_excludes=parsed.only_excludes)
        )
    only_excludes = all(each.startswith("-") for each in parsed.signed)
    nothing_left = again.matches.relevances and not found.matches.relevances
    if only_excludes and found.words and nothing_left:
        parsed = parsed._replace(problem=ALL_EXCLUDED.format(signed))
    return found._replace(query=parsed)


def _are_options(found: Found, again: Found) -> bool:
    """Return whether the signed words of a query are options, by the notes that it found `again`
    without signs.
    """
    kept = found.matches.relevances
    relevances = again.matches.relevances
    least = max((relevances.get(each, 0.0) for each in kept), default=0.0)
    excluded = [each for each in relevances.keys() - kept.keys() if relevances[each] >= least]
    if not excluded:
        return False
    signed = found.query.signed
    names_file = bool(found.query.paths or re.search(_FILE, found.query.asked.text))
    if any(re.fullmatch(_SHORT, each) for each in signed) or (names_file and not kept):
        return True
    best = nlargest(MAX_EXCLUDED_READ, excluded, key=relevances.__getitem__)
    return any(
        _is_written(each, found.snapshot.body(note_id)) for note_id in best for each in signed
    )


def _is_written(signed: str, text: str) -> bool:
    """Return whether a text has a word with its sign, but not as the item of a list."""
    return re.search(rf"(?i)[^\w\n\r-]{re.escape(signed)}(?!\w)", text) is not None


def find(
    query: ParsedQuery,
    session: Session,
    snapshot: Snapshot,
    weights: Mapping[str, float],
    retriever: Retriever | None = None,
) -> Found:
    """Return the notes that match a query; `weights` are those of folders and kinds
    (search/relevance.py).
    """
    prefixes = [expanded(snapshot, prefix) for prefix in query.prefixes]
    words = (*ranking_words(snapshot, query.words), *prefixes)
    by_words = _by_words(query, words, snapshot)
    if weights:
        by_words = by_words._replace(
            relevances=weighted(by_words.relevances, weights, snapshot.note_table)
        )
    near = retriever(query.topic, words, snapshot, by_words) if retriever else None
    found = near.joined(by_words) if near else by_words
    time = AskedTime(
        query.time,
        query.asked.order,
        snapshot.note_table,
        session.project,
        zone=session.zone,
        archived=query.asked.filters.archived,
    )
    meeting = _meeting(query, snapshot, found.relevances)
    # Notes that only their date finds; none if many of them meet the condition.
    of_the_day = _meeting(query, snapshot, time.notes_inside(found.relevances))
    if len(of_the_day) <= MAX_ADDED:
        meeting |= of_the_day
    in_text = _notes_with_date(query, snapshot)
    mentioning: dict[int, int] = {}
    mentions: Callable[..., bool] | None = None
    if time.spans:
        # Imported here, because most questions name no time.
        from brain_cli.search.mentions import mentions, notes_mentioning
    if time.spans and not time.is_of(meeting):
        clock = Clock(session.now, session.zone)
        # “Last week” in a note is seldom the one that is asked about.
        written = in_text if any(names_calendar(span.text) for span in time.spans) else {}
        mentioning = {**written, **dict(notes_mentioning(time.spans, snapshot, clock))}
        added = dict.fromkeys(mentioning.keys() - meeting.keys(), ADDED_RELEVANCE)
        if len(added) <= MAX_ADDED:
            meeting |= _meeting(query, snapshot, added)
    relevances = time.relevances(meeting, in_text, mentioning)
    only_by_meaning = (
        found.relevances.keys() - by_words.relevances.keys() if near else frozenset()
    )
    return Found(
        query,
        session,
        snapshot,
        words,
        found._replace(relevances=relevances),
        time,
        near,
        only_by_meaning,
        mentions,
    )


def _by_words(query: ParsedQuery, words: tuple[Word, ...], snapshot: Snapshot) -> Matches:
    """Return the notes with the words; without words to rank by, every note at relevance 1."""
    if (query.is_restricted or query.time.only_time) and not words:
        return every_note(snapshot)
    # A question that is asked again of the same notes has the same matches.
    return snapshot.question_cache.get(
        (query.name, query.paths, words),
        lambda: matches_of_known_words(snapshot, words, query.name, query.paths),
        # About how many numbers are kept: for each note its relevance, and the three sums behind
        # it.
        lambda kept: 4 * len(kept.relevances) + 1,
    )


def _meeting(
    query: ParsedQuery, snapshot: Snapshot, relevances: Mapping[int, float]
) -> dict[int, float]:
    """Return the relevances of the notes that meet the condition; higher with an exact phrase."""
    if not query.is_restricted and not query.phrases:
        return dict(relevances)
    matcher = NoteMatcher(snapshot)
    meeting = {
        note_id: value
        for note_id, value in relevances.items()
        if query.condition.holds(matcher.of(note_id))
    }
    lift_phrases(meeting, query.phrases, matcher)
    return meeting


def _notes_with_date(query: ParsedQuery, snapshot: Snapshot) -> Mapping[int, int]:
    """Return the notes with the words of a date in one section, and which: “the event in October
    2024”.
    """
    note_ids = snapshot.index.note_ids
    found: dict[int, int] = {}
    for words in query.dates:
        sections = [look_up(snapshot, word).scores.sections.keys() for word in words]
        if sections:
            found |= {
                note_ids[number]: number for number in set.intersection(*map(set, sections))
            }
    return found
