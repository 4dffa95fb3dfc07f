"""Detect weak mentions of a query's words in a note: a lone rare word, only in code, or with another number.

Each is evidence against a note that matches well. A note may have the one rare word of a question in a sentence about
something else, a word may be in a comment of a program, and “Gems of 2021” does not say who won the Gems of 2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from brain_cli.index.note_names import descriptive_names_of
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm
from brain_cli.search.proximity import MAX_CHARS_READ
from brain_cli.types import Fragment
from brain_cli.vault.analyzer import terms, words_of

# A word with more than this share of a note's matched weight counts as the whole match.
LONE_WORD_SHARE = 0.5
# A long journal has a word in thousands of sections.
MAX_SECTIONS = 12
_FENCES = ("```", "~~~")


class Mentions:
    """The words of a query in one note; a compound counts by its parts.

    `is_question`: the query begins with words that only ask.
    """

    def __init__(
        self, snapshot: Snapshot, note_id: int, query: Iterable[ScoredTerm], *, is_question: bool = False
    ) -> None:
        self._snapshot = snapshot
        self._note_id = note_id
        self._is_question = is_question
        self._language = snapshot.language(note_id)
        self._query = [term for term in query if not term.word.optional]
        self._found = [term for term in self._query if note_id in term.scores.notes]
        self._weight = sum(term.weight for term in self._found)
        self._terms_of: dict[str, frozenset[str]] = {}

    @property
    def is_lone_word(self) -> bool:
        """Return whether one word makes most of the match, and no name or heading has any word of the query.

        A word alone is looked up wherever it is said; “what is it?” asks for a note about it.
        """
        may_be_lone = self._found and (self._is_question or len(self._query) > 1)
        if not may_be_lone or any(map(self._is_in_names, self._found)):
            return False
        most = max(term.weight for term in self._found)
        return most > LONE_WORD_SHARE * self._weight and not any(map(self._is_in_headings, self._found))

    @property
    def code_share(self) -> float:
        """Return the share (0..1) of the matched weight of words that are only in blocks of code.

        Code below a heading that has a word of the query does not count.
        """
        in_code = sum(term.weight for term in self._found if self._is_only_in_code(term))
        return in_code / self._weight if self._weight else 0.0

    @property
    def has_another_number(self) -> bool:
        """Return whether the note lacks a number of the query and has another one, of as many digits, in a name."""
        missing = {term.word.text for term in self._query if term.word.text.isdigit() and term not in self._found}
        if not missing:
            return False
        names = descriptive_names_of(self._snapshot.note_table.metadata(self._note_id))
        named = {word for name in names for word in words_of(name) if word.isdigit()}
        return not {len(number) for number in missing}.isdisjoint(map(len, named))

    def _is_in_names(self, term: ScoredTerm) -> bool:
        """Return whether a word is in the note's names, tags or path, or in the links to it.

        “Quicksort” is in the name “Quick Sort”.
        """
        return self._note_id in term.scores.about or any(term.word.text in name for name in self._names_as_one_word)

    @cached_property
    def _names_as_one_word(self) -> list[str]:
        names = descriptive_names_of(self._snapshot.note_table.metadata(self._note_id))
        return ["".join(words_of(name)) for name in names]

    def _is_in_headings(self, term: ScoredTerm) -> bool:
        return any(self._has(section.trail[-1:], term) for section in self._sections(term))

    def _is_only_in_code(self, term: ScoredTerm) -> bool:
        if self._is_in_names(term):
            return False
        sections = self._sections(term)
        if not any(fence in section.text for section in sections for fence in _FENCES):
            return False
        # Code below a heading with words of the question is what the section is about.
        if any(self._has(section.trail, each) for section in sections for each in self._found):
            return False
        return not any(self._has((_prose(section),), term) for section in sections)

    def _sections(self, term: ScoredTerm) -> list[Fragment]:
        """Return the first sections of the note that have a word, which stand for all of them."""
        numbers = (number for number in self._snapshot.numbers_of(self._note_id) if number in term.scores.sections)
        return [self._snapshot.index.fragment(number) for number in islice(numbers, MAX_SECTIONS)]

    def _has(self, texts: tuple[str, ...], term: ScoredTerm) -> bool:
        return any(not self._terms(text).isdisjoint(term.word.variants) for text in texts)

    def _terms(self, text: str) -> frozenset[str]:
        found = self._terms_of.get(text)
        if found is None:
            found = self._terms_of[text] = frozenset(terms(text, self._language))
        return found


def _prose(section: Fragment) -> str:
    """Return the beginning of a section without its fenced blocks."""
    return "\n".join(_lines_outside_fences(section.text[:MAX_CHARS_READ].splitlines()))


def _lines_outside_fences(lines: Sequence[str]) -> Iterator[str]:
    fence = ""
    for line in lines:
        bare = line.lstrip(" \t>")
        mark = bare[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in _FENCES and mark[0] not in bare.lstrip(mark[0]):
            fence = mark
        else:
            yield line
