"""Lay out a piece of a note as rows of a screen: its markup is removed, but never inside code.

The height of an answer is computed from the same rows that a terminal prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from posixpath import basename
from typing import NamedTuple

from brain_cli.types import QuotedPart
from brain_cli.vault.blocks import CODE, HEAD, HEADING, HIDDEN, ROW
from brain_cli.vault.inline_text import (
    breaks_of,
    chars_within,
    columns,
    inline_text,
    is_spaceless_char,
    separator,
)

# No row begins with these.
NOT_FIRST = frozenset("。．，、｡､：；！？）」』】》”’…ー")
# A longer address is cut in its middle.
MAX_ADDRESS = 60
ADDRESS = re.compile(rf"https?://[^\s<>]{{{MAX_ADDRESS - 7},}}")
# Printed where a sentence breaks off.
BREAK = " …"
# A longer text is never shown whole.
MAX_CHARS = 20_000
_QUOTE = re.compile(r"\s{0,3}(?:>[ \t]?)+")
_CALLOUT = re.compile(r"\[!([\w-]+)\][+-]?[ \t]*(.*)")
ITEM_MARK = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+")
# An item that begins with a link is one of a list of links, which needs its address.
_LINKED = re.compile(r"\[[^\[\]]+\]\((https?://[^()\s]+)\)")
# A number may have spaces between groups of three digits.
_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})*\Z")
_GROUP = re.compile(r" \d{3}(?!\d)")
# A picture that a sentence announces, of which a terminal shows the name.
_PICTURE = re.compile(
    r"(?<=[:：])(\s+)!(?:\[\[([^\[\]|\n]+)[^\[\]\n]*\]\]|\[([^\[\]\n]*)\]\(([^()\s]+)[^()\n]*\))"
)
_TASK = re.compile(r"\[[^\]]\][ \t]+")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,}|\$\$\s*$|\{\{[<%])")
_HARD_BREAK = re.compile(r"(?:  |\\|<br ?/?>)$")
_DELIMITER_ROW = re.compile(r"[\s|:-]*-[\s|:-]*$")
_CELL = re.compile(r"(?<!\\)\|")
_BLOCK_ID_ALONE = re.compile(r"\s*\^[\w-]+\s*$")
_WORD = re.compile(r"\s*\S+")
# The marks of links, comments and templates, those that begin and end with the same sign, and a tag
# without its end.
_BRACKETS = (("[", "]"), ("](", ")"), ("<!--", "-->"), ("{{", "}}"))
_PAIRED = ("`", "%%", "**", "==", "$$")
_OPEN_TAG = re.compile(r"<[A-Za-z/][^<>]*$")


class ScreenLine(NamedTuple):
    """A line of text before it is wrapped; `mark` is what stands before it, such as a bullet, and
    sets its indent.
    """

    text: str
    mark: str = ""
    is_code: bool = False
    is_heading: bool = False


def display_lines(kind: str, text: str) -> Iterator[ScreenLine]:
    """Yield the lines that a reader sees of a piece, given its kind and its lines in the file."""
    lines = text.split("\n")
    if kind == CODE:
        yield from (ScreenLine(line, is_code=True) for line in _code(lines))
    elif kind in (HEAD, ROW):
        for line in lines:
            if not _DELIMITER_ROW.match(line):
                yield ScreenLine(with_short_addresses(_cells(line)))
    elif kind == HEADING:
        yield from (
            ScreenLine(inline_text(line.strip("# \t")), is_heading=True) for line in lines[:1]
        )
    elif kind != HIDDEN:
        yield from _text_lines(lines)


def _code(lines: Sequence[str]) -> list[str]:
    """Return code without its fences, and without the quotation marks and the indentation that all
    lines have.
    """
    while all(line.lstrip().startswith(">") for line in lines):
        lines = [line.lstrip()[1:] for line in lines]
    if _FENCE.match(lines[0]):
        lines = lines[1:-1] if len(lines) > 1 and _FENCE.match(lines[-1]) else lines[1:]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip().expandtabs(4) for line in lines]


def _cells(row: str) -> str:
    cells = (
        inline_text(cell.replace("\\|", "|")) for cell in _CELL.split(row.strip().strip("|"))
    )
    return " | ".join(cells)


def _text_lines(lines: Sequence[str]) -> Iterator[ScreenLine]:
    """Yield the paragraphs and items of some lines, each as one line, or as more where line ends
    were meant.
    """
    paragraph: list[str] = []
    mark = ""
    fence = ""
    address = ""

    def finished() -> Iterator[ScreenLine]:
        nonlocal mark, address
        for text in _unwrapped(_with_pictures(paragraph)):
            if plain := inline_text(text):
                yield ScreenLine(with_short_addresses(f"{plain}  {address}".rstrip()), mark)
                mark = " " * len(mark)
                address = ""
        paragraph.clear()

    for raw in lines:
        line = _QUOTE.sub("", raw) if ">" in raw[:4] else raw
        bare = line.strip()
        if fence:
            if bare.startswith(fence):
                fence = ""
            else:
                yield ScreenLine(
                    line[len(mark) :] if not line[: len(mark)].strip() else line,
                    mark and " " * len(mark),
                    is_code=True,
                )
            continue
        if bare.startswith(("```", "~~~")):
            yield from finished()
            fence = bare[:3]
        elif not bare:
            yield from finished()
        elif bare.startswith("#") and bare.lstrip("#").startswith(" "):
            yield from finished()
            yield ScreenLine(inline_text(bare.lstrip("#").strip("# ")), is_heading=True)
        elif item := ITEM_MARK.match(line):
            yield from finished()
            rest = line[item.end() :]
            task = _TASK.match(rest)
            sign = item[2] if item[2][0].isdigit() else "-"
            mark = f"{' ' * min(8, len(item[1].expandtabs(4)))}{sign} {task[0] if task else ''}"
            paragraph.append(rest[task.end() :] if task else rest)
            linked = _LINKED.match(paragraph[-1])
            address = linked[1] if linked else ""
        elif callout := _CALLOUT.match(bare):
            yield from finished()
            yield ScreenLine(
                inline_text(callout[2]) or callout[1].capitalize(), is_heading=True
            )
        elif not _BLOCK_ID_ALONE.match(line):
            paragraph.append(line)
            if _HARD_BREAK.search(line):
                paragraph[-1] = _HARD_BREAK.sub("", line)
                yield from finished()
    yield from finished()


def _with_pictures(paragraph: Sequence[str]) -> Sequence[str]:
    """Return the lines of a paragraph with the names of announced pictures: “Draft: hours.png”."""
    if not any("![" in line for line in paragraph):
        return paragraph

    def named(picture: re.Match[str]) -> str:
        space, file, words, address = picture.groups()
        return f"{space}{words or basename(file or address)}"

    return _PICTURE.sub(named, "\n".join(paragraph)).split("\n")


def _unwrapped(paragraph: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a paragraph, joined where they were only wrapped, or where
    markup goes on.
    """
    joined = ""
    for line, following, is_end in zip(
        paragraph, chain(paragraph[1:], ("",)), breaks_of(paragraph), strict=False
    ):
        joined += f"{line.strip()}{separator(line, following)}"
        if is_end and not _is_open(joined):
            yield joined
            joined = ""
    if joined:
        yield joined


def _is_open(text: str) -> bool:
    """Return whether a text has the beginning of some markup without its end."""
    if any(text.count(begin) > text.count(end) for begin, end in _BRACKETS) or _OPEN_TAG.search(
        text
    ):
        return True
    return any(text.count(mark) % 2 for mark in _PAIRED)


def wrapped(line: ScreenLine, width: int) -> list[tuple[int, int]]:
    """Return the rows of a line as (start, end) in its text, broken between words."""
    available = max(10, width - len(line.mark))
    text = line.text
    if columns(text) <= available:
        return [(0, len(text))]
    rows: list[tuple[int, int]] = []
    start = 0
    while columns(text[start:]) > available:
        most = chars_within(text[start:], available)
        end = start + most
        breaks = (at for at in range(end, start, -1) if may_break(text, at))
        end = next((at for at in breaks if text[start:at].strip()), end)
        rows.append((start, end))
        start = end
        while text[start : start + 1] == " ":
            start += 1
    if start < len(text):
        rows.append((start, len(text)))
    return rows


def with_short_addresses(text: str) -> str:
    """Return a text with the middle of each long address omitted."""
    half = MAX_ADDRESS // 2
    return ADDRESS.sub(lambda found: f"{found[0][:half]}…{found[0][1 - half :]}", text)


def may_break(text: str, position: int) -> bool:
    """Return whether a row may end before a position of a text: at a space, except in a number such
    as 2 300, or in a script without spaces, but not before a closing mark.
    """
    before = text[position - 1]
    after = text[position]
    if after == " ":
        return not (_GROUP.match(text, position) and _NUMBER.search(text, 0, position))
    if before.isascii() and after.isascii():
        return False
    return after not in NOT_FIRST and (is_spaceless_char(before) or is_spaceless_char(after))


def plain_text(parts: Sequence[QuotedPart]) -> str:
    """Return the words of a passage on one line, its lines separated by dots."""
    lines = (
        f"{line.mark.strip(' -')} {line.text}".strip()
        for part in parts
        for line in display_lines(*part[:2])
    )
    return " · ".join(filter(None, lines))


@lru_cache(maxsize=1_000)
def height(kind: str, text: str, width: int) -> int:
    """Return how many rows a piece takes; of one too long for any screen, about how many."""
    if len(text) > MAX_CHARS:
        return len(text) // width
    return sum(len(wrapped(line, width)) for line in display_lines(kind, text))
