"""Select the regions of a long section to read closely: a few lines around those with words of the query.

Only a section of more than `SHORT_CHARS` is cut; its lists, tables and code stay readable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

from brain_cli.answer.passages.blocks import CODE_SHORTCODE, DELIMITER_ROW, SHORTCODE_END, Line
from brain_cli.answer.passages.term_weights import FoldedText, TermWeights
from brain_cli.answer.passages.windows import NEIGHBOUR_SHARES
from brain_cli.late_pattern import late_pattern
from brain_cli.types import Fragment
from brain_cli.vault.boilerplate import is_boilerplate
from brain_cli.vault.folding import fold

SHORT_CHARS = 600
# A section of megabytes is a log or a table, of which only the beginning is read.
MAX_READ_CHARS = 500_000
MAX_LINES = 5
DELIMITERS = "|:- \t"
BEFORE = 3
AFTER = 4
_FENCE = late_pattern("```|~~~")
_FENCE_LINE = late_pattern(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)


class Region(NamedTuple):
    """Consecutive lines of a section, which `lines` returns; `most` is an upper bound of the weight of their words.

    `first` and `last` are their indexes in the section; `last` is excluded, and -1 stands for all lines.
    """

    lines: Callable[[], list[Line]]
    most: float
    first: int = 0
    last: int = -1


def regions(
    fragment: Fragment,
    term_weights: TermWeights,
    folded: Callable[[], FoldedText],
    boilerplate: Container[str] = frozenset(),
) -> list[Region]:
    """Return the regions of a section to quote from: its beginning if no line has a word of the query."""
    return _Section(fragment, folded(), term_weights, boilerplate).regions()


class _Section:
    """The lines of a section and the weights of a query's words in them, computed on demand."""

    def __init__(
        self, fragment: Fragment, folded: FoldedText, term_weights: TermWeights, boilerplate: Container[str]
    ) -> None:
        self._text = fragment.text[:MAX_READ_CHARS]
        self._first_number = fragment.text_line
        self._folded, self._term_weights, self._boilerplate = folded, term_weights, boilerplate
        self._is_boilerplate: dict[int, bool] = {}
        self._delimiter_rows: dict[int, int | None] = {}

    @cached_property
    def _texts(self) -> list[str]:
        return self._text.split("\n")

    @cached_property
    def _has_comments(self) -> bool:
        return "<!--" in self._text

    @cached_property
    def _matching(self) -> Mapping[int, float]:
        return self._term_weights.lines(self._folded)

    def regions(self) -> list[Region]:
        if len(self._text) <= SHORT_CHARS:
            return [Region(lambda: self._lines(0, None), self._upper_bound(0, None))]
        spans = list(_spans(self._best_lines()))
        if not spans:
            last = self._text.count("\n", 0, SHORT_CHARS) + 1
            return [Region(partial(self._lines, 0, last), self._upper_bound(0, last))]
        return [
            Region(partial(self._region, first, last), self._upper_bound(first, last), first, last)
            for first, last in spans
        ]

    def _best_lines(self) -> list[int]:
        """Return the indexes, in order, of the lines with the highest weight, without boilerplate."""
        weights = self._matching
        best_first = sorted(weights, key=lambda index: (-weights[index], index))
        own = (index for index in best_first if not self._is_repeated(index))
        return sorted(islice(own, MAX_LINES))

    def _upper_bound(self, first: int, last: int | None) -> float:
        """Return an upper bound of the weight of a region's words in a window."""
        text = self._own_text(first, last)
        if "|" not in text:
            return self._term_weights.upper_bound(text, NEIGHBOUR_SHARES)
        # Each row of a table is read with the column names, which may be above the region.
        head = "\n".join(fold(line.text).casefold() for line in self._table_head(first))
        return self._term_weights.upper_bound(f"{head}\n{text}", NEIGHBOUR_SHARES[-1:])

    def _own_text(self, first: int, last: int | None) -> str:
        """Return the folded text of a region without its boilerplate."""
        text = self._folded.between(first, last)
        indexes = range(len(self._texts))[first:last] if self._boilerplate else ()
        if any(map(self._is_repeated, filter(self._matching.__contains__, indexes))):
            kept = (index for index in indexes if index not in self._matching or not self._is_repeated(index))
            return "\n".join(self._folded.between(index, index + 1) for index in kept)
        return text

    def _is_repeated(self, index: int) -> bool:
        """Return whether a line is boilerplate."""
        if index not in self._is_boilerplate:
            self._is_boilerplate[index] = is_boilerplate(self._texts[index], self._boilerplate)
        return self._is_boilerplate[index]

    def _lines(self, first: int, last: int | None) -> list[Line]:
        return [Line(text, number) for number, text in enumerate(self._texts[first:last], self._first_number + first)]

    def _region(self, first: int, last: int) -> list[Line]:
        """Return some lines after the line needed to parse them: a table's header or an opening fence."""
        region, end = self._lines(first, last), self._offset(first)
        if self._has_comments and self._text.rfind("<!--", 0, end) > self._text.rfind("-->", 0, end):
            return []
        if _FENCE.search(self._text) and len(_FENCE_LINE.findall(self._text, 0, end)) % 2:
            return [Line("```", region[0].number), *region]
        if opened := _open_shortcode(self._text[:end] if "{{" in self._text else ""):
            return [Line(opened, region[0].number), *region]
        return [*self._table_head(first), *region]

    def _offset(self, index: int) -> int:
        """Return the offset of a line in the text."""
        return sum(map(len, self._texts[:index])) + index

    def _table_head(self, first: int) -> Sequence[Line]:
        """Return the header of the table inside which a region begins."""
        if first not in self._delimiter_rows:
            self._delimiter_rows[first] = self._delimiter_row(first)
        row = self._delimiter_rows[first]
        return [] if row is None else self._lines(max(0, row - 1), row + 1 if row < first else row)

    def _delimiter_row(self, first: int) -> int | None:
        """Return the index of the delimiter row above or at a row of a table."""
        texts = self._texts
        for index in range(first, 0, -1):
            if "|" not in texts[index]:
                return None
            if not texts[index].strip(DELIMITERS) and DELIMITER_ROW.match(texts[index]):
                return index
        return None


def _spans(indexes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of the neighbourhoods of some lines, merging those that touch."""
    first = last = -1
    for index in indexes:
        if index - BEFORE > last and last >= 0:
            yield first, last
            first = last = -1
        first = index - BEFORE if first < 0 else first
        first, last = max(0, first), index + AFTER
    if last >= 0:
        yield first, last


def _open_shortcode(before: str) -> str:
    """Return the shortcode around the code inside which a region begins; empty if there is none."""
    if "{{" not in before:
        return ""
    lines = [line for line in before.split("\n") if CODE_SHORTCODE.match(line) or SHORTCODE_END.match(line)]
    return lines[-1] if lines and CODE_SHORTCODE.match(lines[-1]) else ""
