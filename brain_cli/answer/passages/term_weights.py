"""Weigh a text for a query: the sum of the idf of the query's words that it has."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import fsum

from brain_cli.answer.passages.section_text import SectionText
from brain_cli.vault.analyzer import terms
from brain_cli.vault.folding import fold

# A stem may end in other letters than its word (happi, happy); both share the stem without its last letters.
_ENDING_LETTERS = 2
_ASCII_JOINTS = "-_.'"
_JOINTS = f"{_ASCII_JOINTS}‐’"


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

    def of(self, text: str, language: str) -> float:
        """Return the sum over the distinct words of the query that a text has."""
        return self.sum_of(self.words(text, language))

    def words(self, text: str, language: str) -> set[str]:
        """Return the words of the query that a text has."""
        folded = fold(text).casefold()
        if not any(map(folded.__contains__, self._by_prefix)):
            return set()
        return self._term_weights.keys() & terms(text, language)

    def sum_of(self, words: Collection[str]) -> float:
        """Return the sum of the weights of some words, which is exactly the same in any order."""
        return fsum(self._term_weights[word] for word in words if word in self._term_weights)

    @property
    def total(self) -> float:
        """The sum of the weights of all words of the query."""
        return sum(self._term_weights.values())

    def of_name(self, name: str, language: str) -> float:
        """Return the weight of a name all of whose words, at least two, are in the query; 0 for another name."""
        found = set(terms(name, language))
        return self.sum_of(found) if len(found) > 1 and found <= self._term_weights.keys() else 0.0

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
        text = _without_joints(folded)
        for prefix, weight in self._sum_by_prefix.items():
            if found := text.count(prefix):
                bound += weight * shares[min(found, len(shares)) - 1]
        return bound

    def lines(self, section: SectionText) -> dict[int, float]:
        """Return the lines that may have words of the query, counted from 0, with an upper bound of their weights."""
        found: dict[int, float] = {}
        for prefix, weight in self._by_prefix.items():
            for line in section.lines_with(prefix):
                found[line] = found.get(line, 0.0) + weight
        return found


def _without_joints(text: str) -> str:
    """Return a text with each compound as one word."""
    for joint in _ASCII_JOINTS if text.isascii() else _JOINTS:
        text = text.replace(joint, "")
    return text
