"""Split the body of a note into sections at its top-level headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from brain_cli.types import Fragment
from brain_cli.vault.markdown import Heading, read_blocks

# Every section repeats the headings above it, so a long heading over many sections would fill the index.
MAX_TRAIL_CHARS = 200
# A span ends with as many backticks as it begins with. Their number is bounded, to bound the search for the end.
_CODE_SPAN = re.compile(r"(?<![`\\])(`{1,9})(?!`)[^\r\n]*?(?<!`)\1(?!`)")
_VISIBLE = re.compile(r"[^\r\n]")


class Outline(NamedTuple):
    """The outline of a body: its fragments, all headings, list items, and the lines that are code."""

    fragments: tuple[Fragment, ...]
    headings: tuple[Heading, ...]
    list_items: int
    code_lines: frozenset[int]


def outline(body: str, first_line: int) -> Outline:
    """Split a body into fragments; it begins on line `first_line` of the file, counted from 1."""
    blocks = read_blocks(body)
    return Outline(tuple(_fragments(body.split("\n"), blocks.headings, first_line)), *blocks)


def _fragments(lines: list[str], headings: tuple[Heading, ...], first_line: int) -> Iterator[Fragment]:
    starts = [Heading("", 0, 0, 0), *headings]
    ends = [heading.start for heading in headings] + [len(lines)]
    trail: list[Heading] = []
    for heading, end in zip(starts, ends, strict=True):
        while trail and trail[-1].level >= heading.level:
            trail.pop()
        trail.append(heading)
        first = next((number for number in range(heading.end, end) if lines[number].strip()), None)
        if first is not None:
            text_line = first_line + first
            line = first_line + heading.start if heading.level else text_line
            text = "\n".join(lines[first:end]).rstrip()
            yield Fragment(tuple(h.text[:MAX_TRAIL_CHARS] for h in trail if h.text), text, line, text_line)


def prose(lines: Iterable[str], code_lines: frozenset[int]) -> str:
    """Return the lines of a body as one text with code replaced by blanks: `[[ -f x ]]` in a script is not a link.

    The lines include their line ends, and every other character keeps its offset.
    """
    shown = (_blank(line) if number in code_lines else line for number, line in enumerate(lines))
    return _CODE_SPAN.sub(lambda span: " " * len(span[0]), "".join(shown))


def _blank(line: str) -> str:
    return _VISIBLE.sub(" ", line)
