"""Read the blocks of a large body line by line, in one pass: the parser would take minutes.

It reads everything that decides where sections begin: headings and fences, and the list items, quotations and HTML that
may contain them. It agrees with the parser on markdown as people write it, but not on every corner of the standard.
"""

from __future__ import annotations

import re

from markdown_it.rules_block.html_block import HTML_SEQUENCES

from brain_cli.vault.markdown.blocks import Blocks, Heading

_ATX = re.compile(r"(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_ITEM = re.compile(r"([-+*]|\d{1,9}[.)])(?:([ \t]+)|$)")
CODE_INDENT = 4


def scan(body: str) -> Blocks:
    """Read the blocks of a body in linear time."""
    lines = body.split("\n")
    scanner = _Scanner(lines)
    for number, line in enumerate(lines):
        scanner.take(number, line)
    return Blocks(tuple(scanner.headings), scanner.list_items, frozenset(scanner.code_lines))


class _Scanner:
    """Tracks the blocks that are open at the current line: a paragraph, a list item, a fence, a block of HTML."""

    def __init__(self, lines: list[str]) -> None:
        self.headings: list[Heading] = []
        self.list_items = 0
        self.code_lines: list[int] = []
        self._lines = lines
        # The first line of a top-level paragraph. One in a list item or quotation may continue without its
        # indent or `>` (lazily), and an underline never makes it a heading.
        self._paragraph: int | None = None
        self._lazy = False
        # The column at which the text of the open list item begins; 0 for none.
        self._item = 0
        self._fence = ""
        self._html_end: re.Pattern[str] | None = None

    def take(self, number: int, line: str) -> None:
        bare = line.strip(" \t")
        indent = _columns(line[: len(line) - len(line.lstrip(" \t"))])
        if self._fence and self._in_fence(number, bare, indent):
            return
        if self._html_end:
            self._html_end = None if self._html_end.search(bare) else self._html_end
        elif not bare:
            self._paragraph, self._lazy = None, False
        elif self._item and indent >= self._item:
            self._take_nested(number, bare)
        elif indent < CODE_INDENT:
            self._take_block(number, bare, indent)
        elif self._paragraph is None and not self._lazy:
            self._item = 0
            self.code_lines.append(number)

    def _in_fence(self, number: int, bare: str, indent: int) -> bool:
        if bare and indent < self._item:
            # A line left of a list item's text ends the item, and any fence in it.
            self._fence = ""
            return False
        self.code_lines.append(number)
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]) and indent < self._item + CODE_INDENT:
            self._fence = ""
        return True

    def _take_nested(self, number: int, bare: str) -> None:
        self.list_items += bool(_ITEM.match(bare))
        self._lazy = not self._opens_fence(number, bare) and _is_text(bare)

    def _take_block(self, number: int, bare: str, indent: int) -> None:
        if self._paragraph is not None and (underline := _UNDERLINE.match(bare)):
            text = " ".join(self._lines[self._paragraph : number])
            self._add_heading(text, 1 if underline[1][0] == "=" else 2, self._paragraph, number)
        elif atx := _ATX.match(bare):
            self._add_heading(_without_closing(bare[atx.end() :]), len(atx[1]), number, number)
        elif _RULE.match(bare) or self._opens_fence(number, bare):
            self._close()
        elif bare.startswith(">"):
            self._close()
            self._lazy = _is_text(bare.lstrip("> \t"))
        elif (item := _ITEM.match(bare)) and self._may_begin(item):
            self._close()
            self._take_item(number, bare, indent, item)
        elif bare.startswith("<") and self._opens_html(bare):
            self._close()
        elif self._paragraph is None and not self._lazy:
            self._close()
            self._paragraph = number

    def _add_heading(self, text: str, level: int, start: int, last: int) -> None:
        self._close()
        self.headings.append(Heading(" ".join(text.split()), level, start, last + 1))

    def _close(self) -> None:
        self._paragraph, self._lazy, self._item = None, False, 0

    def _opens_fence(self, number: int, bare: str) -> bool:
        fence = _FENCE.match(bare)
        if fence:
            self._fence = fence[0]
            self.code_lines.append(number)
        return bool(fence)

    def _may_begin(self, item: re.Match[str]) -> bool:
        """Return whether a marker may begin a list item: inside a paragraph, `3. of May` and a lone `-` are text."""
        in_paragraph = self._paragraph is not None or (self._lazy and not self._item)
        return not in_paragraph or (bool(item[2]) and item[1][:-1] in ("", "1"))

    def _take_item(self, number: int, bare: str, indent: int, item: re.Match[str]) -> None:
        self.list_items += 1
        marked = indent + len(item[1])
        column = _columns(" " * marked + (item[2] or " "))
        self._item = column if column - marked <= CODE_INDENT else marked + 1
        text = bare[item.end() :]
        self._lazy = not self._opens_fence(number, text) and _is_text(text)

    def _opens_html(self, bare: str) -> bool:
        for start, end, may_interrupt in HTML_SEQUENCES:
            if start.search(bare) and (may_interrupt or (self._paragraph is None and not self._lazy)):
                self._html_end = None if end.search(bare) else end
                return True
        return False


def _is_text(bare: str) -> bool:
    return bool(bare) and not (_ATX.match(bare) or _RULE.match(bare) or _FENCE.match(bare))


def _columns(space: str) -> int:
    return len(space.expandtabs(4)) if "\t" in space else len(space)


def _without_closing(text: str) -> str:
    """Return a heading without its closing signs: `## Title ##` → `Title`, but `## C#` → `C#`."""
    bare = text.rstrip("#")
    return bare if not bare or bare[-1] in " \t" else text
