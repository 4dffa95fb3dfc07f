"""A long section → the stretches that are worth reading closely: a few lines around those with words of the query.

Only a section of more than a thousand characters is cut; its lists, tables and code stay readable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from brain_cli.answer.passages.blocks import DELIMITER_ROW, Line
from brain_cli.answer.passages.worths import Worths
from brain_cli.types import Fragment
from brain_cli.vault.folding import fold

SHORT_CHARS = 1_000
# A section of megabytes is a log or a table: what is worth quoting stands near its beginning.
MOST_READ_CHARS = 200_000
MOST_LINES = 8
BEFORE = 4
AFTER = 5
_FENCE_LINE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)


def regions(fragment: Fragment, worths: Worths) -> list[list[Line]]:
    """Return the stretches of a section to quote from; its beginning where no line has a word of the query."""
    text = fragment.text[:MOST_READ_CHARS]
    lines = [Line(line, number) for number, line in enumerate(text.split("\n"), start=fragment.text_line)]
    if len(text) <= SHORT_CHARS:
        return [lines]
    stretches = list(_stretches(_matching(text, worths)))
    if not stretches:
        return [list(_first(lines, SHORT_CHARS))]
    return [region for first, last in stretches if (region := _region(lines, first, last))]


def _first(lines: Sequence[Line], chars: int) -> Iterator[Line]:
    for line in lines:
        yield line
        chars -= len(line.text)
        if chars <= 0:
            return


def _matching(text: str, worths: Worths) -> list[int]:
    """Return the places of the lines that say most about the query, in order."""
    found = [(-worth, place) for place, worth in worths.lines(fold(text).casefold())]
    return sorted(place for _, place in sorted(found)[:MOST_LINES])


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


def _region(lines: Sequence[Line], first: int, last: int) -> list[Line]:
    """Return some lines of a section, with what tells how they are to be read: a table's head, or the begin of code."""
    before = "\n".join(line.text for line in lines[:first])
    if before.rfind("<!--") > before.rfind("-->"):
        return []
    region = list(lines[first:last])
    if len(_FENCE_LINE.findall(before)) % 2:
        return [Line("```", lines[first].number), *region]
    return [*_table_head(lines, first), *region]


def _table_head(lines: Sequence[Line], first: int) -> Sequence[Line]:
    """Return the head of the table in whose middle a region begins."""
    place = first
    while place and "|" in lines[place].text:
        if DELIMITER_ROW.match(lines[place].text):
            return lines[max(0, place - 1) : place + 1] if place < first else lines[max(0, place - 1) : place]
        place -= 1
    return []
