"""Choose what a screen shows: which results are opened, and how much of each.

The first result is always opened: whole if it is short, else its best passages. One strong match
has the whole screen; in a list, the next results get a few rows each, and the rest are one row
each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from brain_cli.answer.find import Found
from brain_cli.answer.pieces import NoteToQuote, TermWeights, WeighedPieces
from brain_cli.answer.results import Ranked, Recall
from brain_cli.printable import one_line
from brain_cli.search.names import compared_names
from brain_cli.search.question_words import is_about, subject_of_definition
from brain_cli.types import Quotes, Screen, Shown, Strategy
from brain_cli.vault.analyzer import same_name
from brain_cli.vault.inline_text import columns, plain_title

if TYPE_CHECKING:
    from brain_cli.answer.passages import Quotation

# A note of at most this many characters is shown whole.
SHORT_NOTE_CHARS = 1_200
# So many of the sections that match are quoted from, and the first one, which usually names the
# subject.
MAX_SECTIONS = 3
# The rows of a card around its text: the heading, the frame, the strength, how to read on, and two
# related notes.
CARD_ROWS = 9
# The rows of a list around its notes: the heading, a blank row, and how many more notes match; two
# more remarks stand above and below archived notes. Each note of a list has a row for its title,
# and one for a long path.
LIST_ROWS = 3
# A line with as many digits as most.
MANY = 1_000
# A longer title keeps at least so many columns beside the path.
MIN_TITLE_COLUMNS = 16
ARCHIVE_ROWS = 2
# The rows that a prompt takes.
PROMPT_ROWS = 2
# The notes of a list in the order in which they get passages, from 0, and those of a card.
LIST_TURNS: Sequence[int] = (0, 0, 1, 0, 2, 3, 1, 0, 0)
CARD_TURNS: Sequence[int] = (0,) * 5
# The share of the rows for passages that the first passage of each note may take, or a short note
# that is shown whole.
SHARES = (0.6, 0.5, 0.4, 0.3)
CARD_PASSAGE_ROWS = 8
LIST_PASSAGE_ROWS = 4


def with_shown(recall: Recall, found: Found, quotes: Quotes, screen: Screen) -> Recall:
    """Return a recall with its passages, and with the line at which each result is opened."""
    quoter = _Quoter(recall, found)
    shown = tuple(quoter.shown(screen)) if quotes is not Quotes.LINES else ()

    listed = recall.listed(screen.listed)

    def with_passage(ranked: Ranked) -> Ranked:
        own = [each for each in shown if each.path == ranked.metadata.path]
        if not own and quotes is Quotes.EVERY:
            own = quoter.first_passage(ranked, screen)
        best = max(own, key=lambda each: each.value, default=None)
        if not best and quotes is Quotes.SHOWN and ranked not in listed:
            return ranked
        line, heading = quoter.place(ranked)
        return ranked._replace(passage=best, line=line, heading=heading)

    return recall._replace(
        is_partial=quoter.is_partial,
        shown=shown,
        results=tuple(map(with_passage, recall.results)),
        archive=tuple(map(with_passage, recall.archive)),
    )


class _Quoter:
    """Quotes the results of one recall."""

    def __init__(self, recall: Recall, found: Found) -> None:
        self._recall = recall
        self._snapshot = found.snapshot
        self._term_weights = TermWeights(found.matches.term_weights)
        self._found = found
        self._near = found.near
        self.is_partial = False
        self._defined = subject_of_definition(
            recall.query, tuple(found.snapshot.note_table.languages)
        )
        self._name = same_name(recall.query)
        self._pieces: dict[int, WeighedPieces] = {}

    def shown(self, screen: Screen) -> Iterator[Shown]:
        """Yield the passages of the screen, note by note, those of a note in file order."""
        is_card = self._recall.strategy is Strategy.SINGLE_STRONG
        found = (self._recall.answer,) if is_card else self._recall.listed(screen.listed)
        turns, passage_rows = (
            (CARD_TURNS, CARD_PASSAGE_ROWS) if is_card else (LIST_TURNS, LIST_PASSAGE_ROWS)
        )
        rows = left = self._rows_for_passages(screen, found)
        quotations = [self._quotation(ranked, screen) for ranked in found[: max(turns) + 1]]
        for place in (each for each in turns if each < len(quotations)):
            quotation = quotations[place]
            used = quotation.rows
            is_first = not quotation.passages
            # Below an opened note of a list is a blank row.
            blank_rows = int(is_first and len(found) > 1)
            most = min(left, int(rows * SHARES[place])) if is_first else left
            if quotation.add(most - blank_rows, passage_rows):
                left -= quotation.rows - used + blank_rows
                if is_first and not is_card:
                    left += _place_rows(found[place], screen, is_opened=False)
                    left -= _place_rows(found[place], screen, is_opened=True)
        if quotations:
            quotations[0].grow(left)
            self.is_partial = quotations[0].is_partial
        for ranked, quotation in zip(found, quotations, strict=False):
            yield from _of_result(ranked, quotation)

    def _rows_for_passages(self, screen: Screen, found: Sequence[Ranked]) -> int:
        """Return the rows of a screen that the frame of the answer leaves."""
        rows = screen.rows - PROMPT_ROWS
        recall = self._recall
        if newer := recall.newer:
            rows -= 1 + rows_below(
                newer.text, place_of(newer.note.path, MANY), screen.text_columns
            )
        if recall.strategy is Strategy.SINGLE_STRONG:
            place = place_of(found[0].path, MANY)
            below = rows_below("", place, screen.text_columns)
            related = (
                rows_below(
                    each.title, place_of(each.path, title=each.title), screen.text_columns
                )
                for each in recall.related[:2]
            )
            return rows - CARD_ROWS - below - bool(below) - sum(related)
        archive_rows = ARCHIVE_ROWS if found == recall.archive else 0
        return (
            rows
            - LIST_ROWS
            - sum(1 + _place_rows(each, screen, is_opened=False) for each in found)
            - bool(recall.unknown)
            - bool(recall.behind)
            - archive_rows
        )

    def first_passage(self, ranked: Ranked, screen: Screen) -> list[Shown]:
        """Return the best passage of a note, as a list gets it."""
        quotation = self._quotation(ranked, screen)
        quotation.add(LIST_PASSAGE_ROWS + 1, LIST_PASSAGE_ROWS)
        return _of_result(ranked, quotation)

    def _quotation(self, ranked: Ranked, screen: Screen) -> Quotation:
        # Imported here, because an answer in plain lines only needs the line of each note.
        from brain_cli.answer.passages import Quotation

        pieces = self._weighed(ranked)
        fits = ranked.metadata.body_chars <= screen.rows * screen.text_columns
        if self._recall.strategy is Strategy.SINGLE_STRONG and fits:
            pieces = WeighedPieces(self._note(ranked, is_whole=True), self._term_weights)
        return Quotation(pieces, screen.text_columns)

    def _weighed(self, ranked: Ranked) -> WeighedPieces:
        if ranked.note_id not in self._pieces:
            note = self._note(ranked, is_whole=is_short(ranked))
            self._pieces[ranked.note_id] = WeighedPieces(note, self._term_weights)
        return self._pieces[ranked.note_id]

    def place(self, ranked: Ranked) -> tuple[int, tuple[str, ...]]:
        """Return the line of a note's best piece and the headings above it, else those of its best
        section.
        """
        pieces = self._weighed(ranked)
        best = pieces.best
        section = pieces.note.fragments[best.section] if best else ranked.hits[0].fragment
        return best.first if best else section.line, section.trail

    def _may_change(self, ranked: Ranked) -> bool:
        """Return whether lines of a note do not always hold, or its sections are of
        several days.
        """
        table = self._snapshot.note_table
        return table.value("changes", ranked.note_id) or bool(
            table.section_dates(ranked.note_id)[1:]
        )

    def _note(self, ranked: Ranked, *, is_whole: bool) -> NoteToQuote:
        numbers = self._snapshot.numbers_of(ranked.note_id)
        # Only one section of a diary is about the day asked for.
        of_one_day = ranked.date is not None and bool(
            self._snapshot.note_table.section_dates(ranked.note_id)
        )
        is_whole = is_whole and not of_one_day
        most, others = (
            (1, range(0))
            if of_one_day
            else (MAX_SECTIONS, numbers if is_whole else numbers[:1])
        )
        chosen = {hit.number: hit.fragment for hit in ranked.hits[:most]}
        for number in others:
            if number not in chosen:
                chosen[number] = self._snapshot.index.fragment(number)
        nearest = self._near.lines(ranked.note_id) if self._near else {}
        for line in nearest:
            if (number := self._section_at(numbers, line)) not in chosen:
                chosen[number] = self._snapshot.index.fragment(number)
        return NoteToQuote(
            ranked.metadata.title,
            self._snapshot.language(ranked.note_id),
            [chosen[number] for number in sorted(chosen)],
            is_whole=is_whole or len(chosen) == len(numbers),
            nearest=nearest,
            opening=numbers[0] in chosen and self._wants_opening(ranked),
            value=self._recall.value,
            mentions_time=partial(self._found.mentions_time, note_id=ranked.note_id)
            if self._found.time.spans
            else None,
            local=self._recall.local if self._may_change(ranked) else None,
            past=self._recall.past or bool(ranked.candidate.ended),
        )

    def _section_at(self, numbers: Sequence[int], line: int) -> int:
        """Return the number of the section that a line is in."""
        found = numbers[0]
        for number in numbers:
            if self._snapshot.index.fragment(number).text_line > line:
                break
            found = number
        return found

    def _wants_opening(self, ranked: Ranked) -> bool:
        """Return whether the query is a name of the note, or asks for the definition of what the
        note is about.
        """
        if self._name in compared_names(ranked.metadata):
            return True
        if not self._defined:
            return False
        language = self._snapshot.language(ranked.note_id)
        names = (ranked.metadata.title, *ranked.metadata.aliases)
        return any(is_about(name, self._defined, language) for name in names)


def _of_result(ranked: Ranked, quotation: Quotation) -> list[Shown]:
    """Return the passages of a quotation, with the rank, the path and the title of their note."""
    return [
        each._replace(rank=ranked.rank, path=ranked.metadata.path, title=ranked.metadata.title)
        for each in quotation.passages
    ]


def _place_rows(ranked: Ranked, screen: Screen, *, is_opened: bool) -> int:
    """Return the rows that the path of a note takes below its title in a list."""
    title = ranked.metadata.title
    place = place_of(ranked.path, 0 if is_opened else MANY, title)
    return rows_below(title, place, screen.text_columns)


def is_short(ranked: Ranked) -> bool:
    """Return whether a note is shown whole where it fits."""
    return ranked.metadata.body_chars <= SHORT_NOTE_CHARS


def heading_of(shown: Shown) -> str:
    """Return the heading to print above a passage; empty if it says no more than the title."""
    heading = plain_title(shown.heading[-1]) if shown.heading else ""
    return "" if heading == shown.title else heading


def place_of(path: str, line: int = 0, title: str = "") -> str:
    """Return the path of a note with its line if it has one; without a line, only the folder of a
    path that repeats the title.
    """
    path = one_line(path)
    if line:
        return f"{path}:{line}"
    folder, slash, file = path.rpartition("/")
    is_title = bool(title) and _letters(file.rpartition(".")[0]) == _letters(title)
    return folder + slash if is_title else path


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def rows_below(title: str, place: str, available: int) -> int:
    """Return the rows that a place takes below a title; none if there is space beside it."""
    taken = columns(place)
    if min(columns(title), MIN_TITLE_COLUMNS) + 2 + taken <= available:
        return 0
    return -(-taken // available)
