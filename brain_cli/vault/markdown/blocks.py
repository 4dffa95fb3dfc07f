"""The blocks that the readers of markdown return."""

from __future__ import annotations

from typing import NamedTuple


class Heading(NamedTuple):
    """A heading's words and level (1..6); `start` and `end` are its lines in the body, from 0, end excluded."""

    text: str
    level: int
    start: int
    end: int


class Blocks(NamedTuple):
    """The headings of a body, the number of its list items, and the lines that are code."""

    headings: tuple[Heading, ...]
    list_items: int
    code_lines: frozenset[int]
