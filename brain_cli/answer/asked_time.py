"""Apply the time that a query asks about to its matches: filter, weigh and order them by date."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import islice

from brain_cli.index.note_table import NoteRow, NoteTable
from brain_cli.search.intent import QueryIntent
from brain_cli.types import BY_DATE, BY_PATH, MTIME, Intent, Session

# In another order than by score, only notes of at least this share of the best relevance are sorted, and the first few.
MIN_RELEVANCE_SHARE = 0.5
MIN_SORTED = 15
# At most this many notes that pass the filters are added because of their date alone, with this relevance before the
# date raises it; of more than MAX_READ notes dated so, none is compared with the filters.
MAX_ADDED = 10
MAX_READ = 200
ADDED_RELEVANCE = 0.35
# The fit of a note that has the date asked for in its text, not as its own date.
IN_TEXT = 0.7
HANDOFF = "handoff"
# More of them would hide newer notes.
MAX_HANDOFFS = 3
SortKey = Callable[[NoteRow], tuple[float, str]]
_SORT_KEYS: Mapping[str, SortKey] = {
    BY_DATE: lambda row: (-row.timestamp, row.path),
    BY_PATH: lambda row: (0.0, row.path),
}


class AskedTime:
    """The time and the order that one query asks for; at most `limit` notes are returned."""

    def __init__(
        self, intent: QueryIntent, order: str, note_table: NoteTable, session: Session, limit: int, *, archived: bool
    ) -> None:
        self._intent = intent
        self._archived = archived
        self._order = order
        self._note_table = note_table
        self._session = session
        self._limit = limit

    def relevances(self, relevances: dict[int, float], in_text: Container[int]) -> dict[int, float]:
        """Return the relevances, adjusted by the dates of the notes; the notes `in_text` have the date in a section."""
        if not self._intent.spans:
            return relevances
        from brain_cli.search.dates import ELSEWHEN, INSIDE_LONG, dated_relevance

        fits = {note_id: self._fit_of_note(note_id) for note_id in relevances}
        if not self._intent.only_time:
            is_found = max((fits[each] for each in fits if self._is_wanted(each)), default=0.0) >= INSIDE_LONG

            elsewhen = {each for each, fit in fits.items() if is_found and not fit and self._tells_date(each)}

            def fit(note_id: int) -> float:
                if note_id in in_text:
                    return max(IN_TEXT, fits[note_id])
                return ELSEWHEN if note_id in elsewhen else fits[note_id]

            return {note_id: dated_relevance(relevance, fit(note_id)) for note_id, relevance in relevances.items()}
        return {note_id: 1.0 if fit >= INSIDE_LONG else fit for note_id, fit in fits.items() if fit}

    def notes_inside(self, found: Container[int]) -> dict[int, float]:
        """Return the notes dated inside a short span that no word found, with a relevance: one of them may be meant."""
        if not self._intent.spans or self._intent.only_time:
            return {}
        inside = (each for each in self._short_span_notes() if each not in found and self._is_wanted(each))
        few = list(islice(inside, MAX_READ + 1))
        return dict.fromkeys(few, ADDED_RELEVANCE) if len(few) <= MAX_READ else {}

    def problem(self, note_ids: Iterable[int]) -> str:
        """Return a sentence if no matching note is dated in the requested time, else an empty string."""
        spans = self._intent.spans
        wanted = filter(self._is_wanted, note_ids)
        if not spans or any(span.has(date) for note_id in wanted for date in self._dates(note_id) for span in spans):
            return ""
        return f"No note that matches is dated “{'”, “'.join(span.text for span in spans)}”."

    def chosen(self, relevances: Mapping[int, float]) -> list[int] | None:
        """Return the notes to show, in order; None if the score orders them."""
        rows = self._note_table.rows
        if key := _SORT_KEYS.get(self._order):
            return sorted(self._relevant_enough(relevances), key=lambda each: key(rows[each]))[: self._limit]
        if self._intent.only_time and self._intent.intent is Intent.RECENCY:
            return self._newest(relevances)[: self._limit]
        if self._intent.only_time and self._intent.spans:
            found = sorted(relevances, key=lambda each: (-relevances[each], -rows[each].timestamp, rows[each].path))
            return found[: self._limit]
        return None

    def _newest(self, note_ids: Iterable[int]) -> list[int]:
        """Return the newest notes: those of the project, then all others; where work is resumed, its handoffs first.

        A note with only the file time of a clone comes after the dated ones. Without a project, or if none of the notes
        belongs to it, all notes count as the project's.
        """
        rows, table, project = self._note_table.rows, self._note_table, self._session.project
        in_order = sorted(note_ids, key=lambda note_id: (-(table.stated_date(note_id) or 0.0), rows[note_id].path))
        own = [each for each in in_order if project and rows[each].project == project.casefold()] or in_order
        handoffs = [each for each in own if self._intent.resumes and rows[each].kind == HANDOFF][:MAX_HANDOFFS]
        return list(dict.fromkeys((*handoffs, *own, *in_order)))

    @property
    def is_asked(self) -> bool:
        """True if the query asks about a time: a date, a span, or the newest."""
        return bool(self._intent.spans) or self._intent.intent is Intent.RECENCY

    def section_date(self, note_id: int, sections: Iterable[int]) -> float | None:
        """Return the date in the heading of the first of these sections of a note, which is the date of the match."""
        first = next(iter(sections), None)
        return next((date for number, date in self._section_dates(note_id) if number == first), None)

    def sections(self, note_id: int, found: list[tuple[int, float]], first: int) -> list[tuple[int, float]]:
        """Return a note's matching sections, (number, relevance); of a diary only those in the requested time, if any.

        `first` is the number of the note's first section.
        """
        if not self._intent.spans:
            return found
        inside = {
            first + int(index)
            for index, date in self._section_dates(note_id)
            if any(span.has(date) for span in self._intent.spans)
        }
        return [each for each in found if each[0] in inside] or found

    def first_section(self, note_id: int) -> int:
        """Return the section to show of a note without matching words: the one in the requested time, or the newest."""
        dates = self._section_dates(note_id)
        if not (self._intent.only_time and dates):
            return 0
        return int(max(dates, key=lambda each: (self._fit_of_date(each[1]), each[1]))[0])

    def _relevant_enough(self, relevances: Mapping[int, float]) -> list[int]:
        """Return the notes that are sorted in another order: how many are shown does not change which."""
        best_first = sorted(relevances, key=lambda note_id: -relevances[note_id])
        least = MIN_RELEVANCE_SHARE * max(relevances.values(), default=0.0)
        return [each for index, each in enumerate(best_first) if index < MIN_SORTED or relevances[each] >= least]

    def _fit_of_note(self, note_id: int) -> float:
        return max(map(self._fit_of_date, self._dates(note_id)), default=0.0)

    def _fit_of_date(self, date: float) -> float:
        from brain_cli.search.dates import best_fit

        return best_fit(self._intent.spans, date)

    def _short_span_notes(self) -> Iterator[int]:
        """Yield the notes that are dated inside a short span of the query."""
        spans = [span for span in self._intent.spans if span.is_short]
        if spans:
            sections = self._note_table.column("section_dates")
            for note_id, date in self._note_table.column("timestamp").items():
                is_near = sections[note_id] or any(span.has(date) for span in spans)
                if is_near and any(span.has(each) for each in self._dates(note_id) for span in spans):
                    yield note_id

    def _is_wanted(self, note_id: int) -> bool:
        """Return whether a note is active, or archived if the archive is searched."""
        return bool(self._note_table.column("archived")[note_id]) == self._archived

    def _tells_date(self, note_id: int) -> bool:
        """Return whether a note's date is written in it or its path, not only the time of its file."""
        return self._note_table.rows[note_id].dated_by != MTIME or bool(self._section_dates(note_id))

    def _section_dates(self, note_id: int) -> list[list[float]]:
        return self._note_table.section_dates(note_id)

    def _dates(self, note_id: int) -> list[float]:
        stated = self._note_table.stated_date(note_id)
        return [*(() if stated is None else (stated,)), *(date for _, date in self._section_dates(note_id))]
