"""A note → what is shown of it as the one answer: from its matching section on, as much as fits."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from brain_cli.answer.passages.blocks import Line
from brain_cli.answer.passages.inline_text import without_hidden
from brain_cli.types import Fragment
from brain_cli.vault.boilerplate import is_boilerplate

USUAL_CHARS = 1_700
SHORTEST_ROW = 30
LINES_BEFORE = 4
CUT_OFF = "…"
_FENCES = ("```", "~~~")


class Excerpt(NamedTuple):
    """A stretch of a note, as markdown without what is hidden: its lines in the file, and the headings above it.

    `lines_left` counts the lines of the note that come after it and say something.
    """

    text: str
    line: int
    end_line: int
    heading: tuple[str, ...]
    lines_left: int = 0


def excerpt(
    fragments: Sequence[Fragment],
    section: int,
    line: int,
    boilerplate: Container[str] = frozenset(),
    most: int = USUAL_CHARS,
) -> Excerpt:
    """Return what is shown of a note of which the section at a place matches, best at a line of it.

    All of it where that fits; else from the section on; else from the paragraph with the line on.
    """
    whole = list(_note_lines(fragments, boilerplate))
    if _chars(whole) <= most:
        return _excerpt(whole, most, fragments[0].trail)
    rest = list(_note_lines(fragments[section:], boilerplate))
    needed = next((place for place, each in enumerate(rest) if each.number > line), len(rest))
    if _chars(rest[:needed]) > most:
        start = _paragraph(rest, line)
        # A paragraph or list may itself be longer than what fits before its matching line.
        rest = rest[start if _chars(rest[start:needed]) <= most else max(0, needed - LINES_BEFORE) :]
    return _excerpt(rest, most, fragments[section].trail)


def _excerpt(lines: list[Line], most: int, heading: tuple[str, ...]) -> Excerpt:
    kept = list(_fitting(lines, most))
    left = sum(bool(each.text.strip()) for each in lines[len(kept) :])
    while kept and (not kept[-1].text.strip() or kept[-1].text.startswith("#")):
        kept.pop()
    text = "\n".join(each.text for each in kept)
    if _is_open(kept):
        text += "\n```"
    first, last = (kept[0].number, kept[-1].number) if kept else (1, 1)
    return Excerpt(text, first, last, heading, left)


def _fitting(lines: Sequence[Line], most: int) -> Iterator[Line]:
    """Yield lines that fit; the first one in any case, cut where it is too long."""
    chars = 0
    for place, line in enumerate(lines):
        chars += _room(line)
        if chars > most:
            if not place:
                yield line._replace(text=line.text[:most].rsplit(" ", 1)[0] + CUT_OFF)
            return
        yield line


def _paragraph(lines: Sequence[Line], number: int) -> int:
    """Return the place at which the paragraph with a line begins."""
    place = next((place for place, each in enumerate(lines) if each.number >= number), 0)
    while place and lines[place - 1].text.strip() and not lines[place].text.startswith("#"):
        place -= 1
    return place


def _note_lines(fragments: Sequence[Fragment], boilerplate: Container[str]) -> Iterator[Line]:
    """Yield what can be read of some sections, with the headings between them, and one blank line at most in a row."""
    trail = fragments[0].trail
    blank = True
    for fragment in fragments:
        for line in (*_headings(trail, fragment), *_lines(fragment, boilerplate)):
            is_blank = not line.text.strip()
            if not (is_blank and blank):
                yield line
            blank = is_blank
        trail = fragment.trail


def _headings(before: tuple[str, ...], fragment: Fragment) -> Iterator[Line]:
    """Yield the headings of a section that the one before it does not stand under."""
    shared = 0
    while before[: shared + 1] == fragment.trail[: shared + 1] and shared < len(fragment.trail):
        shared += 1
    for level, heading in enumerate(fragment.trail[shared:], start=shared + 1):
        yield from (Line("", fragment.line), Line(f"{'#' * min(level, 6)} {heading}", fragment.line))
    yield Line("", fragment.line)


def _lines(fragment: Fragment, boilerplate: Container[str]) -> Iterator[Line]:
    """Yield the lines of a section without what is hidden; a line that was hidden altogether is left out."""
    raw = fragment.text.split("\n")
    shown = _without_hidden(raw)
    for number, (before, text) in enumerate(zip(raw, shown, strict=True), start=fragment.text_line):
        hidden = before.strip() and not text.strip()
        if not hidden and not is_boilerplate(before, boilerplate):
            yield Line(text.rstrip(), number)


def _without_hidden(lines: Sequence[str]) -> list[str]:
    """Return as many lines, those outside of code without comments, embeds and templates."""
    found: list[str] = []
    prose: list[str] = []
    fence = ""
    for line in lines:
        mark = next((mark for mark in _FENCES if line.strip().startswith(mark)), "")
        if fence or mark:
            found += _plain(prose)
            prose = []
            found.append(line)
            fence = "" if fence and mark == fence else fence or mark
        else:
            prose.append(line)
    return found + _plain(prose)


def _plain(lines: list[str]) -> list[str]:
    return without_hidden("\n".join(lines)).split("\n") if lines else []


def _is_open(lines: Sequence[Line]) -> bool:
    """Return whether code was cut off before its end."""
    return sum(each.text.strip().startswith(_FENCES) for each in lines) % 2 == 1


def _chars(lines: Sequence[Line]) -> int:
    return sum(map(_room, lines))


def _room(line: Line) -> int:
    """Return what a line takes of the screen, in characters: a short one takes all of its row."""
    return max(len(line.text), SHORTEST_ROW) + 1
