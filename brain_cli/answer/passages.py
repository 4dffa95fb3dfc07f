"""Choose the passages to quote of a note: windows of whole pieces around those that say most about the query."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from brain_cli.answer.pieces import NoteToQuote, SectionPieces, WeighedPieces
from brain_cli.answer.screen_rows import display_lines, height
from brain_cli.answer.sentences import sentences
from brain_cli.answer.term_weights import TermWeights
from brain_cli.types import Fragment, QuotedPart
from brain_cli.vault.blocks import CODE, HEAD, HEADING, ITEM, ROW

# A piece is quoted beside the best one if it is worth at least this share of it.
LEAST_SHARE = 0.3
MAX_PASSAGES = 5
# The passages are chosen among so many pieces.
MAX_COMPARED = 15
MIN_ROWS = 2
# What a sentence announces is quoted with it if both take at most so many rows.
ANNOUNCED_ROWS = 14
# A longer piece is never quoted whole.
MAX_PIECE_CHARS = 8_000
# Pieces of these kinds are printed without blank rows between them.
TIGHT = ({ITEM}, {HEAD, ROW})
_SPACE = re.compile(r"\s+")


class Passage(NamedTuple):
    """A contiguous range of a note's lines: its parts, the headings above it, and its value for the query."""

    value: float
    line: int
    end_line: int
    heading: tuple[str, ...]
    parts: tuple[QuotedPart, ...]
    is_whole: bool = False

    @property
    def text(self) -> str:
        """The lines as they are in the file."""
        return "".join(f"{part.gap}{part.text}" for part in self.parts)

    @property
    def is_code(self) -> bool:
        return all(part.kind == CODE for part in self.parts)

    def rows(self, columns: int) -> int:
        """Return how many rows of a screen it takes."""
        return rows_of_parts(self.parts, columns)


def rows_of_parts(parts: Sequence[QuotedPart], columns: int) -> int:
    """Return how many rows of a screen the parts of a passage take."""
    return sum(height(part.kind, part.text, columns) + part.has_blank_row for part in parts)


def passages(
    note: NoteToQuote,
    term_weights: TermWeights,
    rows: int,
    columns: int,
    passage_rows: int,
    most: int = MAX_PASSAGES,
    *,
    fill: bool = False,
) -> list[Passage]:
    """Return the passages of a note that fit together into some rows, best first; a short note is quoted whole.

    A passage has at most `passage_rows`, unless its best piece is longer. With `fill`, the best one grows into the rows
    that are left.
    """
    return _Chooser(note, term_weights, columns).chosen(rows, passage_rows, most, fill=fill)


def first_words(fragment: Fragment) -> str:
    """Return the first line that a reader sees of a section; empty if there is none."""
    lines = (
        line.text for each in SectionPieces(fragment) if each.is_text for line in display_lines(each.kind, each.text)
    )
    return next(filter(None, lines), "")


class _Chooser:
    """Chooses passages of one note for a number of columns."""

    def __init__(self, note: NoteToQuote, term_weights: TermWeights, columns: int) -> None:
        self._note, self._term_weights, self._columns = note, term_weights, columns
        self._pieces = WeighedPieces(note, term_weights)
        best_first = filter(self._is_seen, self._pieces.best_first())
        self._order = list(best_first if note.is_whole else islice(best_first, MAX_COMPARED))

    def chosen(self, rows: int, passage_rows: int, most: int, *, fill: bool) -> list[Passage]:
        if not self._order or rows < MIN_ROWS:
            return []
        is_whole = self._note.is_whole and self._note.fragments[0].pieces
        if is_whole and (whole := self._whole()).rows(self._columns) <= rows:
            return [whole]
        spans: list[tuple[int, int]] = []
        taken: set[int] = set()
        least = LEAST_SHARE * self._pieces.values[self._order[0]]
        for index in self._order:
            if rows < MIN_ROWS or len(spans) == most or (spans and self._pieces.values[index] < least):
                break
            if index in taken:
                continue
            span = self._window(index, min(rows, passage_rows), rows, taken)
            used = self._passage(*span).rows(self._columns)
            if used > rows:
                if spans:
                    continue
                return [self._cut(index, rows)]
            if spans and self._pieces[span[1]].announces:
                continue
            spans.append(span)
            taken.update(range(span[0], span[1] + 1))
            # Between two passages is a blank row, and often a heading.
            rows -= used + 2
        if fill and rows > MIN_ROWS:
            first, last = spans[0]
            rows += self._passage(first, last).rows(self._columns)
            spans[0] = self._window(self._order[0], rows, rows, taken - set(range(first, last + 1)))
        return sorted((self._passage(*span) for span in _merged(spans)), key=lambda passage: -passage.value)

    def _whole(self) -> Passage:
        """Return the note from its first text on: its title is printed above it."""
        return self._passage(min(self._order), max(self._order))._replace(is_whole=True)

    def _window(self, index: int, rows: int, rows_left: int, taken: Collection[int]) -> tuple[int, int]:
        """Return the first and the last index of the window around a piece, within its section, in so many rows.

        The sentence that announces the piece comes first, then what the piece announces, then what is next to it.
        """
        first = last = index
        announced_rows = max(rows, min(rows_left, ANNOUNCED_ROWS))

        def fits(start: int, end: int, rows: int = rows) -> bool:
            if start in taken or end in taken or not self._pieces.are_of_one_section(start, end):
                return False
            if any(self._pieces.is_text(each) and not self._pieces.is_own(each) for each in (start, end)):
                return False
            return self._passage(start, end).rows(self._columns) <= rows

        if index and self._pieces[index - 1].announces and fits(first - 1, last):
            first -= 1
        elif self._pieces[index].announces:
            last += fits(first, last + 1, announced_rows)
        while True:
            before = first, last
            if fits(first, last + 1):
                last += 1
            if fits(first - 1, last):
                first -= 1
            if (first, last) == before:
                break
        # What would announce the next piece is left out.
        while last > index and self._pieces[last].announces:
            last -= 1
        return first, last

    def _is_seen(self, index: int) -> bool:
        """Return whether a piece has a row of text on a screen."""
        return height(*self._pieces[index].shape, self._columns) > 0

    def _passage(self, first: int, last: int) -> Passage:
        value = max(self._pieces.values[first : last + 1])
        chosen = [self._pieces[index] for index in range(first, last + 1)]
        while len(chosen) > 1 and not (chosen[-1].is_text and height(*chosen[-1].shape, self._columns)):
            chosen.pop()
        while len(chosen) > 1 and chosen[0].kind != HEADING and not height(*chosen[0].shape, self._columns):
            chosen = chosen[1:]
        parts = [QuotedPart(chosen[0].kind, chosen[0].text)]
        for before, each in pairwise(chosen):
            is_list = any({before.kind, each.kind} <= kinds for kinds in TIGHT)
            has_blank_row = "\n" in each.gap and not is_list and height(*each.shape, self._columns) > 0
            parts.append(QuotedPart(each.kind, each.text, f"\n{each.gap}", has_blank_row))
        trail = self._note.fragments[chosen[0].section].trail
        return Passage(value, chosen[0].first, chosen[-1].last, trail, tuple(parts))

    def _cut(self, index: int, rows: int) -> Passage:
        """Return the part of a long piece that says most about the query: whole sentences, or lines of code."""
        each = self._pieces[index]
        text = each.text[:MAX_PIECE_CHARS]
        is_by_lines = each.kind == CODE or ("\n" in text and not sentences(text)[1:])
        spans = _lines(text) if is_by_lines else sentences(text)
        weights = [self._term_weights.of(text[start:end], self._note.language) for start, end in spans]
        best = max(range(len(spans)), key=weights.__getitem__)
        first = 0 if each.kind == CODE and height(CODE, text[: spans[best][1]], self._columns) <= rows else best
        last = first

        def fits(start: int, end: int) -> bool:
            if start < 0 or end >= len(spans):
                return False
            return height(each.kind, text[spans[start][0] : spans[end][1]].rstrip(), self._columns) <= rows

        while fits(first, last + 1):
            last += 1
        while fits(first - 1, last):
            first -= 1
        start, end = spans[first][0], spans[last][1]
        chosen = text[start:end].rstrip()
        if height(each.kind, chosen, self._columns) > rows:
            chosen = _beginning(chosen, each.kind, rows, self._columns)
        line = each.first + text.count("\n", 0, start)
        trail = self._note.fragments[each.section].trail
        part = QuotedPart(each.kind, chosen)
        return Passage(self._pieces.values[index], line, line + chosen.count("\n"), trail, (part,))


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges of pieces in order, with those that touch as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if found and found[-1][1] + 1 == first:
            first = found.pop()[0]
        found.append((first, last))
    return found


def _lines(text: str) -> list[tuple[int, int]]:
    starts = [0, *(index + 1 for index, char in enumerate(text) if char == "\n"), len(text) + 1]
    return [(start, end - 1) for start, end in pairwise(starts)]


def _beginning(text: str, kind: str, rows: int, columns: int) -> str:
    """Return the longest beginning of a sentence, in whole words, that fits into some rows."""
    ends = [match.start() for match in _SPACE.finditer(text)] or list(range(1, len(text)))
    fitting = bisect_right(ends, rows, key=lambda end: height(kind, text[:end], columns))
    return text[: ends[max(0, fitting - 1)]]
