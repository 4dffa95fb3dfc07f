"""Select the regions of a long section to read closely: a few lines around those with words of the query.

Only a section of more than `SHORT_CHARS` is cut; its lists, tables and code stay readable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from brain_cli.answer.passages.section_text import SectionText
from brain_cli.answer.passages.term_weights import TermWeights
from brain_cli.answer.passages.windows import NEIGHBOUR_SHARES
from brain_cli.vault.folding import fold

SHORT_CHARS = 600
MAX_LINES = 5
BEFORE = 3
AFTER = 4


class Region(NamedTuple):
    """Some lines of a section, `last` excluded; `most` is an upper bound of the weight of their words."""

    first: int
    last: int
    most: float


def regions(section: SectionText, term_weights: TermWeights) -> list[Region]:
    """Return the regions of a section to quote from: its beginning if no line has a word of the query."""
    return _MatchingLines(section, term_weights).regions()


class _MatchingLines:
    """A section, and the weights of a query's words in its lines."""

    def __init__(self, section: SectionText, term_weights: TermWeights) -> None:
        self._section = section
        self._term_weights = term_weights
        self._weights = term_weights.lines(section)

    def regions(self) -> list[Region]:
        return [Region(first, last, self._upper_bound(first, last)) for first, last in self._spans()]

    def _spans(self) -> Iterator[tuple[int, int]]:
        section = self._section
        if len(section.text) <= SHORT_CHARS:
            yield 0, section.count()
        elif best := self._best_lines():
            for first, last in _neighbourhoods(best):
                yield first, min(last, section.count())
        else:
            yield 0, section.text.count("\n", 0, SHORT_CHARS) + 1

    def _best_lines(self) -> list[int]:
        """Return the indexes, in order, of the lines with the highest weight, without boilerplate."""
        # Sorting is stable: of lines with the same weight, the earlier one comes first.
        best_first = sorted(sorted(self._weights), key=self._weights.__getitem__, reverse=True)
        own = (index for index in best_first if not self._section.is_boilerplate(index))
        return sorted(islice(own, MAX_LINES))

    def _upper_bound(self, first: int, last: int) -> float:
        """Return an upper bound of the weight of a region's words in a window."""
        text = self._own_text(first, last)
        if "|" not in text:
            return self._term_weights.upper_bound(text, NEIGHBOUR_SHARES)
        # Each row of a table is read with the column names, which may be above the region.
        head = "\n".join(fold(line.text).casefold() for line in self._section.table_head(first))
        return self._term_weights.upper_bound(f"{head}\n{text}", NEIGHBOUR_SHARES[-1:])

    def _own_text(self, first: int, last: int) -> str:
        """Return the folded text of a region without its boilerplate; code may be quoted whole, so all of it counts."""
        section, indexes = self._section, range(first, last)
        if section.has_code:
            return section.folded(first, last)
        repeated = {index for index in indexes if index in self._weights and section.is_boilerplate(index)}
        if not repeated:
            return section.folded(first, last)
        return "\n".join(section.folded(index, index + 1) for index in indexes if index not in repeated)


def _neighbourhoods(indexes: Sequence[int]) -> Iterator[tuple[int, int]]:
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
