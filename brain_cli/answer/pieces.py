"""Weigh the pieces of a note for a query.

    value = (own + 0.35 * before + 0.3 * around) / (1 + long / 1000),   times 0.8 for code

`own` is the sum of idf of the query's distinct words in a piece, `before` that of the words which
only the piece before it has, `around` that of the words which only its headings and its note's
title have; `long` are the characters after the first 200.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from math import fsum
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from brain_cli.record import Record
from brain_cli.search.question_words import has_value
from brain_cli.types import Fragment
from brain_cli.vault.analyzer import fold, terms
from brain_cli.vault.blocks import CODE, HEADING, HIDDEN, PROSE, Piece, unpacked
from brain_cli.vault.inline_text import with_joined_words

BEFORE = 0.35
AROUND = 0.3
CODE_SHARE = 0.8
USUAL_CHARS = 200
LONG_CHARS = 1_000
# The piece nearest in meaning gains this share of the weight of all words of the query, others in
# proportion.
NEAREST = 0.4
# A piece with a number, a duration or a date gains this share where the question asks for one, and
# so does one with the time that it names.
WITH_VALUE = 0.4
# A piece that holds answers as well as one that does not if it has this share of its value.
ANSWERING_SHARE = 0.6
# A definition has at least so many blanks between its words.
MIN_BLANKS = 4
# A sentence that announces what is below it: the two are quoted together.
ANNOUNCING = (":", "：", "like so.", "like this.")
# The beginning of a sentence that cannot be understood without the one before.
_PRONOUN = (
    r"(?i)\W*(?:(?:it|this|that|these|those|they|he|she|es|dies|diese[rs]?|sie|er|cela|ceci|il|"
    r"elle|ils|elles|esto|eso|questo|quest[ae]|isto|isso|deze|dit|это|он|она|они)\b|这|它|これ|それ)"
)
# An item of a table of contents, or a sentence such as “See [hooks](hooks.md) for more.”
_POINTER = (
    r"\s*[-*+]\s+\[[^\]]*\]\(#[^)]*\)\s*"
    r"|\W*(See|Siehe|Vedi)\b[^.:]{0,60}\[[^.]*(\.\S[^.]*)*\.?\s*"
)


# A stem may end in other letters than its word (happi, happy); both share the stem without its last
# letters.
_ENDING_LETTERS = 2


class TermWeights:
    """The words of a query; `term_weights` is the idf of each term, a stem."""

    def __init__(self, term_weights: Mapping[str, float]) -> None:
        self._term_weights = term_weights
        # Most texts have none of the words, which a search for the stems' prefixes shows without
        # stemming the text.
        self._prefixes = {
            term[: max(_ENDING_LETTERS, len(term) - _ENDING_LETTERS)] for term in term_weights
        }

    def of(self, text: str, language: str) -> float:
        """Return the sum over the distinct words of the query that a text has."""
        return self.sum_of(self.words(text, language))

    def words(self, text: str, language: str) -> set[str]:
        """Return the words of the query that a text has."""
        folded = fold(with_joined_words(text)).casefold()
        # Most texts have none of the words.
        if not any(map(folded.__contains__, self._prefixes)):
            return set()
        return self._term_weights.keys() & terms(text, language)

    def sum_of(self, words: Collection[str]) -> float:
        """Return the sum of the weights of some words, which is exactly the same in any order."""
        return fsum(self._term_weights[word] for word in words if word in self._term_weights)

    @property
    def total(self) -> float:
        """The sum of the weights of all words of the query."""
        return sum(self._term_weights.values())


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
    def words(self) -> str:
        """The text without addresses and the numbers of items."""
        # Few questions ask for a value.
        from brain_cli.answer.screen_rows import display_lines

        return " ".join(line.text for line in display_lines(self.kind, self.text))

    @property
    def needs_former(self) -> bool:
        """Return whether it begins with a pronoun, which stands for something before it."""
        return bool(re.match(_PRONOUN, self.text))

    @property
    def announces(self) -> bool:
        return self.kind not in (CODE, HEADING, HIDDEN) and self.text.rstrip(" *_\n").endswith(
            ANNOUNCING
        )


class NoteToQuote(Record):
    """The sections of a note to quote from, in file order; `is_whole` if these are all sections of
    a short note.

    `nearest` maps the lines of the pieces nearest in meaning to their nearness (0..1); `opening`:
    the query asks for the note's first sentence, by its name or for a definition. `value` is the
    kind of value that the query asks for, of search/question_words.py; `mentions_time` tells
    whether a text has the time that it names. With `local`, a time of the
    calendar, pieces that do not hold at that time are not quoted, if others can be, unless the
    query asks for the `past`.
    """

    title: str
    language: str
    fragments: Sequence[Fragment]
    is_whole: bool = False
    nearest: Mapping[int, float] = MappingProxyType({})
    opening: bool = False
    value: str = ""
    mentions_time: Callable[[str], bool] | None = None
    local: float | None = None
    past: bool = False


def pieces_of(fragment: Fragment, section: int = 0) -> list[Quotable]:
    """Return the headings and the pieces of one section, in order."""
    above = fragment.above.split("\n")
    below = fragment.text.split("\n")
    lines = above + below
    start = fragment.text_line - len(above)
    headings = [
        Piece(HEADING, index, index) for index, line in enumerate(above) if line.strip()
    ]
    pieces: list[Quotable] = []
    end = 0
    for kind, first, last in (*headings, *unpacked(fragment.pieces, len(above))):
        gap = "".join(f"{line}\n" for line in lines[end:first])
        end = last + 1
        text = "\n".join(lines[first:end])
        pieces.append(Quotable(kind, start + first, start + last, text, section, gap))
    return pieces


class WeighedPieces:
    """The pieces of a note with their values."""

    def __init__(self, note: NoteToQuote, term_weights: TermWeights) -> None:
        self.note = note
        self.term_weights = term_weights
        self._pieces = [
            piece
            for section, fragment in enumerate(note.fragments)
            for piece in pieces_of(fragment, section)
        ]
        self._texts = [index for index, piece in enumerate(self._pieces) if piece.is_text]
        self.values = self._all_values()
        self.stale: dict[int, str] = {}
        self.is_filtered = False
        if note.local is not None:
            self._judge(note.local)
        self._order = sorted(self._texts, key=lambda index: -self.values[index])

    def _judge(self, local: float) -> None:
        """Find the pieces that do not hold at a time, and raise the newest of the dated
        sections.
        """
        # Imported here, because few notes have such lines.
        from brain_cli.answer import validity

        self.stale = validity.stale_pieces(self.note, self._pieces, self.values, local)
        if not self.note.past:
            self.stale |= validity.newest_first(self.note, self._pieces, self.values, local)
            stale = [index in self.stale for index in self._texts]
            self.is_filtered = any(stale) and not all(stale)

    @property
    def why_stale(self) -> str:
        """Return why the best piece does not hold; empty if another one answers as well."""
        best = max(self.values, default=0.0)
        others = [value for index, value in enumerate(self.values) if index not in self.stale]
        if not self.stale or max(others, default=0.0) >= ANSWERING_SHARE * best:
            return ""
        return self.stale[max(self.stale, key=lambda index: self.values[index])]

    def __len__(self) -> int:
        return len(self._pieces)

    def __getitem__(self, index: int) -> Quotable:
        return self._pieces[index]

    def are_of_one_section(self, first: int, last: int) -> bool:
        """Return whether two pieces exist, belong to one section, and neither is a heading."""
        if first < 0 or last >= len(self):
            return False
        ends = (self[first], self[last])
        return ends[0].section == ends[1].section and all(each.kind != HEADING for each in ends)

    @property
    def best(self) -> Quotable | None:
        """The piece that says most about the query; None if nothing can be quoted."""
        return next(map(self.__getitem__, self.best_first()), None)

    def best_first(self) -> Iterator[int]:
        """Yield the indexes of the pieces that can be quoted, best first."""
        return filter(self.is_own, self._order)

    def is_own(self, index: int) -> bool:
        """Return whether a piece can be quoted: it holds, and does not only lead elsewhere."""
        if self.is_filtered and index in self.stale:
            return False
        return self[index].is_text and not re.fullmatch(_POINTER, self[index].text)

    def _all_values(self) -> list[float]:
        values: list[float] = []
        for section, pieces in groupby(self._pieces, key=attrgetter("section")):
            around = self._named(self.note.fragments[section])
            before = set[str]()
            for each in pieces:
                own = self._words(each.text) if each.is_text else set[str]()
                values.append(self._value(each, own, before, around) if own else 0.0)
                before = own
        self._raise(values)
        return values

    def _words(self, text: str) -> set[str]:
        return self.term_weights.words(text, self.note.language)

    def _named(self, fragment: Fragment) -> set[str]:
        """Return the query's words in the headings above a section, and in the title."""
        return self._words(" ".join((self.note.title, *fragment.trail)))

    def _value(
        self, each: Quotable, own: set[str], before: set[str], around: set[str]
    ) -> float:
        weigh = self.term_weights.sum_of
        value = (
            weigh(own) + BEFORE * weigh(before - own) + AROUND * weigh(around - own - before)
        )
        value /= 1 + max(0, len(each.text) - USUAL_CHARS) / LONG_CHARS
        return CODE_SHARE * value if each.kind == CODE else value

    def _raise(self, values: list[float]) -> None:
        """Raise the pieces nearest in meaning and those with a value or a time as asked for by a
        share of all words, and put an asked definition first.
        """
        nearest = self.note.nearest
        value = self.note.value
        mentions_time = self.note.mentions_time
        for index in self._texts if nearest or value or mentions_time else ():
            each = self[index]
            if values[index] and value and has_value(value, each.words):
                values[index] += WITH_VALUE * self.term_weights.total
            if mentions_time and mentions_time(each.text):
                values[index] += WITH_VALUE * self.term_weights.total
            inside = (near for line, near in nearest.items() if each.first <= line <= each.last)
            values[index] += NEAREST * max(inside, default=0.0) * self.term_weights.total
        if self.note.opening:
            opening = [index for index in self._texts if self[index].section == 0]
            definitions = (
                index
                for index in opening
                if self[index].kind == PROSE and self[index].text.count(" ") >= MIN_BLANKS
            )
            for first in opening[:1]:
                values[next(definitions, first)] = max(values) + 1.0
