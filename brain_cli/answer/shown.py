"""Choose what a screen shows: which results are opened, and how much of each.

The first result is always opened: whole if it is short, else its best passages. One strong match has the whole screen;
in a list, the next results get a few rows each, and the rest are one row each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from brain_cli.answer.pieces import NoteToQuote, WeighedPieces
from brain_cli.answer.results import Quotes, Ranked, Recall, Screen
from brain_cli.answer.term_weights import TermWeights
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.names import is_named
from brain_cli.search.question_words import is_about, subject_of_definition
from brain_cli.types import Shown, Strategy
from brain_cli.vault.analyzer import same_name

if TYPE_CHECKING:
    from brain_cli.answer.passages import Passage
    from brain_cli.answer.retriever import Retrieved

# A note of at most this many characters is shown whole.
SHORT_NOTE_CHARS = 1_200
MAX_SHORT_SECTIONS = 40
# So many of the sections that match are quoted from, and the first one, which usually names the subject.
MAX_SECTIONS = 3
# The rows of a card around its text: the heading, the frame, the strength, how to read on, and two related notes.
CARD_ROWS = 9
# The rows of a list around its passages: the heading, a blank row, how many more notes match, and a remark.
LIST_ROWS = 4
# A note of a list takes a row for its title, and an opened one a blank row below it.
TITLE_ROWS, OPENED_ROWS = 1, 2
# The rows that a prompt takes.
PROMPT_ROWS = 2
# The shares of the rows for passages that the first notes of a list get; what one does not need, the next one gets.
SHARES = (0.5, 0.22, 0.16, 0.12)
MAX_CARD_PASSAGE_ROWS, MAX_LIST_PASSAGE_ROWS = 8, 4
MIN_ROWS = 2
MAX_SHORT_ROWS = 4
LISTS = (Strategy.MANY_WEAK, Strategy.ARCHIVE_FALLBACK)


def with_shown(
    recall: Recall,
    snapshot: Snapshot,
    term_weights: Mapping[str, float],
    quotes: Quotes,
    screen: Screen,
    near: Retrieved | None = None,
) -> Recall:
    """Return a recall with its passages, and with the line at which each result is opened."""
    quoter = _Quoter(recall, snapshot, TermWeights(term_weights), near)
    shown = tuple(quoter.shown(screen)) if quotes is not Quotes.LINES else ()

    listed = recall.listed(screen.listed)

    def with_passage(ranked: Ranked) -> Ranked:
        own = [each for each in shown if each.path == ranked.metadata.path]
        if not own and quotes is Quotes.EVERY:
            own = quoter.quoted(ranked, MAX_SHORT_ROWS, MAX_SHORT_ROWS, screen, most=1)
        best = max(own, key=lambda each: each.value, default=None)
        if not best and quotes is Quotes.SHOWN and ranked not in listed:
            return ranked
        line, heading = (best.line, best.heading) if best else quoter.place(ranked)
        return ranked._replace(passage=best, line=line, heading=heading)

    return recall._replace(
        shown=shown,
        results=tuple(map(with_passage, recall.results)),
        archive=tuple(map(with_passage, recall.archive)),
    )


class _Quoter:
    """Quotes the results of one recall."""

    def __init__(self, recall: Recall, snapshot: Snapshot, term_weights: TermWeights, near: Retrieved | None) -> None:
        self._recall, self._snapshot, self._term_weights, self._near = recall, snapshot, term_weights, near
        self._defined = subject_of_definition(recall.query)

    def shown(self, screen: Screen) -> Iterator[Shown]:
        """Yield the passages of the screen, note by note, those of a note in file order."""
        rows = screen.rows - PROMPT_ROWS
        if self._recall.strategy is Strategy.SINGLE_STRONG:
            answer = self._recall.answer
            yield from self.quoted(answer, rows - CARD_ROWS, MAX_CARD_PASSAGE_ROWS, screen, fill=True)
            return
        found = self._recall.listed(screen.listed)
        if not found:
            return
        rows -= LIST_ROWS + TITLE_ROWS * len(found)
        opened = len(SHARES[: len(found)])
        while opened > 1 and (rows - opened) * SHARES[opened - 1] < MIN_ROWS:
            opened -= 1
        rows -= opened * (OPENED_ROWS - TITLE_ROWS)
        carried = 0.0
        for ranked, share in zip(found, SHARES[:opened], strict=False):
            space = share / sum(SHARES[:opened]) * rows + carried
            quoted = self.quoted(ranked, int(space), MAX_LIST_PASSAGE_ROWS, screen)
            if rows_of_all(quoted, screen) > int(space):
                # The heading of the first passage takes a row, too.
                quoted = self.quoted(ranked, int(space) - 1, MAX_LIST_PASSAGE_ROWS, screen)
            carried = space - rows_of_all(quoted, screen)
            yield from quoted

    def quoted(
        self, ranked: Ranked, rows: int, passage_rows: int, screen: Screen, most: int = 5, *, fill: bool = False
    ) -> list[Shown]:
        """Return the passages of a note that fit into some rows, in file order."""
        # Imported here, because an answer in plain lines only needs the line of each note.
        from brain_cli.answer.passages import passages

        note = self._note(ranked)
        columns = screen.text_columns
        found = passages(note, self._term_weights, rows, columns, passage_rows, most, fill=fill)
        return [self._as_shown(ranked, each) for each in sorted(found, key=lambda each: each.line)]

    def place(self, ranked: Ranked) -> tuple[int, tuple[str, ...]]:
        """Return the line of a note's best piece and the headings above it, else those of its best section."""
        note = self._note(ranked)
        best = WeighedPieces(note, self._term_weights).best
        section = note.fragments[best.section] if best else ranked.hits[0].fragment
        return best.first if best else section.line, section.trail

    def _as_shown(self, ranked: Ranked, passage: Passage) -> Shown:
        return Shown(
            rank=ranked.rank,
            path=ranked.metadata.path,
            title=ranked.metadata.title,
            heading=passage.heading,
            line=passage.line,
            end_line=passage.end_line,
            text=passage.text,
            code=passage.is_code,
            parts=passage.parts,
            value=passage.value,
            is_whole=passage.is_whole,
        )

    def _note(self, ranked: Ranked) -> NoteToQuote:
        numbers = self._snapshot.numbers_of(ranked.note_id)
        # Only one section of a diary is about the day asked for.
        of_one_day = ranked.date is not None and bool(self._snapshot.note_table.section_dates(ranked.note_id))
        is_whole = is_short(ranked) and len(numbers) <= MAX_SHORT_SECTIONS and not of_one_day
        chosen = {hit.number: hit.fragment for hit in ranked.hits[: 1 if of_one_day else MAX_SECTIONS]}
        for number in numbers if is_whole else numbers[: 0 if of_one_day else 1]:
            if number not in chosen:
                chosen[number] = self._snapshot.index.fragment(number)
        nearest = self._near.line(ranked.note_id) if self._near else 0
        if nearest and (number := self._section_at(numbers, nearest)) not in chosen:
            chosen[number] = self._snapshot.index.fragment(number)
        return NoteToQuote(
            ranked.metadata.title,
            self._snapshot.language(ranked.note_id),
            [chosen[number] for number in sorted(chosen)],
            is_whole=is_whole or len(chosen) == len(numbers),
            nearest=nearest,
            opening=numbers[0] in chosen and self._wants_opening(ranked),
            boilerplate=self._snapshot.note_table.boilerplate,
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
        """Return whether the query is a name of the note, or asks for the definition of what the note is about."""
        if is_named(ranked.metadata, same_name(self._recall.query)):
            return True
        if not self._defined:
            return False
        language, names = self._snapshot.language(ranked.note_id), (ranked.metadata.title, *ranked.metadata.aliases)
        return any(is_about(name, self._defined, language) for name in names)


def is_short(ranked: Ranked) -> bool:
    """Return whether a note is shown whole where it fits."""
    return ranked.metadata.body_chars <= SHORT_NOTE_CHARS


def rows_of_all(passages: Sequence[Shown], screen: Screen) -> int:
    """Return how many rows the passages of a note take, with their headings and the blank rows between them."""
    from brain_cli.answer.passages import rows_of_parts

    texts = sum(rows_of_parts(each.parts, screen.text_columns) + bool(heading_of(each)) for each in passages)
    return texts + max(0, len(passages) - 1)


def heading_of(shown: Shown) -> str:
    """Return the heading to print above a passage; empty if it says no more than the title."""
    heading = shown.heading[-1] if shown.heading else ""
    return "" if heading == shown.title or shown.is_whole else heading
