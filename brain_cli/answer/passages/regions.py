"""A long section → the stretches that are worth reading closely: a few lines around those with words of the query.

Only a section of more than `SHORT_CHARS` is cut; its lists, tables and code stay readable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from heapq import nsmallest
from math import inf
from typing import NamedTuple

from brain_cli.answer.passages.blocks import CODE_SHORTCODE, DELIMITER_ROW, SHORTCODE_END, Line
from brain_cli.answer.passages.term_weights import FoldedText, TermWeights
from brain_cli.late_pattern import late_pattern
from brain_cli.types import Fragment

SHORT_CHARS = 600
# A section of megabytes is a log or a table: what is worth quoting stands near its beginning.
MOST_READ_CHARS = 500_000
MOST_LINES = 5
BEFORE = 3
AFTER = 4
_FENCE_LINE = late_pattern(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)


class Region(NamedTuple):
    """A stretch of a section: `lines` makes its lines, `most` is at least what the words of any part are worth.

    `first` and `last` are the places of its lines in the section; `last` is excluded, and -1 means that they are all.
    """

    lines: Callable[[], list[Line]]
    most: float
    first: int = 0
    last: int = -1


def regions(fragment: Fragment, term_weights: TermWeights, folded: Callable[[], FoldedText]) -> list[Region]:
    """Return the stretches of a section to quote from; its beginning where no line has a word of the query."""
    lines, text = _Lines(fragment), folded()
    if len(fragment.text) <= SHORT_CHARS:
        return [Region(partial(lines.__getitem__, slice(None)), term_weights.upper_bound(text.text))]
    stretches = list(_stretches(_matching(term_weights.lines(text))))
    if not stretches:
        return [Region(lambda: list(_first(lines[:], SHORT_CHARS)), 0.0)]
    return [
        Region(partial(_region, lines, first, last), _most(lines, first, last, text, term_weights), first, last)
        for first, last in stretches
    ]


def _most(lines: _Lines, first: int, last: int, text: FoldedText, term_weights: TermWeights) -> float:
    # The rows of a table are read with its head, which may stand further up.
    return inf if "|" in lines.text(first) else term_weights.upper_bound(text.between(first, last))


class _Lines:
    """The lines of a section, numbered as in its file; only those that are asked for are made."""

    def __init__(self, fragment: Fragment) -> None:
        self._texts = fragment.text[:MOST_READ_CHARS].split("\n")
        self._first = fragment.text_line

    def __getitem__(self, places: slice) -> list[Line]:
        start = places.indices(len(self._texts))[0]
        return [Line(text, number) for number, text in enumerate(self._texts[places], start=self._first + start)]

    def text(self, place: int) -> str:
        return self._texts[place]

    def before(self, place: int) -> str:
        return "\n".join(self._texts[:place])


def _first(lines: Sequence[Line], chars: int) -> Iterator[Line]:
    for line in lines:
        yield line
        chars -= len(line.text)
        if chars <= 0:
            return


def _matching(term_weights: Mapping[int, float]) -> list[int]:
    """Return the places of the lines that say most about the query, in order."""
    return sorted(nsmallest(MOST_LINES, term_weights, key=lambda place: (-term_weights[place], place)))


def _stretches(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where the neighbourhoods of some lines begin and end; those that touch are one."""
    first = last = -1
    for place in places:
        if place - BEFORE > last and last >= 0:
            yield first, last
            first = last = -1
        first = place - BEFORE if first < 0 else first
        first, last = max(0, first), place + AFTER
    if last >= 0:
        yield first, last


def _region(lines: _Lines, first: int, last: int) -> list[Line]:
    """Return some lines of a section, with what tells how they are to be read: a table's head, or the begin of code."""
    before = lines.before(first)
    if before.rfind("<!--") > before.rfind("-->"):
        return []
    region = lines[first:last]
    if ("```" in before or "~~~" in before) and len(_FENCE_LINE.findall(before)) % 2:
        return [Line("```", region[0].number), *region]
    if opened := _open_shortcode(before):
        return [Line(opened, region[0].number), *region]
    return [*_table_head(lines, first), *region]


def _open_shortcode(before: str) -> str:
    """Return the shortcode around code in whose middle a region begins; empty where it begins in none."""
    if "{{" not in before:
        return ""
    lines = [line for line in before.split("\n") if CODE_SHORTCODE.match(line) or SHORTCODE_END.match(line)]
    return lines[-1] if lines and CODE_SHORTCODE.match(lines[-1]) else ""


def _table_head(lines: _Lines, first: int) -> Sequence[Line]:
    """Return the head of the table in whose middle a region begins."""
    place = first
    while place and "|" in lines.text(place):
        if "-" in lines.text(place) and DELIMITER_ROW.match(lines.text(place)):
            return lines[max(0, place - 1) : place + 1] if place < first else lines[max(0, place - 1) : place]
        place -= 1
    return []
