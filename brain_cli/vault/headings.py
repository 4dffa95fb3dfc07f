"""Find a note's sections in its file: a section extends to the next heading that is not below its own."""

from __future__ import annotations

import re
from typing import NamedTuple

from brain_cli.vault.analyzer import same_name
from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.markdown import Heading
from brain_cli.vault.sections import outline


class Section(NamedTuple):
    """A heading with all headings above it, outermost first, and its lines in the file: from 1, end excluded."""

    trail: tuple[str, ...]
    line: int
    end: int


def sections(text: str) -> list[Section]:
    """Return the sections of a note in file order; `text` has Unix line ends."""
    start = split_head(text).body_start
    first = 1 + text.count("\n", 0, start)
    body = text[start:]
    headings = outline(body, first).headings
    last = first + body.count("\n") + (not body.endswith("\n"))
    found: list[Section] = []
    # The open sections, outermost first: their index in `found`, and their heading.
    trail: list[tuple[int, Heading]] = []
    for number, heading in enumerate(headings):
        _close(found, trail, heading.level, first + heading.start)
        trail.append((number, heading))
        found.append(Section(tuple(each.text for _, each in trail), first + heading.start, last))
    return found


def _close(found: list[Section], trail: list[tuple[int, Heading]], level: int, end: int) -> None:
    """End the open sections that a heading of this level does not belong to."""
    while trail and trail[-1][1].level >= level:
        number, _ = trail.pop()
        found[number] = found[number]._replace(end=end)


def section_named(text: str, heading: str) -> Section | None:
    """Return the first section with this heading, given as written, as a link's anchor, or as `Above#Below`."""
    wanted = [_anchor(part) for part in heading.split("#") if part.strip()]
    for section in sections(text):
        if wanted and [_anchor(part) for part in section.trail[-len(wanted) :]] == wanted:
            return section
    return None


def _anchor(heading: str) -> str:
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", same_name(heading))).strip("-")
