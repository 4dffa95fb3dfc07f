"""Body → sections: markdown-it-py reads the blocks, top-level headings cut the note into fragments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.types import Fragment

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


class Heading(NamedTuple):
    """A heading's words and level (1..6); `start` and `end` are its lines in the body, from 0, end excluded."""

    text: str
    level: int
    start: int
    end: int


class Outline(NamedTuple):
    """What the blocks of a body say: its fragments, all headings, list items, and the lines that are code."""

    fragments: tuple[Fragment, ...]
    headings: tuple[Heading, ...]
    list_items: int
    code_lines: frozenset[int]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Only block rules: what stands inside a line is text to us, and inline parsing is most of the time.
    return MarkdownIt("commonmark").disable(["inline", "text_join"])


def outline(body: str, first_line: int) -> Outline:
    """Cut a body into fragments; `first_line` is the file's line (from 1) on which the body begins."""
    tokens = _parser().parse(body)
    lines = body.split("\n")
    headings = tuple(_headings(tokens))
    return Outline(
        fragments=tuple(_fragments(lines, headings, first_line)),
        headings=headings,
        list_items=sum(token.type == "list_item_open" for token in tokens),
        code_lines=frozenset(_code_lines(tokens)),
    )


def _headings(tokens: list[Token]) -> Iterator[Heading]:
    for token, inline in pairwise(tokens):
        # A heading inside a quotation or a list item is part of that block, not of the note's outline.
        if token.type == "heading_open" and token.level == 0 and token.map:
            yield Heading(" ".join(inline.content.split()), int(token.tag[1:]), *token.map)


def _code_lines(tokens: list[Token]) -> Iterator[int]:
    for token in tokens:
        if token.type in ("fence", "code_block") and token.map:
            yield from range(*token.map)


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
            yield Fragment(tuple(h.text for h in trail if h.level), text, line, text_line)
