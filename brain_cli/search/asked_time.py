"""The time that a question asks about: find it in the text, then filter, weigh and order the
matches by date.

A question asks for the newest notes, for notes of a certain time, or for no time at all.

Sources: ClawMem, “Composite Scoring” (recency intent); the words are ours (vault/languages.py).
Most questions have no word of time, so the patterns are imported and compiled only for one that
has.
"""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from brain_cli.index.note_table import NoteRow, NoteTable
from brain_cli.record import Record
from brain_cli.types import BY_DATE, BY_PATH, MTIME, SECONDS_PER_DAY, Intent
from brain_cli.vault.analyzer import fold, stop_words
from brain_cli.vault.clock import Clock
from brain_cli.vault.languages import TIME_WORDS, TimeWords, is_written_out, month_numbers

if TYPE_CHECKING:
    from brain_cli.search.dates import Span

_WORD = re.compile(r"[^\W\d_]+")
_CENTURIES = ("19", "20")
# A date in digits has one of these.
_IN_DIGITS = re.compile(r"19|20|\d\.\d\d?\.|\bkw ?\d", re.IGNORECASE)
EPOCH = Clock(0.0)


class QueryIntent(Record):
    """A query's intent, its text without the words that express the intent, and the spans of time
    that it names.

    `only_time`: the query asks for nothing but a time, so the newest notes, or those of a span,
    answer it. `resumes`: it asks where work stopped, which a handoff answers.
    """

    intent: Intent
    topic: str
    spans: tuple[Span, ...] = ()
    only_time: bool = False
    resumes: bool = False


def recency_intent(text: str, forced: bool | None = None, clock: Clock = EPOCH) -> QueryIntent:
    """Return the time that a query asks about; `forced` (--recent, --no-recent) overrides its words
    of recency.

    Words of time are not query terms: they count neither for matching nor for relevance. A question
    with a date is not a question for the newest.
    """
    # Phones and word processors write an apostrophe as a quotation mark.
    folded = fold(text).replace("’", "'")
    languages = _languages(folded)
    if not forced and (languages or _IN_DIGITS.search(folded)):
        dated = _dated(folded, languages, clock)
        if dated:
            return dated
    if forced is False or not (languages or forced):
        return QueryIntent(Intent.NORMAL, text)
    topic = without_recency(folded, languages)
    if topic is None and not forced:
        return QueryIntent(Intent.NORMAL, text)
    topic = text if topic is None else topic
    resumes = any(_phrase(TIME_WORDS[name].newest).search(folded) for name in languages)
    return QueryIntent(Intent.RECENCY, topic, (), has_no_topic(topic, languages), resumes)


def _dated(folded: str, languages: list[str], clock: Clock) -> QueryIntent | None:
    from brain_cli.search.dates import dates_in

    found = dates_in(folded, languages, clock)
    if not found.spans:
        return None
    return QueryIntent(
        Intent.NORMAL, found.rest, found.spans, has_no_topic(found.rest, languages)
    )


def _languages(folded: str) -> list[str]:
    """Return the languages that have a word of time in a text. This must be fast, because every
    recall calls it.
    """
    words = _WORD.findall(folded.lower())
    text = f" {' '.join(words)} "
    has_digit = any(map(str.isdigit, folded))
    months = {
        word for word in words if has_digit or is_written_out(word)
    } & month_numbers().keys()
    has_year = any(map(folded.__contains__, _CENTURIES))
    return [
        name
        for name, table in TIME_WORDS.items()
        if any(map(text.__contains__, table.hints.split(",")))
        or not months.isdisjoint(month_numbers(name))
        or (has_year and _before_year(table.in_year).search(folded))
    ]


@cache
def _before_year(phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_any(phrases)}) (?:19|20)\d\d\b", re.IGNORECASE)


_SPECIAL = r"(?<![\w-])(?:[+-]?\w+:\S+|[+-]\S+)"


def without_recency(folded: str, languages: Sequence[str]) -> str | None:
    """Return a folded text without the words that ask for the newest notes; None if it has none."""
    known = [TIME_WORDS[name] for name in languages]
    asks_for_manner = any(_beginning(words.manner).match(folded) for words in known)
    topics = (
        _without_recency(folded, words, asks_for_manner=asks_for_manner) for words in known
    )
    return next((" ".join(topic.split()) for topic in topics if topic is not None), None)


def _without_recency(folded: str, words: TimeWords, *, asks_for_manner: bool) -> str | None:
    adverb = _phrase(words.newest_adverb)
    adjective = _phrase(words.newest_adjective)
    topic, found = _phrase(words.newest).subn(" ", folded)
    if found:
        return adverb.sub(" ", topic)
    if asks_for_manner:
        return None
    match = adjective.search(folded)
    if match and _asks_for_newest(folded[: match.start()], folded[match.end() :], words):
        return adjective.sub(" ", folded)
    if adverb.search(folded) and _is_about_user(folded, words):
        return adverb.sub(" ", folded)
    return None


def _asks_for_newest(before: str, after: str, words: TimeWords) -> bool:
    """Return whether the newest notes are asked for, by what stands before and after the adjective:
    “latest decision on kafka”, unlike “their latest project” and “the latest version was 2.0”.
    """
    is_question = _beginning(words.asking).match(before)
    leading = rf"\W*(?:(?:{_any(words.leading)})[\s’']+)*"
    if re.fullmatch(leading, before, re.IGNORECASE):
        return bool(is_question) or not _phrase(words.verbs).search(after)
    is_own = any(map(_phrase(words.first_person).search, (before, after)))
    return is_own or not (is_question or after.strip(" ?!."))


def _is_about_user(folded: str, words: TimeWords) -> bool:
    if _phrase(words.first_person).search(folded):
        return True
    if not _beginning(words.asking).match(folded):
        adverbs = _any(words.newest_adverb)
        outer = rf"^\W*(?:{adverbs})\b|\b(?:{adverbs})\W*$"
        return bool(re.search(outer, folded, re.IGNORECASE))
    return bool(_phrase(words.telling).search(folded)) and not re.search(
        _THIRD_PERSON, folded, re.IGNORECASE
    )


# “did Tim”, “has Anna's team”: the question is about other people.
_THIRD_PERSON = (
    r"\b(?:did|does|do|has|have|had)\s+"
    r"(?!we\b|i\b|you\b|been\b|not\b|chang|happen|the team\b)\w+"
)


@cache
def _phrase(phrases: str) -> re.Pattern[str]:
    """Return the pattern of any of some phrases (vault/languages.py)."""
    return re.compile(rf"(?<!\w)(?:{_any(phrases)})(?!\w)", re.IGNORECASE)


@cache
def _beginning(phrases: str) -> re.Pattern[str]:
    """Return the pattern of a text that begins with any of some phrases."""
    return re.compile(rf"\W*(?:{_any(phrases)})\b", re.IGNORECASE)


def _any(phrases: str) -> str:
    return "|".join(phrases.split(", ")).replace(" ", r"\s+")


def has_no_topic(topic: str, languages: Sequence[str]) -> bool:
    """Return whether a text without its words of time has no word left that is specific
    to a note.
    """
    if '"' in topic or re.search(_SPECIAL, topic):
        return False
    known = [TIME_WORDS[name] for name in languages]
    for words in known:
        topic = _phrase(words.telling).sub(" ", topic)
    asking = _phrase(
        ", ".join(f"{each.asking}, {each.leading}, {each.first_person}" for each in known)
        or "$^"
    )
    stops = frozenset(word for name in languages for word in stop_words(name))
    return all(word in stops or asking.fullmatch(word) for word in _WORD.findall(topic.lower()))


# In another order than by score, only notes of at least this share of the best relevance are
# sorted, and the first few.
MIN_RELEVANCE_SHARE = 0.5
MIN_SORTED = 15
# At most this many notes that pass the filters are added because of their date alone, with this
# relevance before the date raises it; of more than MAX_READ notes dated so, none is compared with
# the filters.
MAX_ADDED = 10
MAX_READ = 200
ADDED_RELEVANCE = 0.35
# The fit of a note that has the date asked for in its text, not as its own date.
IN_TEXT = 0.7
HANDOFF = "handoff"
# More of them would hide newer notes.
MAX_HANDOFFS = 3
SortKey = Callable[[NoteRow], float | str]
# Notes that are equal in this order stay in the order of their relevance.
_SORT_KEYS: Mapping[str, SortKey] = {
    BY_DATE: lambda row: -row.timestamp,
    BY_PATH: lambda row: row.path,
}


class AskedTime:
    """The time and the order that one query asks for, applied to notes; those of `project` come
    first.
    """

    def __init__(
        self,
        intent: QueryIntent,
        order: str,
        note_table: NoteTable,
        project: str | None,
        *,
        zone: str,
        archived: bool,
    ) -> None:
        self._intent = intent
        self._archived = archived
        self._zone = zone
        self._order = order
        self._note_table = note_table
        self._project = project
        self._section_dates = note_table.section_dates
        self._mentioning: Mapping[int, int] = {}
        self._with_date: Collection[int] = ()

    def relevances(
        self,
        relevances: dict[int, float],
        in_text: Iterable[int],
        mentioning: Mapping[int, int],
    ) -> dict[int, float]:
        """Return the relevances, adjusted by the dates of the notes; the notes `in_text` have the
        date in a section, and those `mentioning` it, each in a section, answer where no note is
        dated so.
        """
        self._mentioning = {
            note_id: section
            for note_id, section in mentioning.items()
            if self._is_wanted(note_id)
        }
        if not self.spans:
            return relevances
        from brain_cli.search import dates

        fits = {
            each: max(map(self._fit, self._dates(each)), default=0.0) for each in relevances
        }
        if self._intent.only_time:
            # Notes of nearby days answer only where no note is of the time asked for, or mentions
            # it.
            return (
                {note_id: 1.0 for note_id, fit in fits.items() if fit >= dates.INSIDE_LONG}
                or {note_id: IN_TEXT for note_id in self._mentioning if note_id in relevances}
                or {note_id: fit for note_id, fit in fits.items() if fit}
            )
        is_found = any(
            fit >= dates.INSIDE_LONG and self._is_wanted(each) for each, fit in fits.items()
        )
        self._with_date = with_date = {*in_text, *mentioning}

        def fit_of(note_id: int) -> float:
            fit = fits[note_id]
            if note_id in with_date:
                return max(IN_TEXT, fit)
            return dates.ELSEWHEN if is_found and not fit and self._tells_date(note_id) else fit

        return {
            note_id: dates.dated_relevance(relevance, fit_of(note_id))
            for note_id, relevance in relevances.items()
        }

    def notes_inside(self, found: Container[int]) -> dict[int, float]:
        """Return the notes dated inside a short span that no word found, with a relevance: one of
        them may be meant.
        """
        spans = [] if self._intent.only_time else [span for span in self.spans if span.is_short]
        inside = (
            each
            for each in self._notes_near(spans)
            if each not in found and self._is_wanted(each) and self._is_in(spans, each)
        )
        few = list(islice(inside, MAX_READ + 1))
        return dict.fromkeys(few, ADDED_RELEVANCE) if len(few) <= MAX_READ else {}

    @property
    def spans(self) -> Sequence[Span]:
        """The times that the query names."""
        return self._intent.spans

    def is_of(self, note_ids: Iterable[int]) -> bool:
        """Return whether a note is dated in the requested time."""
        return any(self._is_in(self.spans, each) for each in filter(self._is_wanted, note_ids))

    def fits(self, note_id: int) -> bool:
        """Return whether a note is dated in the requested time, or known to mention it."""
        return self._is_in(self.spans, note_id) or note_id in self._with_date

    def problem(self, note_ids: Collection[int]) -> str:
        """Return a sentence if no matching note is dated in the requested time, else an empty
        string.
        """
        if not self.spans or self.is_of(note_ids):
            return ""
        asked = "”, “".join(span.text for span in self.spans)
        mentioning = sum(each in note_ids for each in self._mentioning)
        if not mentioning:
            return f"No note that matches is dated “{asked}”."
        return f"No note is dated “{asked}”; {mentioning} mention{'s' * (mentioning == 1)} it."

    def chosen(self, relevances: Mapping[int, float], most: int) -> list[int] | None:
        """Return the notes to show, in order, at most `most`; None if the score orders them."""
        rows = self._note_table.rows
        if key := _SORT_KEYS.get(self._order):
            enough = self._relevant_enough(relevances)
            return sorted(enough, key=lambda each: key(rows[each]))[:most]
        if not self._intent.only_time:
            return None
        if self._intent.intent is Intent.RECENCY:
            return self._newest(relevances)[:most]
        # A note that tells its date comes before one whose file was changed then.
        return sorted(
            relevances,
            key=lambda each: (
                -relevances[each],
                not self._tells_date(each),
                -rows[each].timestamp,
                rows[each].path,
            ),
        )[:most]

    def _newest(self, note_ids: Iterable[int]) -> list[int]:
        """Return the newest notes: those of the project, then all others; where work is resumed,
        its handoffs first.

        A note with only the file time of a clone comes after the dated ones. Without a project, or
        if none of the notes belongs to it, all notes count as the project's.
        """
        rows = self._note_table.rows
        stated = self._note_table.stated_date
        project = (self._project or "").casefold()
        in_order = sorted(note_ids, key=lambda each: (-(stated(each) or 0.0), rows[each].path))
        own = [
            each for each in in_order if project and rows[each].project == project
        ] or in_order
        handoffs = [each for each in own if self._intent.resumes and rows[each].kind == HANDOFF]
        return list(dict.fromkeys((*handoffs[:MAX_HANDOFFS], *own, *in_order)))

    @property
    def is_asked(self) -> bool:
        """True if the query asks about a time: a date, a span, or the newest."""
        return bool(self.spans) or self._intent.intent is Intent.RECENCY

    def section_date(self, note_id: int, sections: Iterable[int]) -> float | None:
        """Return the date in the heading of the first of these sections of a note, which is the
        date of the match.
        """
        dates = {int(number): date for number, date in self._section_dates(note_id)}
        return dates.get(next(iter(sections), -1))

    def sections(
        self, note_id: int, found: list[tuple[int, float]], first: int
    ) -> list[tuple[int, float]]:
        """Return a note's matching sections, (number, relevance); of a diary only those in the
        requested time, if any.

        `first` is the number of the note's first section.
        """
        inside = {
            first + int(index)
            for index, date in (self._section_dates(note_id) if self.spans else ())
            if any(span.has(date) for span in self.spans)
        }
        return [each for each in found if each[0] in inside] or found

    def first_section(self, note_id: int, first: int) -> int:
        """Return the section to show of a note without matching words, counted from its `first`:
        the one in the requested time, or that mentions it, or the newest.
        """
        if note_id in self._mentioning:
            return self._mentioning[note_id] - first
        dates = self._section_dates(note_id) if self._intent.only_time else []
        newest = max(dates, key=lambda each: (self._fit(each[1]), each[1]), default=(0, 0.0))
        return int(newest[0])

    def _relevant_enough(self, relevances: Mapping[int, float]) -> list[int]:
        """Return the notes that are sorted in another order: how many are shown does not change
        which.
        """
        rows = self._note_table.rows
        best_first = sorted(
            relevances, key=lambda note_id: (-relevances[note_id], rows[note_id].path)
        )
        least = MIN_RELEVANCE_SHARE * max(relevances.values(), default=0.0)
        return [
            each
            for index, each in enumerate(best_first)
            if index < MIN_SORTED or relevances[each] >= least
        ]

    def _fit(self, date: float) -> float:
        """Return how well a date fits the nearest of the requested times, 0..1."""
        return max((span.fit(date) for span in self.spans), default=0.0)

    def _is_in(self, spans: Iterable[Span], note_id: int) -> bool:
        """Return whether a note, or a section of it, is dated in one of some times."""
        return any(span.has(date) for date in self._dates(note_id) for span in spans)

    def _notes_near(self, spans: Sequence[Span]) -> Iterator[int]:
        """Yield the notes that may be dated in one of some times."""
        if not spans:
            return
        sections = self._note_table.column("section_dates")
        for note_id, moment in self._note_table.column("timestamp").items():
            # A day is at most one earlier or later in another zone.
            if sections[note_id] or any(
                span.since - SECONDS_PER_DAY <= moment < span.before + SECONDS_PER_DAY
                for span in spans
            ):
                yield note_id

    def _is_wanted(self, note_id: int) -> bool:
        """Return whether a note is active, or archived if the archive is searched."""
        return (note_id in self._note_table.archived) == self._archived

    def _tells_date(self, note_id: int) -> bool:
        """Return whether a note's date is written in it or its path, not only the time of
        its file.
        """
        return self._note_table.rows[note_id].dated_by != MTIME or bool(
            self._section_dates(note_id)
        )

    def _dates(self, note_id: int) -> list[float]:
        stated = self._note_table.local_date(note_id, self._zone)
        return [
            *(() if stated is None else (stated,)),
            *(date for _, date in self._section_dates(note_id)),
        ]
