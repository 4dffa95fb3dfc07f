"""The text of a note in an editor, saved or not: its links, its blocks, and positions as the editor counts them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate

from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

from brain_cli.cli._note import section_at
from brain_cli.vault.decode import lines_of
from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.links import WIKI, LinkSpan
from brain_cli.vault.markdown import read_blocks
from brain_cli.vault.move import file_links

# A block with fewer characters says too little, so the beginning of its section stands for it.
MIN_CONTEXT_CHARS = 40
MAX_CONTEXT_CHARS = 2_000


class Buffer:
    """The text of the note at `path` in the vault; `codec` counts columns in the units of the editor."""

    def __init__(self, path: str, text: str, codec: PositionCodec) -> None:
        self.path, self.text, self._codec = path, text, codec
        lines = lines_of(text)
        # After the last line ending comes one more line, which is empty.
        self._lines = lines if lines and not lines[-1].endswith(("\r", "\n")) else [*lines, ""]
        self._starts = [0, *accumulate(map(len, self._lines))][:-1]

    @cached_property
    def unix(self) -> str:
        """The text with Unix line ends."""
        return "\n".join(line.rstrip("\r\n") for line in self._lines)

    @cached_property
    def links(self) -> list[LinkSpan]:
        """All links outside code, in their order."""
        return sorted(set(file_links(self.text)))

    def position(self, offset: int) -> Position:
        """Return the position of a character of the text."""
        line = self._line(offset)
        return Position(line, self._codec.client_num_units(self.text[self._starts[line] : offset]))

    def range(self, span: LinkSpan) -> Range:
        """Return the range of a link's target."""
        return Range(self.position(span.start), self.position(span.end))

    def offset(self, position: Position) -> int:
        """Return the character at a position; beyond the end of a line, the end."""
        number = min(position.line, len(self._lines) - 1)
        units: Iterable[int] = accumulate(map(self._codec.client_num_units, self._lines[number].rstrip("\r\n")))
        return self._starts[number] + sum(each <= position.character for each in units)

    def link_at(self, position: Position) -> LinkSpan | None:
        """Return the link at a position: on its target, or on the brackets and the words of a wikilink."""
        offset = self.offset(position)
        return next((span for span in self.links if span.start <= offset <= self._end(span)), None)

    def _end(self, span: LinkSpan) -> int:
        closing = self.text.find("]]", span.end) if span.form == WIKI else -1
        return span.end if closing < 0 else closing + 2

    def open_link(self, position: Position) -> tuple[int, str] | None:
        """Return where the target of an unfinished `[[` before a position starts, and what is typed of it."""
        offset = self.offset(position)
        _, opening, typed = self.text[self._starts[self._line(offset)] : offset].rpartition("[[")
        return (offset - len(typed), typed) if opening and not set(typed) & set("]|#") else None

    def around(self, offset: int) -> str:
        """Return the paragraph, list item or other block at a character; for a short one, its section."""
        line, body_start = self._line(offset), split_head(self.unix).body_start
        first = self.unix.count("\n", 0, body_start)
        blocks, lines = read_blocks(self.unix[body_start:]).pieces, self.unix.split("\n")
        block = next((each for each in blocks if each.first <= line - first <= each.last), None)
        found = "\n".join(lines[first + block.first : first + block.last + 1]) if block else ""
        if len(found) >= MIN_CONTEXT_CHARS:
            return found
        section = section_at(self.unix, line + 1)
        return "\n".join(lines[section.line - 1 : section.end - 1] if section else lines[first:])[:MAX_CONTEXT_CHARS]

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1
