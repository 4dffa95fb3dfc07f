"""Choose the passages to quote of a note: windows of whole pieces around those that say most about
the query.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice, pairwise

from brain_cli.answer.pieces import (
    ANNOUNCING,
    NoteToQuote,
    Quotable,
    TermWeights,
    WeighedPieces,
    pieces_of,
)
from brain_cli.answer.screen_rows import BREAK, ITEM_MARK, display_lines, height, may_break
from brain_cli.answer.sentences import sentences
from brain_cli.types import USUAL_SCREEN, Fragment, QuotedPart, Shown
from brain_cli.vault.blocks import CODE, HEAD, HEADING, ITEM, ROW
from brain_cli.vault.inline_text import breaks_of

# A piece is quoted beside the best one if it is worth at least this share of it.
LEAST_SHARE = 0.3
# The passages are chosen among so many pieces.
MAX_QUOTABLE = 15
MIN_ROWS = 2
# A code block of which so few lines fit is left out.
MIN_CODE_LINES = 3
# A longer piece is never quoted whole.
MAX_PIECE_CHARS = 8_000
# The rows of the beginning of a note that an editor shows beside a link to it.
BEGINNING_ROWS = 24
# Pieces of these kinds are printed without blank rows between them.
TIGHT = ({ITEM}, {HEAD, ROW})


def first_words(fragment: Fragment) -> str:
    """Return the first line that a reader sees of a section; empty if there is none."""
    lines = (
        line.text
        for each in pieces_of(fragment)
        if each.is_text
        for line in display_lines(each.kind, each.text)
    )
    return next(filter(None, lines), "")


def beginning(title: str, fragments: Sequence[Fragment]) -> str:
    """Return the first pieces of some sections of a note: all if a card has room for them."""
    note = NoteToQuote(title, "", fragments, is_whole=True, opening=True)
    quotation = Quotation(WeighedPieces(note, TermWeights({})), USUAL_SCREEN.text_columns)
    quotation.add(BEGINNING_ROWS, BEGINNING_ROWS // 2)
    return "\n\n".join(passage.text for passage in quotation.passages)


class Quotation:
    """The passages quoted of one note for a number of columns; they are added one by one, best
    first.
    """

    def __init__(self, pieces: WeighedPieces, columns: int) -> None:
        self._note = pieces.note
        self._pieces = pieces
        self._columns = columns
        # The indexes of the pieces that may be quoted, best first; each is tried once.
        seen = filter(self._is_seen, pieces.best_first())
        self._candidates = list(islice(seen, MAX_QUOTABLE))
        self._untried = iter(self._candidates)
        # The first and last piece of each passage, by its best piece, best first.
        self._spans: dict[int, tuple[int, int]] = {}
        self.passages: list[Shown] = []

    @property
    def is_partial(self) -> bool:
        """Return whether lines of the note are omitted because they do not hold."""
        return self._pieces.is_filtered

    @property
    def rows(self) -> int:
        """The rows that the passages take, with the headings above them."""
        headings = {each.heading for each in self.passages if self._has_heading(each)}
        return sum(self._height(each) for each in self.passages) + len(headings)

    def add(self, rows: int, passage_rows: int) -> bool:
        """Add the next passage that fits into some more rows; return whether there is one.

        It has at most `passage_rows`, unless its best piece is longer. A short note is added whole.
        """
        if rows < MIN_ROWS or not self._candidates:
            return False
        if not self.passages and (whole := self._whole(rows)):
            return self._finished(whole)
        most = self.rows + rows
        least = LEAST_SHARE * self._pieces.values[self._candidates[0]]
        for index in self._untried:
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
            if self.rows <= most and self._height(self._passage(*span)) <= space:
                self._spans[index] = span
                return True
            self.passages = before
            if not before:
                return self._finished(self._cut(index, space))
        return False

    def grow(self, rows: int) -> None:
        """Widen the passages, the best one first, by at most `rows` rows in all."""
        most = self.rows + rows
        for index in (*self._spans,):
            own = self._height(self._passage(*self._spans.pop(index)))
            space = own + most - self.rows
            self._spans[index] = self._window(index, space, space)
            self.passages = self._in_order()

        for number, (first, last) in enumerate(_merged([*self._spans.values()])):
            code = self._beginning_of_code(last + 1, most - self.rows)
            if code:
                before = self._passage(first, last)
                self.passages[number] = before._replace(
                    parts=(*before.parts, *code.parts),
                    end_line=code.end_line,
                    more_lines=code.more_lines,
                )

    def _beginning_of_code(self, index: int, rows: int) -> Shown | None:
        """Return the beginning of a code block that goes with the piece before it, if that fits
        into some rows.
        """
        if not self._pieces.are_of_one_section(index - 1, index):
            return None
        each = self._pieces[index]
        ends = [end for _, end in _lines(each.text)]
        # The gap, the fence, and how many lines follow take a row each, at most.
        last = bisect_right(
            ends, rows - 2, key=lambda end: height(CODE, each.text[:end], self._columns)
        )
        if each.kind != CODE or last < MIN_CODE_LINES:
            return None
        end = ends[last - 1]
        part = QuotedPart(CODE, each.text[:end], f"\n{each.gap}", "\n" in each.gap)
        return Shown(
            line=each.first,
            end_line=each.first + last - 1,
            heading=(),
            parts=(part,),
            more_lines=_lines_after(each.text, end),
        )

    def _whole(self, rows: int) -> Shown | None:
        """Return the note as one passage if it is to be shown whole and fits into some rows."""
        if (
            not (self._note.is_whole and self._note.fragments[0].pieces)
            or self._pieces.is_filtered
        ):
            return None
        seen = [index for index in self._pieces.best_first() if self._is_seen(index)]
        whole = self._passage(min(seen), max(seen))._replace(is_whole=True)
        return whole if self._height(whole) + self._has_heading(whole) <= rows else None

    def _finished(self, passage: Shown) -> bool:
        """Quote this passage alone, and try no other; return True."""
        self.passages = [passage]
        self._untried = iter(())
        return True

    def _in_order(self, *more: tuple[int, int]) -> list[Shown]:
        return [
            _without_announcement(self._passage(*span))
            for span in _merged([*self._spans.values(), *more])
        ]

    @property
    def _taken(self) -> set[int]:
        spans = self._spans.values()
        return {index for first, last in spans for index in range(first, last + 1)}

    def _height(self, passage: Shown) -> int:
        rows = (
            height(part.kind, part.text, self._columns) + part.has_blank_row
            for part in passage.parts
        )
        return sum(rows) + bool(passage.more_lines)

    def _has_heading(self, passage: Shown) -> bool:
        return bool(passage.heading) and passage.heading[-1] != self._note.title

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
            if (
                start in taken
                or end in taken
                or not self._pieces.are_of_one_section(start, end)
            ):
                return False
            if any(
                self._pieces[each].is_text and not self._pieces.is_own(each)
                for each in (start, end)
            ):
                return False
            return self._height(self._passage(start, end)) <= rows

        is_second = index and (
            self._pieces[index - 1].announces or self._pieces[index].needs_former
        )
        if is_second and fits(first - 1, last):
            first -= 1
        elif self._pieces[index].announces:
            # All items of the list or rows of the table that it announces, as far as they fit.
            while fits(first, last + 1, rows_left) and (
                last == index or _are_of_one_list(self._pieces[last], self._pieces[last + 1])
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

    def _is_seen(self, index: int) -> bool:
        """Return whether a piece has a row of text on a screen."""
        return self._rows(self._pieces[index]) > 0

    def _passage(self, first: int, last: int) -> Shown:
        indexes = range(first, last + 1)
        best = max(indexes, key=self._pieces.values.__getitem__)
        chosen = [self._pieces[index] for index in indexes]
        while len(chosen) > 1 and not (chosen[-1].is_text and self._rows(chosen[-1])):
            chosen.pop()
        while len(chosen) > 1 and chosen[0].kind != HEADING and not self._rows(chosen[0]):
            chosen = chosen[1:]
        parts = [QuotedPart(chosen[0].kind, chosen[0].text)]
        for before, each in pairwise(chosen):
            has_blank_row = (
                "\n" in each.gap and not _are_of_one_list(before, each) and self._rows(each) > 0
            )
            parts.append(QuotedPart(each.kind, each.text, f"\n{each.gap}", has_blank_row))
        return Shown(
            line=chosen[0].first,
            end_line=chosen[-1].last,
            heading=self._note.fragments[chosen[0].section].trail,
            parts=tuple(parts),
            value=self._pieces.values[best],
            best_line=self._pieces[best].first,
            ended=next(filter(None, map(self._pieces.stale.get, indexes)), ""),
        )

    def _rows(self, piece: Quotable) -> int:
        return height(piece.kind, piece.text, self._columns)

    def _cut(self, index: int, rows: int) -> Shown:
        """Return the part of a long piece that says most about the query: whole sentences, or lines
        of code.
        """
        each = self._pieces[index]
        text = each.text[:MAX_PIECE_CHARS]
        has_lines = "\n" in text and all(breaks_of(text.split("\n")))
        rows -= each.kind == CODE
        is_by_lines = each.kind == CODE or (has_lines and not sentences(text)[1:])
        spans = _lines(text) if is_by_lines else sentences(text)

        def weight(span: tuple[int, int]) -> float:
            return self._pieces.term_weights.of(text[slice(*span)], self._note.language)

        def fits(start: int, end: int) -> bool:
            if start < 0 or end >= len(spans):
                return False
            cut = text[spans[start][0] : spans[end][1]].rstrip()
            return height(each.kind, cut, self._columns) <= rows

        best = max(range(len(spans)), key=lambda index: weight(spans[index]))
        first = 0 if each.kind == CODE and fits(0, best) else best
        last = first
        while fits(first, last + 1):
            last += 1
        while fits(first - 1, last):
            first -= 1
        start = spans[first][0]
        end = spans[last][1]
        chosen = text[start:end].rstrip()
        ends_sentence = fits(first, last)
        if not ends_sentence:
            chosen = _beginning(chosen, each.kind, rows, self._columns)
        line = each.first + text.count("\n", 0, start)
        return Shown(
            line=line,
            end_line=line + chosen.count("\n"),
            heading=self._note.fragments[each.section].trail,
            parts=(QuotedPart(each.kind, chosen),),
            value=self._pieces.values[index],
            ends_sentence=ends_sentence,
            best_line=each.first,
            more_lines=_lines_after(each.text, end) if each.kind == CODE else 0,
        )


def _are_of_one_list(one: Quotable, other: Quotable) -> bool:
    return any({one.kind, other.kind} <= kinds for kinds in TIGHT)


def _without_announcement(passage: Shown) -> Shown:
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
