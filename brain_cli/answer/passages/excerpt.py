"""The excerpt of a note that is shown as the one answer: from its matching section on, as much as fits."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from brain_cli.answer.passages.blocks import Line
from brain_cli.answer.passages.excerpt_blocks import FENCES, fence_of, head_of_block, repeated_lines
from brain_cli.answer.passages.inline_text import without_hidden
from brain_cli.answer.quotes import USUAL_SPACE, Space
from brain_cli.types import Fragment
from brain_cli.vault.text_width import beginning, columns

LINES_BEFORE = 4
# A paragraph that does not fit is shown in part if at least this many characters of it fit.
MIN_PART_OF_LINE_CHARS = 120
CUT_OFF = "…"


class Excerpt(NamedTuple):
    """Consecutive lines of a note, as markdown without hidden parts, and the headings above them.

    `lines_before` and `lines_left` count the non-blank lines of the note above and below.
    """

    lines: tuple[Line, ...]
    heading: tuple[str, ...]
    lines_before: int = 0
    lines_left: int = 0

    @property
    def text(self) -> str:
        text = "\n".join(each.text for each in self.lines)
        return f"{text}\n```" if _has_open_fence(self.lines) else text

    @property
    def line(self) -> int:
        return self.lines[0].number if self.lines else 1

    @property
    def end_line(self) -> int:
        return self.lines[-1].number if self.lines else 1

    def chars(self, space: Space) -> int:
        """Return how many characters of a space it takes."""
        return _chars(self.lines, space)

    def shortened(self, space: Space) -> Excerpt:
        """Return as much of it as fits into a space."""
        kept = _kept(self.lines, space)
        return self._replace(lines=kept, lines_left=self.lines_left + _count(self.lines[len(kept) :]))


def excerpt(
    fragments: Sequence[Fragment],
    section: int,
    line: int,
    boilerplate: Container[str] = frozenset(),
    space: Space = USUAL_SPACE,
) -> Excerpt:
    """Return the excerpt of a note, in which section number `section` matches best, at line `line`.

    It is the whole note if that fits, else from the section on, else from the paragraph with the line on.
    """
    whole = list(_note_lines(fragments, boilerplate))
    if _chars(whole, space) <= space.chars:
        return _excerpt(whole, 0, space, fragments[0].trail)
    rest = list(_note_lines(fragments[section:], boilerplate))
    needed = next((index for index, each in enumerate(rest) if each.number > line), len(rest))
    if _chars(rest[:needed], space) > space.chars:
        start = _paragraph(rest, line)
        # The paragraph or list may itself be too long above its matching line.
        is_short = _chars(rest[start:needed], space) <= space.chars
        rest = _from(rest, start if is_short else max(0, needed - LINES_BEFORE))
    before = _count(each for each in whole if rest and each.number < rest[0].number)
    return _excerpt(rest, before, space, fragments[section].trail)


def _from(lines: Sequence[Line], start: int) -> list[Line]:
    """Return the lines from an index on, after the head of the table or code that begins above it."""
    head = head_of_block([each.text for each in lines], start)
    return [*(lines[index]._replace(number=lines[start].number) for index in head), *lines[start:]]


def _excerpt(lines: Sequence[Line], before: int, space: Space, heading: tuple[str, ...]) -> Excerpt:
    kept = _kept(lines, space)
    return Excerpt(kept, heading, before, _count(lines[len(kept) :]))


def _kept(lines: Sequence[Line], space: Space) -> tuple[Line, ...]:
    """Return the lines that fit, without headings at the end."""
    kept = list(_fitting(lines, space))
    while kept and (not kept[-1].text.strip() or kept[-1].text.startswith("#")):
        kept.pop()
    return tuple(kept)


def _fitting(lines: Sequence[Line], space: Space) -> Iterator[Line]:
    """Yield the lines that fit, and the start of a long one that does not; always a part of the first line."""
    remaining = space.chars
    for index, line in enumerate(lines):
        if _size(line, space) > remaining:
            is_cut = not index or (
                remaining > MIN_PART_OF_LINE_CHARS and not _has_open_fence(lines[:index]) and "|" not in line.text
            )
            if is_cut:
                yield line._replace(text=beginning(line.text, remaining - 1) + CUT_OFF)
            return
        remaining -= _size(line, space)
        yield line


def _count(lines: Iterable[Line]) -> int:
    """Return the number of lines that are not blank."""
    return sum(bool(each.text.strip()) for each in lines)


def _paragraph(lines: Sequence[Line], number: int) -> int:
    """Return the index at which the paragraph with a line begins."""
    index = next((index for index, each in enumerate(lines) if each.number >= number), 0)
    while index and lines[index - 1].text.strip() and not lines[index].text.startswith("#"):
        index -= 1
    return index


def _note_lines(fragments: Sequence[Fragment], boilerplate: Container[str]) -> Iterator[Line]:
    """Yield the visible lines of sections, with their headings, and with at most one blank line in a row."""
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
    """Yield the headings of a section that differ from those of the section before it."""
    shared = 0
    while before[: shared + 1] == fragment.trail[: shared + 1] and shared < len(fragment.trail):
        shared += 1
    for level, heading in enumerate(fragment.trail[shared:], start=shared + 1):
        yield from (Line("", fragment.line), Line(f"{'#' * min(level, 6)} {heading}", fragment.line))
    yield Line("", fragment.line)


def _lines(fragment: Fragment, boilerplate: Container[str]) -> Iterator[Line]:
    """Yield the lines of a section without hidden parts; a line that is hidden completely is left out."""
    raw = fragment.text.split("\n")
    shown, repeated = _without_hidden(raw), repeated_lines(raw, boilerplate)
    for index, (before, text) in enumerate(zip(raw, shown, strict=True)):
        hidden = before.strip() and not text.strip()
        if not hidden and index not in repeated:
            yield Line(text.rstrip(), fragment.text_line + index)


def _without_hidden(lines: Sequence[str]) -> list[str]:
    """Return as many lines; outside code they are without comments, embeds and templates."""
    found: list[str] = []
    prose: list[str] = []
    fence = ""
    for line in lines:
        mark = fence_of(line)
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


def _has_open_fence(lines: Sequence[Line]) -> bool:
    """Return whether the lines end inside a fenced block."""
    return sum(each.text.strip().startswith(FENCES) for each in lines) % 2 == 1


def _chars(lines: Sequence[Line], space: Space) -> int:
    return sum(_size(line, space) for line in lines)


def _size(line: Line, space: Space) -> int:
    """Return how much of the space a line takes; a short one takes its whole row."""
    return max(columns(line.text), space.row) + 1
