"""Split a section into quotable pieces: sentences, list items, table rows, definitions, lines of code.

Markup, comments, embeds, badges, block ids, shortcodes, tags and boilerplate are left out; so are bare links.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from brain_cli.answer.passages.blocks import Block, Kind, Line, blocks
from brain_cli.answer.passages.inline_text import inline_text
from brain_cli.answer.passages.sentence_words import ends_abbreviation, refers_back
from brain_cli.types import Fragment
from brain_cli.vault.analyzer import words_of
from brain_cli.vault.boilerplate import is_boilerplate, template_field
from brain_cli.vault.text_width import chars_within, columns, separator

MIN_WORDS = 3
MAX_PIECE_CHARS = 300
# A longer sentence is cut, because markup that is never closed would make its parsing quadratic.
MAX_SENTENCE_CHARS = 2_000
# It begins with a set of characters: only then does `re` skip other characters at full speed.
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)*_]*\s+(?=[\"'“‘«¿¡(*_`\[]*([^\W_]))|[。！？][”’」』）]*")
_LINK_ONLY = re.compile(r"\W*(?:(?:https?|obsidian|file)://\S+|www\.\S+|[\w.+-]+@[\w-]+\.\w+)\W*$")
_BARE_LINK = re.compile(
    r"[\W_]*(?:!?\[\[[^\]]*\]\]|!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|<[^>\s]+>|[\s,;|·&/-])+[\W_]*$"
)
# `Linux — 12.1%` is worth quoting, although it has two words.
_VALUE = re.compile(r"\w[:—–=]? ?[:—–=] ?\W{0,2}\d")
_LINK_REST = re.compile(r"\[[^\[\]]{1,300}\]\(")
_MARKER = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
MAX_LINK_CHARS = 300
MAX_BRACKET_CHARS = 150
# Machine-readable data: a picture, a key, a compressed drawing.
_DATA = re.compile(r"[\w+/=-]{100}")
# A colon, or one of these abbreviations, at the end of a sentence introduces the next one.
_INTRODUCES = re.compile(r":\)?$|\b(?:s\. ?t|e\. ?g|i\. ?e|z\. ?B|d\. ?h|p\. ?ex|t\. ?ex)\.$")
_CLAUSE_END = re.compile(r"(?<=[;:,])\s|(?<=[，；：、])|\s(?=[–—(])|\s")


class Piece(NamedTuple):
    """A sentence, list item, table row or line of code as plain text, with its lines in the file.

    `block` is the number of its block, `marker` the bullet or number of a list item's first sentence, `lead` the index
    of the piece that introduces it (-1: none). `cut`: the sentence continues after it. `bare`: it is only a link.
    `field` is the field's name if it is a field that many notes have.
    """

    text: str
    line: int
    end_line: int
    kind: Kind
    block: int
    marker: str = ""
    lead: int = -1
    cut: bool = False
    bare: bool = False
    field: str = ""

    @property
    def introduces_next(self) -> bool:
        """Return whether the piece introduces the next one."""
        return self.kind is not Kind.CODE and bool(_INTRODUCES.search(self.text, max(0, len(self.text) - 8)))

    @property
    def needs_previous(self) -> bool:
        """Return whether the piece cannot be understood without the one before it."""
        if self.kind is Kind.PROSE and (self.text[:1].islower() or self.text.startswith("(")):
            return True
        return self.kind is not Kind.CODE and refers_back(self.text)

    @property
    def says_something(self) -> bool:
        """Return whether the piece is worth a quotation of its own."""
        if self.bare:
            return False
        if self.field or _VALUE.search(self.text):
            return True
        # Counting spaces is fast; only scripts without spaces, and dashes between words, need a word count.
        return self.text.count(" ") > 2 * MIN_WORDS or len(words_of(self.text)) >= MIN_WORDS


def pieces(lines: Iterable[Line], boilerplate: Container[str] = frozenset()) -> list[Piece]:
    """Return the quotable pieces of some lines of a section, in order."""
    found: list[Piece] = []
    stack: list[tuple[int, int]] = []  # the list items around the next one: (indent, index of first piece)
    paragraph = -1
    lines = list(lines)
    repeated = {line.number for line in lines if is_boilerplate(line.text, boilerplate)}
    fields = {line.number: template_field(line.text, boilerplate) for line in lines if ":" in line.text}
    for number, block in enumerate(blocks(lines)):
        own = [line for line in block.lines if line.number not in repeated]
        if block.kind is Kind.CODE and own:
            own = list(block.lines)  # Code is quoted whole: without one line it may not run.
        if block.kind is Kind.LABEL or not own:
            paragraph, stack = -1, []
            continue
        first = len(found)
        lead = _lead(block, stack, paragraph if paragraph >= 0 and found[paragraph].introduces_next else -1)
        found += _pieces(block._replace(lines=own), number, lead, fields.get(own[0].number, ""))
        if len(found) == first:
            continue
        if block.kind is Kind.ITEM:
            stack = [*(each for each in stack if each[0] < block.indent), (block.indent, first)]
        elif block.kind is Kind.PROSE:
            paragraph, stack = len(found) - 1, []
        elif block.kind is Kind.CODE and not stack:
            # The sentence before the code introduced the code, not the list after it.
            paragraph = -1
    return found


def section_pieces(fragment: Fragment, boilerplate: Container[str] = frozenset()) -> list[Piece]:
    """Return the quotable pieces of a whole section."""
    lines = fragment.text.split("\n")
    return pieces((Line(line, number) for number, line in enumerate(lines, start=fragment.text_line)), boilerplate)


def _lead(block: Block, stack: Sequence[tuple[int, int]], paragraph: int) -> int:
    """Return the index of the piece that introduces a block: the item around it, else the sentence before the list."""
    if block.kind is Kind.PROSE:
        return -1
    above = [first for indent, first in stack if indent < block.indent]
    return above[-1] if above else paragraph


def _pieces(block: Block, number: int, lead: int, field: str) -> Iterator[Piece]:
    if block.kind is Kind.CODE:
        for code in block.lines:
            if len(code.text) > 1 and not _DATA.search(code.text):
                yield Piece(_clipped(code.text), code.number, code.number, Kind.CODE, number, lead=lead)
        return
    marker = block.marker if block.marker[:1].isdigit() else "-" if block.marker else ""
    bare = bool(_BARE_LINK.match(" ".join(line.text for line in block.lines)))
    for index, (text, line, end_line, cut) in enumerate(_sentences(block.lines)):
        text = _without_empty_cells(text) if block.kind is Kind.ROW else text
        yield Piece(text, line, end_line, block.kind, number, "" if index else marker, lead, cut, bare, field)


def _without_empty_cells(row: str) -> str:
    """Return a row without empty cells, such as those with only an icon."""
    cells = row.split("; ")
    filled = [cell for cell in cells if not cell.rstrip().endswith(":")]
    return "; ".join(filled) if filled and len(cells) > 1 else row


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a passage as it is shown, without the marks of items and code."""
    return [
        line[start:end].strip().strip("`")
        for line in (_MARKER.sub("", line) for line in text.split("\n"))
        for start, end in pairwise((0, *_ends(line)))
    ]


def _sentences(lines: Sequence[Line]) -> Iterator[tuple[str, int, int, bool]]:
    """Yield (text, first line, last line, whether it was cut) of each sentence of a block."""
    texts = [line.text.strip() for line in lines]
    joined = [f"{text}{separator(text, following)}" for text, following in zip(texts, [*texts[1:], ""], strict=True)]
    text = "".join(joined)
    starts = list(accumulate(map(len, joined), initial=0))
    position = 0
    for end in _ends(text):
        plain = inline_text(text[position : min(end, position + MAX_SENTENCE_CHARS)])
        if len(plain) > 2 and not _LINK_ONLY.match(plain):
            first = lines[bisect_right(starts, position) - 1].number
            last = lines[bisect_left(starts, end) - 1].number
            for part, cut in _parts(plain):
                yield part, first, last, cut
        position = end


def _ends(text: str) -> Iterator[int]:
    """Yield the end of each sentence of a text; a dot after an abbreviation or an ordinal ends no sentence."""
    for match in _SENTENCE_END.finditer(text):
        # No sentence begins with a lower-case letter.
        goes_on = match[1] and match[1].islower()
        after_mark = match.start() + 1
        if not (goes_on or ends_abbreviation(text, after_mark) or _is_inside(text, after_mark)):
            yield match.end()
    yield len(text)


def _is_inside(text: str, position: int) -> bool:
    """Return whether a position of a text is in parentheses or in the words of a link."""
    opened = text.rfind("(", max(0, position - MAX_BRACKET_CHARS), position)
    if opened >= 0 and text.find(")", opened, position) < 0 <= text.find(")", position, opened + MAX_BRACKET_CHARS):
        return True
    return _is_in_link(text, position)


def _is_in_link(text: str, position: int) -> bool:
    """Return whether a position of a text is in the words of a link."""
    start = text.rfind("[", max(0, position - MAX_LINK_CHARS), position)
    return start >= 0 and bool(_LINK_REST.match(text, start)) and text.find("]", start, position) < 0


def _parts(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield (part, whether it was cut) of a sentence: the whole, or parts that end between clauses or words."""
    while columns(sentence) > MAX_PIECE_CHARS:
        most = chars_within(sentence, MAX_PIECE_CHARS - 40)
        ends = [match.start() for match in _CLAUSE_END.finditer(sentence, most // 3, most)]
        clauses = [end for end in ends if sentence[end - 1] in ";:,，；：、"]
        end = (clauses or ends or [most])[-1]
        yield sentence[:end].rstrip(), True
        sentence = sentence[end:].lstrip()
    yield sentence, False


def _clipped(text: str) -> str:
    end = chars_within(text, MAX_PIECE_CHARS)
    return text if end == len(text) else text[: end - 1].rstrip() + "…"
