"""Find the blocks of an excerpt that need their head: code its fence, a table its columns, a callout its first line.

Without it the rest of the block reads as one paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence

from brain_cli.answer.passages.blocks import DELIMITER_ROW
from brain_cli.vault.boilerplate import is_boilerplate

FENCES = ("```", "~~~")
_QUOTE_MARKS = re.compile(r"[ \t]*(?:>[ \t]?)*")
_CALLOUT = re.compile(r"[ \t]*>[ \t>]*\[![\w-]+\]")


def repeated_lines(lines: Sequence[str], boilerplate: Container[str]) -> set[int]:
    """Return the indexes of the boilerplate lines; a block is boilerplate as a whole or not at all."""
    repeated = {index for index, line in enumerate(lines) if is_boilerplate(line, boilerplate)}
    for block in _blocks(lines) if repeated else ():
        says = {index for index in block if not _is_structure(lines, index, block)}
        repeated = repeated | set(block) if says <= repeated else repeated - set(block)
    return repeated


def head_of_block(lines: Sequence[str], index: int) -> range:
    """Return the indexes of the head of the block that a line stands in; empty if it begins a block or is in none."""
    block = next((block for block in _blocks(lines) if block[0] < index <= block[-1]), None)
    if block is None:
        return range(0)
    rows = 2 if _is_table_head(lines, block[0]) else 1
    return range(block[0], min(block[0] + rows, index))


def fence_of(line: str) -> str:
    """Return the marks of a fence with which a line begins or ends code, in a quotation as well; else nothing."""
    bare = _without_quote_marks(line)
    return next((mark for mark in FENCES if bare.startswith(mark)), "")


def _blocks(lines: Sequence[str]) -> Iterator[range]:
    """Yield the indexes of each block of code, table and callout."""
    index = 0
    while index < len(lines):
        end = max(_end_of_code(lines, index), _end_of_table(lines, index), _end_of_callout(lines, index))
        if end > index:
            yield range(index, end)
        index = max(end, index + 1)


def _end_of_code(lines: Sequence[str], first: int) -> int:
    """Return the index after the code that begins at a line, 0 where none does; code without an end is open to it."""
    mark = fence_of(lines[first])
    if not mark:
        return 0
    return min(len(lines), 1 + _first(lambda line: fence_of(line) == mark, lines, first + 1))


def _end_of_table(lines: Sequence[str], first: int) -> int:
    """Return the index after the table whose head is at a line, 0 where there is none."""
    if not _is_table_head(lines, first):
        return 0
    return _first(lambda line: "|" not in line, lines, first)


def _end_of_callout(lines: Sequence[str], first: int) -> int:
    """Return the index after the callout that begins at a line, 0 where none does."""
    if not _CALLOUT.match(lines[first]):
        return 0
    return _first(lambda line: not line.lstrip().startswith(">"), lines, first)


def _first(is_wanted: Callable[[str], bool], lines: Sequence[str], start: int) -> int:
    """Return the index of the first wanted line from an index on; without one, the index after all lines."""
    return next((index for index in range(start, len(lines)) if is_wanted(lines[index])), len(lines))


def _is_structure(lines: Sequence[str], index: int, block: range) -> bool:
    """Return whether a line of a block only shapes it: a head, a fence, a row of dashes, a blank line."""
    bare = _without_quote_marks(lines[index])
    is_head = index == block[0] and (_is_table_head(lines, index) or bool(_CALLOUT.match(lines[index])))
    return is_head or not bare or bool(fence_of(bare)) or _is_delimiter_row(bare)


def _is_table_head(lines: Sequence[str], index: int) -> bool:
    return "|" in lines[index] and index + 1 < len(lines) and _is_delimiter_row(lines[index + 1])


def _is_delimiter_row(line: str) -> bool:
    return "|" in line and bool(DELIMITER_ROW.match(_without_quote_marks(line)))


def _without_quote_marks(line: str) -> str:
    marks = _QUOTE_MARKS.match(line)
    return line[marks.end() :].strip() if marks else line.strip()
