"""Choose the passages to quote of a note: windows of whole pieces around those that say most about
the query.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from brain_cli.answer.pieces import (
    ANNOUNCING,
    SectionPieces,
    WeighedPieces,
)
from brain_cli.answer.screen_rows import BREAK, ITEM_MARK, display_lines, height, may_break
from brain_cli.answer.sentences import sentences
from brain_cli.types import Fragment, QuotedPart
from brain_cli.vault.blocks import CODE, HEAD, HEADING, ITEM, ROW
from brain_cli.vault.inline_text import breaks_of

# A piece is quoted beside the best one if it is worth at least this share of it.
LEAST_SHARE = 0.3
# The passages are chosen among so many pieces.
MAX_COMPARED = 15
MIN_ROWS = 2
# A code block of which so few lines fit is left out.
MIN_CODE_LINES = 3
# A longer piece is never quoted whole.
MAX_PIECE_CHARS = 8_000
# Pieces of these kinds are printed without blank rows between them.
TIGHT = ({ITEM}, {HEAD, ROW})


class Passage(NamedTuple):
    """A contiguous range of a note's lines: its parts, the headings above it, its value for the
    query, and the line in it that says most about the query.

    A passage that does not end a sentence breaks off within one. `ended` says why a piece of it
    does not hold now, `more_lines` how many lines of code follow that were cut off.
    """

    value: float
    line: int
    end_line: int
    heading: tuple[str, ...]
    parts: tuple[QuotedPart, ...]
    is_whole: bool = False
    ends_sentence: bool = True
    best_line: int = 0
    ended: str = ""
    more_lines: int = 0

    @property
    def text(self) -> str:
        """The lines as they are in the file."""
        return "".join(f"{part.gap}{part.text}" for part in self.parts)

    @property
    def is_code(self) -> bool:
        return all(part.kind == CODE for part in self.parts)

    def rows(self, columns: int) -> int:
        """Return how many rows of a screen it takes."""
        return rows_of_parts(self.parts, columns) + bool(self.more_lines)


def rows_of_parts(parts: Sequence[QuotedPart], columns: int) -> int:
    """Return how many rows of a screen the parts of a passage take."""
    return sum(height(part.kind, part.text, columns) + part.has_blank_row for part in parts)


def first_words(fragment: Fragment) -> str:
    """Return the first line that a reader sees of a section; empty if there is none."""
    lines = (
        line.text
        for each in SectionPieces(fragment)
        if each.is_text
        for line in display_lines(each.kind, each.text)
    )
    return next(filter(None, lines), "")


class Quotation:
    """The passages quoted of one note for a number of columns; they are added one by one, best
    first.
    """

    def __init__(self, pieces: WeighedPieces, columns: int) -> None:
        self._note = pieces.note
        self._pieces = pieces
        self._columns = columns
        self._order = list(islice(filter(self._is_seen, self._pieces.best_first()), MAX_COMPARED))
        self._left = iter(self._order)
        # Each by the index of its best piece, best first.
        self._spans: dict[int, tuple[int, int]] = {}
        self.passages: list[Passage] = []

    @property
    def is_partial(self) -> bool:
        """Whether lines of the note are left out because they do not hold."""
        return self._pieces.is_filtered

    @property
    def rows(self) -> int:
        """The rows that the passages take, with the headings above them."""
        headings = {each.heading for each in self.passages if self._has_heading(each)}
        return sum(each.rows(self._columns) for each in self.passages) + len(headings)

    def add(self, rows: int, passage_rows: int) -> bool:
        """Add the next passage that fits into some more rows; return whether there is one.

        It has at most `passage_rows`, unless its best piece is longer. A short note is added whole.
        """
        if rows < MIN_ROWS or not self._order:
            return False
        if not self.passages and (whole := self._whole(rows)):
            return self._finished(whole)
        most = self.rows + rows
        least = LEAST_SHARE * self._pieces.values[self._order[0]]
        for index in self._left:
            if self.passages and self._pieces.values[index] < least:
                break
            if index in self._taken:
                continue
            space = min(2 * passage_rows, rows - self._has_heading(self._passage(index, index)))
            span = self._window(index, min(space, passage_rows), space)
            if self.passages and self._pieces[span[1]].announces:
                continue
            before = self.passages
            self.passages = self._in_order(span)
            if self.rows <= most and self._passage(*span).rows(self._columns) <= space:
                self._spans[index] = span
                return True
            self.passages = before
            if not before:
                return self._finished(self._cut(index, space))
        return False

    def grow(self, rows: int) -> None:
        """Widen the passages by so many rows together at most, the best one first."""
        most = self.rows + rows
        for index in (*self._spans,):
            own = self._passage(*self._spans.pop(index)).rows(self._columns)
            space = own + most - self.rows
            self._spans[index] = self._window(index, space, space)
            self.passages = self._in_order()
        for number, (first, last) in enumerate(_merged([*self._spans.values()])):
            code = self._beginning_of_code(last + 1, most - self.rows)
            if code:
                before = self._passage(first, last)
                self.passages[number] = before._replace(
                    parts=(*before.parts, code.parts[0]),
                    end_line=code.end_line,
                    more_lines=code.more_lines,
                )

    def _beginning_of_code(self, index: int, rows: int) -> Passage | None:
        """Return the beginning of a code block that goes with the piece before it, if that fits
        into some rows.
        """
        is_code = index < len(self._pieces) and self._pieces[index].kind == CODE
        if not is_code or not self._pieces.are_of_one_section(index - 1, index):
            return None
        each = self._pieces[index]
        ends = [end for _, end in _lines(each.text)]
        # The gap, the fence, and how many lines follow take a row each, at most.
        last = bisect_right(
            ends, rows - 2, key=lambda end: height(CODE, each.text[:end], self._columns)
        )
        if last < MIN_CODE_LINES:
            return None
        return Passage(
            value=0.0,
            line=each.first,
            end_line=each.first + last - 1,
            heading=(),
            parts=(
                QuotedPart(CODE, each.text[: ends[last - 1]], f"\n{each.gap}", "\n" in each.gap),
            ),
            more_lines=_lines_after(each.text, ends[last - 1]),
        )

    def _whole(self, rows: int) -> Passage | None:
        """Return the note as one passage if it is to be shown whole and fits into some rows."""
        if not (self._note.is_whole and self._note.fragments[0].pieces) or self._pieces.is_filtered:
            return None
        seen = [index for index in self._pieces.best_first() if self._is_seen(index)]
        whole = self._passage(min(seen), max(seen))._replace(is_whole=True)
        return whole if whole.rows(self._columns) <= rows else None

    def _finished(self, passage: Passage) -> bool:
        """Quote one passage, to which none is added."""
        self.passages = [passage]
        self._left = iter(())
        return True

    def _in_order(self, *more: tuple[int, int]) -> list[Passage]:
        return [
            _without_announcement(self._passage(*span))
            for span in _merged([*self._spans.values(), *more])
        ]

    @property
    def _taken(self) -> set[int]:
        spans = self._spans.values()
        return {index for first, last in spans for index in range(first, last + 1)}

    def _has_heading(self, passage: Passage) -> bool:
        return (
            bool(passage.heading)
            and not passage.is_whole
            and passage.heading[-1] != self._note.title
        )

    def _window(self, index: int, rows: int, rows_left: int) -> tuple[int, int]:
        """Return the first and the last index of the window around a piece, within its section, in
        so many rows.

        The piece that announces it, or that its pronoun stands for, comes first, then what it
        announces, then what is next to it.
        """
        first = index
        last = index
        taken = self._taken

        def fits(start: int, end: int, rows: int = rows) -> bool:
            if start in taken or end in taken or not self._pieces.are_of_one_section(start, end):
                return False
            if any(
                self._pieces.is_text(each) and not self._pieces.is_own(each)
                for each in (start, end)
            ):
                return False
            return self._passage(start, end).rows(self._columns) <= rows

        is_second = index and (
            self._pieces[index - 1].announces or self._pieces[index].needs_former
        )
        if is_second and fits(first - 1, last):
            first -= 1
        elif self._pieces[index].announces:
            # All items of the list or rows of the table that it announces, as far as they fit.
            while fits(first, last + 1, rows_left) and (
                last == index or self._are_of_one_list(last, last + 1)
            ):
                last += 1
        while True:
            before = first, last
            if fits(first, last + 1):
                last += 1
            if fits(first - 1, last):
                first -= 1
            if (first, last) == before:
                break
        # The last rows of a table say little without its head.
        while first < index and self._pieces[first].kind == ROW != self._pieces[index].kind:
            first += 1
        # What would announce the next piece is left out.
        while last > index and self._pieces[last].announces:
            last -= 1
        return first, last

    def _are_of_one_list(self, one: int, other: int) -> bool:
        return any({self._pieces[one].kind, self._pieces[other].kind} <= kinds for kinds in TIGHT)

    def _is_seen(self, index: int) -> bool:
        """Return whether a piece has a row of text on a screen."""
        return height(*self._pieces[index].shape, self._columns) > 0

    def _passage(self, first: int, last: int) -> Passage:
        best = max(range(first, last + 1), key=self._pieces.values.__getitem__)
        chosen = [self._pieces[index] for index in range(first, last + 1)]
        while len(chosen) > 1 and not (
            chosen[-1].is_text and height(*chosen[-1].shape, self._columns)
        ):
            chosen.pop()
        while (
            len(chosen) > 1
            and chosen[0].kind != HEADING
            and not height(*chosen[0].shape, self._columns)
        ):
            chosen = chosen[1:]
        parts = [QuotedPart(chosen[0].kind, chosen[0].text)]
        for before, each in pairwise(chosen):
            is_list = any({before.kind, each.kind} <= kinds for kinds in TIGHT)
            has_blank_row = (
                "\n" in each.gap and not is_list and height(*each.shape, self._columns) > 0
            )
            parts.append(QuotedPart(each.kind, each.text, f"\n{each.gap}", has_blank_row))
        trail = self._note.fragments[chosen[0].section].trail
        stale = self._pieces.stale
        ended = next((stale[index] for index in range(first, last + 1) if index in stale), "")
        return Passage(
            value=self._pieces.values[best],
            line=chosen[0].first,
            end_line=chosen[-1].last,
            heading=trail,
            parts=tuple(parts),
            best_line=self._pieces[best].first,
            ended=ended,
        )

    def _cut(self, index: int, rows: int) -> Passage:
        """Return the part of a long piece that says most about the query: whole sentences, or lines
        of code.
        """
        each = self._pieces[index]
        text = each.text[:MAX_PIECE_CHARS]
        has_lines = "\n" in text and all(breaks_of(text.split("\n")))
        rows -= each.kind == CODE
        is_by_lines = each.kind == CODE or (has_lines and not sentences(text)[1:])
        spans = _lines(text) if is_by_lines else sentences(text)
        weights = [
            self._pieces.term_weights.of(text[start:end], self._note.language)
            for start, end in spans
        ]
        best = max(range(len(spans)), key=weights.__getitem__)
        first = (
            0
            if each.kind == CODE and height(CODE, text[: spans[best][1]], self._columns) <= rows
            else best
        )
        last = first

        def fits(start: int, end: int) -> bool:
            if start < 0 or end >= len(spans):
                return False
            return (
                height(each.kind, text[spans[start][0] : spans[end][1]].rstrip(), self._columns)
                <= rows
            )

        while fits(first, last + 1):
            last += 1
        while fits(first - 1, last):
            first -= 1
        start = spans[first][0]
        end = spans[last][1]
        chosen = text[start:end].rstrip()
        ends_sentence = height(each.kind, chosen, self._columns) <= rows
        if not ends_sentence:
            chosen = _beginning(chosen, each.kind, rows, self._columns)
        line = each.first + text.count("\n", 0, start)
        trail = self._note.fragments[each.section].trail
        part = QuotedPart(each.kind, chosen)
        last_line = line + chosen.count("\n")
        return Passage(
            value=self._pieces.values[index],
            line=line,
            end_line=last_line,
            heading=trail,
            parts=(part,),
            ends_sentence=ends_sentence,
            best_line=line,
            more_lines=_lines_after(each.text, end) if each.kind == CODE else 0,
        )


def _without_announcement(passage: Passage) -> Passage:
    """Return a passage without a last sentence that announces what is not quoted."""
    *before, last = passage.parts
    spans = sentences(last.text)
    if (
        last.kind in (CODE, HEADING)
        or not last.text.rstrip(" *_\n").endswith(ANNOUNCING)
        or not spans[1:]
    ):
        return passage
    text = last.text[: spans[-1][0]].rstrip()
    end_line = passage.end_line - last.text.count("\n", len(text))
    return passage._replace(parts=(*before, last._replace(text=text)), end_line=end_line)


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges of pieces in order, with those that touch as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if found and found[-1][1] + 1 == first:
            first = found.pop()[0]
        found.append((first, last))
    return found


def _lines_after(code: str, end: int) -> int:
    """Return how many lines of a code block follow a place, without its closing fence."""
    after = code[end:].rstrip().removesuffix("```").removesuffix("~~~").strip("\n")
    return after.count("\n") + 1 if after else 0


def _lines(text: str) -> list[tuple[int, int]]:
    starts = [0, *(index + 1 for index, char in enumerate(text) if char == "\n"), len(text) + 1]
    return [(start, end - 1) for start, end in pairwise(starts)]


def _beginning(text: str, kind: str, rows: int, columns: int) -> str:
    """Return the longest beginning of a sentence, in whole words, that fits into some rows."""
    ends = [at for at in range(1, len(text)) if text[at] == "\n" or may_break(text, at)]
    # The mark of an item is no word.
    ends = ends[ITEM_MARK.match(text) is not None :] or list(range(1, len(text)))
    fitting = bisect_right(
        ends, rows, key=lambda end: height(kind, f"{text[:end]}{BREAK}", columns)
    )
    return text[: ends[max(0, fitting - 1)]]
