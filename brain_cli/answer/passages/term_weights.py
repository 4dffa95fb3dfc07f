"""Weigh a text for a query: the sum of the idf of the query's words that it has."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import fsum

from brain_cli.late_pattern import late_pattern
from brain_cli.vault.analyzer import terms
from brain_cli.vault.folding import fold

_LINE_END = late_pattern(r"\n")
_NEVER = late_pattern(r"(?!)")
# A stem may end in other letters than its word (happi, happy); both share the stem without its last letters.
_ENDING_LETTERS = 2
# Inside a compound, only parts of at least this many letters count; shorter ones occur in any word.
MIN_PART_LETTERS = 5
_WITHOUT_JOINTS = str.maketrans("", "", "-‐_.'’")


def sum_of(words: Collection[str], term_weights: Mapping[str, float]) -> float:
    """Return the sum of the weights of some words, which is exactly the same in any order."""
    return fsum(term_weights[word] for word in words if word in term_weights)


class TermWeights:
    """The words of a query; `term_weights` is the idf of each term, a stem."""

    def __init__(self, term_weights: Mapping[str, float]) -> None:
        self._term_weights = term_weights
        # Most texts have none of the words, which a search for the stems' prefixes shows without stemming the text.
        self._by_prefix: dict[str, float] = {}
        self._sum_by_prefix: dict[str, float] = {}
        for term, weight in term_weights.items():
            prefix = term[: max(_ENDING_LETTERS, len(term) - _ENDING_LETTERS)]
            self._by_prefix[prefix] = max(weight, self._by_prefix.get(prefix, 0.0))
            self._sum_by_prefix[prefix] = weight + self._sum_by_prefix.get(prefix, 0.0)
        longest_first = sorted(map(re.escape, self._by_prefix), key=len, reverse=True)
        self._prefixes = re.compile("|".join(longest_first)) if longest_first else _NEVER

    def of(self, text: str, language: str) -> float:
        """Return the sum over the distinct words of the query that a text has."""
        return self.sum_of(self.words(text, language))

    def words(self, text: str, language: str) -> set[str]:
        """Return the words of the query that a text has."""
        if not self._prefixes.search(fold(text).casefold()):
            return set()
        return self._term_weights.keys() & terms(text, language)

    def sum_of(self, words: Collection[str]) -> float:
        """Return the sum of the weights of some words of the query."""
        return sum_of(words, self._term_weights)

    def of_name(self, name: str, language: str) -> float:
        """Return the weight of a name all of whose words, at least two, are in the query; 0 for another name."""
        found = set(terms(name, language))
        return sum_of(found, self._term_weights) if len(found) > 1 and found <= self._term_weights.keys() else 0.0

    def has_all(self, name: str, language: str) -> bool:
        """Return whether all words of a name are in the query."""
        found = set(terms(name, language))
        return bool(found) and found <= self._term_weights.keys()

    def upper_bound(self, folded: str, shares: Sequence[float]) -> float:
        """Return an upper bound of the weight of several parts of a folded text, without splitting it into words.

        `shares` are the factors for a word that occurs once, twice, and more often, because each part may have it.
        """
        bound = 0.0
        # `note-taking` is found as `notetaking`, too.
        text = folded.translate(_WITHOUT_JOINTS)
        for prefix, weight in self._sum_by_prefix.items():
            if found := text.count(prefix):
                bound += weight * shares[min(found, len(shares)) - 1]
        return bound

    def lines(self, text: FoldedText) -> dict[int, float]:
        """Return the lines that may have words of the query, counted from 0, with an upper bound of their weights."""
        found: dict[int, float] = {}
        for prefix, weight in self._by_prefix.items():
            for line in text.lines_with(prefix):
                found[line] = found.get(line, 0.0) + weight
        return found


class FoldedText:
    """A long text, folded once so that words are found in it without case and accents."""

    def __init__(self, text: str) -> None:
        self.text = text.casefold() if text.isascii() else _folded_by_lines(text)

    def __len__(self) -> int:
        """Return the size in a cache, in units of about a hundred bytes."""
        return 1 + len(self.text) // 50

    @cached_property
    def _starts(self) -> list[int]:
        """The positions at which the lines begin."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def between(self, first: int, last: int | None) -> str:
        """Return the folded lines from `first` up to but excluding `last`, or to the end."""
        if not first and last is None:
            return self.text
        end = len(self.text) if last is None or last >= len(self._starts) else self._starts[last]
        return self.text[self._starts[first] : end]

    def lines_with(self, prefix: str) -> Iterator[int]:
        """Yield the lines, from 0, that contain a prefix; a short one must be at the start of a word."""
        position = self.text.find(prefix)
        is_short = len(prefix) < MIN_PART_LETTERS
        while position >= 0:
            if is_short and position and self.text[position - 1].isalnum():
                position = self.text.find(prefix, position + 1)
                continue
            line = bisect_right(self._starts, position) - 1
            yield line
            if line + 1 == len(self._starts):
                return
            position = self.text.find(prefix, self._starts[line + 1])


def _folded_by_lines(text: str) -> str:
    """Return a folded text; only lines with non-ASCII letters take time."""
    return "\n".join((line if line.isascii() else fold(line)).casefold() for line in text.split("\n"))
