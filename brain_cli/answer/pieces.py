"""Weigh the pieces of a note for a query.

    value = (own + 0.35 * before + 0.3 * around) / (1 + long / 1000),   times 0.8 for code

`own` is the sum of idf of the query's distinct words in a piece, `before` that of the words which only the piece before
it has, `around` that of the words which only its headings and its note's title have; `long` are the characters after
the first 200.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from brain_cli.answer.term_weights import TermWeights
from brain_cli.types import Fragment
from brain_cli.vault.markdown.blocks import CODE, HEADING, HIDDEN, PROSE, Piece, unpacked

BEFORE = 0.35
AROUND = 0.3
CODE_SHARE = 0.8
USUAL_CHARS = 200
LONG_CHARS = 1_000
# The passage nearest in meaning gains this share of the weight of all words of the query.
NEAREST = 0.4
# An embedded passage is about so long.
NEAREST_CHARS = 320
# A definition has at least so many blanks between its words.
MIN_BLANKS = 4
# A sentence that announces what is below it: the two are quoted together.
ANNOUNCING = (":", "：", "like so.", "like this.")


class Quotable(NamedTuple):
    """One piece of a note, or a heading, with its lines in the file, and the index of its section.

    `gap` are the lines between the piece before it and this one.
    """

    kind: str
    first: int
    last: int
    text: str
    section: int
    gap: str = ""

    @property
    def is_text(self) -> bool:
        """Return whether it may be quoted alone."""
        return self.kind not in (HEADING, HIDDEN)

    @property
    def announces(self) -> bool:
        return self.kind not in (CODE, HEADING, HIDDEN) and self.text.rstrip(" *_\n").endswith(ANNOUNCING)


class NoteToQuote(NamedTuple):
    """The sections of a note to quote from, in file order; `is_whole` if these are all sections of a short note.

    `nearest` is the line of the passage nearest in meaning, 0 if there is none; `opening`: the query asks for the
    note's first sentence, by its name or for a definition.
    """

    title: str
    language: str
    fragments: Sequence[Fragment]
    is_whole: bool = False
    nearest: int = 0
    opening: bool = False


def quotables(fragment: Fragment, section: int) -> Iterator[Quotable]:
    """Yield the headings of a section and its pieces."""
    above, below = fragment.above.split("\n"), fragment.text.split("\n")
    lines, start = above + below, fragment.text_line - len(above)
    pieces = unpacked(fragment.pieces, 0) if fragment.pieces else _paragraphs(below)
    headings = (Piece(HEADING, index, index) for index, line in enumerate(above) if line.strip())
    end = 0
    for kind, first, last in (*headings, *(Piece(kind, len(above) + a, len(above) + b) for kind, a, b in pieces)):
        gap = "".join(f"{line}\n" for line in lines[end:first])
        yield Quotable(kind, start + first, start + last, "\n".join(lines[first : last + 1]), section, gap)
        end = last + 1


def _paragraphs(lines: Sequence[str]) -> Iterator[Piece]:
    """Yield the paragraphs of a text that was not parsed."""
    first = -1
    for number, line in enumerate([*lines, ""]):
        if line.strip() and first < 0:
            first = number
        elif not line.strip() and first >= 0:
            yield Piece(PROSE, first, number - 1)
            first = -1


class WeighedPieces:
    """The pieces of a note with their values; `order` are the indexes of those that can be quoted, best first."""

    def __init__(self, note: NoteToQuote, term_weights: TermWeights) -> None:
        self._note, self._term_weights = note, term_weights
        self.quotables = [
            each for section, fragment in enumerate(note.fragments) for each in quotables(fragment, section)
        ]
        self.values = self._all_values()
        by_value = sorted(range(len(self.quotables)), key=lambda index: -self.values[index])
        self.order = [index for index in by_value if self.quotables[index].is_text]

    @property
    def best(self) -> Quotable | None:
        """The piece that says most about the query; None if nothing can be quoted."""
        return self.quotables[self.order[0]] if self.order else None

    def _all_values(self) -> list[float]:
        around = [self._named(fragment) for fragment in self._note.fragments]
        values: list[float] = []
        before, section = set[str](), -1
        for each in self.quotables:
            own = self._term_weights.words(each.text, self._note.language) if each.is_text else set[str]()
            values.append(self._value(each, own, before if each.section == section else set(), around[each.section]))
            before, section = own, each.section
        self._raise(values)
        return values

    def _named(self, fragment: Fragment) -> set[str]:
        """Return the query's words in the headings above a section, and in the title."""
        return self._term_weights.words(" ".join((self._note.title, *fragment.trail)), self._note.language)

    def _value(self, each: Quotable, own: set[str], before: set[str], around: set[str]) -> float:
        if not own:
            return 0.0
        weigh = self._term_weights.sum_of
        value = weigh(own) + BEFORE * weigh(before - own) + AROUND * weigh(around - own - before)
        value /= 1 + max(0, len(each.text) - USUAL_CHARS) / LONG_CHARS
        return CODE_SHARE * value if each.kind == CODE else value

    def _raise(self, values: list[float]) -> None:
        """Raise the passage nearest in meaning by a share of all words, and put an asked definition first."""
        chars = 0
        for index, each in enumerate(self.quotables):
            if self._note.nearest and each.is_text and each.last >= self._note.nearest and chars < NEAREST_CHARS:
                values[index] += NEAREST * self._term_weights.total
                chars += len(each.text)
        if self._note.opening:
            texts = [index for index, each in enumerate(self.quotables) if each.is_text and each.section == 0]
            prose = (index for index in texts if self.quotables[index].kind == PROSE)
            sentence = next((index for index in prose if self.quotables[index].text.count(" ") >= MIN_BLANKS), None)
            for first in texts[:1] if sentence is None else [sentence]:
                values[first] = max(values) + 1.0
