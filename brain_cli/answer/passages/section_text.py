"""The text of a section, with the properties of its lines that quoting needs; each is computed once, on first use."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from operator import add

from brain_cli.answer.passages.blocks import CODE_SHORTCODE, DELIMITER_ROW, SHORTCODE_END, Line
from brain_cli.types import Fragment
from brain_cli.vault.boilerplate import is_boilerplate
from brain_cli.vault.folding import fold

# A section of megabytes is a log or a table, of which only the beginning is read.
MAX_READ_CHARS = 500_000
# Inside a compound, only parts of at least this many letters count; shorter ones occur in any word.
MIN_PART_LETTERS = 5
_FENCES = ("```", "~~~")
_BEFORE_FENCE = " \t>"
# A line break first, because `re` looks for a plain character at full speed.
_MAYBE_DELIMITER_ROW = re.compile(r"\n[ \t]*(?:\|[ \t]*)?:?-[-:| \t]*$", re.MULTILINE)
_SHORTCODE = "{{"


class SectionText:
    """The lines of a section, by index; `boilerplate` are the hashes of the vault's boilerplate lines."""

    def __init__(self, fragment: Fragment, boilerplate: Container[str] = frozenset()) -> None:
        self.text = fragment.text[:MAX_READ_CHARS]
        self._first_number = fragment.text_line
        self._boilerplate = boilerplate
        self._repeats: dict[int, bool] = {}

    def __len__(self) -> int:
        """Return the size in a cache, in units of about a hundred bytes."""
        return 10 + len(self.text) // 40

    def lines(self, first: int, last: int) -> list[Line]:
        """Return the lines from `first` up to but excluding `last`, with their numbers in the file."""
        texts = self.text[self._starts[first] : self._end(last)].split("\n")
        return [Line(text, number) for number, text in enumerate(texts, self._first_number + first)]

    def count(self) -> int:
        """Return the number of lines."""
        return len(self._starts)

    def folded(self, first: int, last: int) -> str:
        """Return the folded lines from `first` up to but excluding `last`."""
        starts = self._folded_starts
        return self._folded[starts[first] : starts[last] - 1 if last < len(starts) else None]

    def lines_with(self, prefix: str) -> Sequence[int]:
        """Return the lines that contain a prefix; a short one must be at the start of a word."""
        text, found = self._folded, list[int]()
        position = text.find(prefix)
        if position < 0:
            return found
        starts, is_short = self._folded_starts, len(prefix) < MIN_PART_LETTERS
        while position >= 0:
            if is_short and position and text[position - 1].isalnum():
                position = text.find(prefix, position + 1)
                continue
            following = bisect_right(starts, position)
            found.append(following - 1)
            position = text.find(prefix, starts[following]) if following < len(starts) else -1
        return found

    def is_boilerplate(self, index: int) -> bool:
        """Return whether a line is boilerplate."""
        found = self._repeats.get(index)
        if found is None:
            found = self._repeats[index] = is_boilerplate(self._line(index), self._boilerplate)
        return found

    def readable(self, first: int, last: int) -> list[Line]:
        """Return lines preceded by the context they need: a table's head, or the start of code.

        Nothing is returned of a comment.
        """
        start = self._starts[first]
        if "<!--" in self.text and self.text.rfind("<!--", 0, start) > self.text.rfind("-->", 0, start):
            return []
        found = self.lines(first, last)
        if bisect_left(self._fences, first) % 2:
            return [Line("```", found[0].number), *found]
        if opened := self._open_shortcode(first):
            return [Line(opened, found[0].number), *found]
        return [*self.table_head(first), *found]

    def table_head(self, index: int) -> list[Line]:
        """Return the head of the table that a line is in, if it begins further up."""
        row = self._delimiter_row(index)
        return [] if row is None else self.lines(max(0, row - 1), row + 1 if row < index else row)

    def _line(self, index: int) -> str:
        return self.text[self._starts[index] : self._end(index + 1)]

    def _end(self, last: int) -> int | None:
        """Return the position at which the lines before another line end; None for the end of the text."""
        return self._starts[last] - 1 if last < len(self._starts) else None

    @cached_property
    def _starts(self) -> array[int]:
        return _line_starts(self.text)

    @cached_property
    def _folded(self) -> str:
        return self.text.casefold() if self.text.isascii() else _folded_by_lines(self.text)

    @cached_property
    def _folded_starts(self) -> array[int]:
        return self._starts if self.text.isascii() else _line_starts(self._folded)

    @cached_property
    def _fences(self) -> list[int]:
        """The indexes of the lines that begin or end a block of code."""
        found = (index for mark in _FENCES for index in self._lines_having(mark))
        return sorted({index for index in found if self._line(index).lstrip(_BEFORE_FENCE).startswith(_FENCES)})

    @cached_property
    def _shortcodes(self) -> list[int]:
        """The indexes of the lines with a shortcode that begins or ends code."""
        lines = ((index, self._line(index)) for index in self._lines_having(_SHORTCODE))
        return [index for index, line in lines if CODE_SHORTCODE.match(line) or SHORTCODE_END.match(line)]

    @property
    def has_code(self) -> bool:
        """True if a block of code begins or ends in the section."""
        return bool(self._fences or self._shortcodes)

    def _open_shortcode(self, index: int) -> str:
        """Return the line with the shortcode that encloses a line; empty if there is none."""
        above = bisect_left(self._shortcodes, index)
        line = self._line(self._shortcodes[above - 1]) if above else ""
        return line if CODE_SHORTCODE.match(line) else ""

    def _lines_having(self, text: str) -> Iterator[int]:
        """Yield the indexes of the lines that contain a text."""
        position = self.text.find(text)
        while position >= 0:
            following = bisect_right(self._starts, position)
            yield following - 1
            position = self.text.find(text, self._starts[following]) if following < len(self._starts) else -1

    @cached_property
    def _delimiter_rows(self) -> list[int]:
        """The indexes of the rows of dashes below the heads of tables."""
        if "|" not in self.text:
            return []
        found = (bisect_right(self._starts, each.end()) - 1 for each in _MAYBE_DELIMITER_ROW.finditer(self.text))
        return [index for index in found if DELIMITER_ROW.match(self._line(index))]

    def _delimiter_row(self, index: int) -> int | None:
        """Return the index of the row of dashes of the table that a line is in."""
        above = bisect_right(self._delimiter_rows, index)
        if not above:
            return None
        row = self._delimiter_rows[above - 1]
        return row if all("|" in line.text for line in self.lines(row, index + 1)) else None


def _line_starts(text: str) -> array[int]:
    """Return the position at which each line of a text begins."""
    lengths = accumulate(map(len, text.split("\n")[:-1]), initial=0)
    return array("I", map(add, lengths, range(len(text) + 1)))


def _folded_by_lines(text: str) -> str:
    """Return a folded text; only lines with non-ASCII letters take time."""
    return "\n".join((line if line.isascii() else fold(line)).casefold() for line in text.split("\n"))
