"""Weigh a text for a query: the sum of the idf of the query's words that it has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum

from brain_cli.vault.analyzer import fold, terms

# A stem may end in other letters than its word (happi, happy); both share the stem without its last letters.
_ENDING_LETTERS = 2


class TermWeights:
    """The words of a query; `term_weights` is the idf of each term, a stem."""

    def __init__(self, term_weights: Mapping[str, float]) -> None:
        self._term_weights = term_weights
        # Most texts have none of the words, which a search for the stems' prefixes shows without stemming the text.
        self._prefixes = {term[: max(_ENDING_LETTERS, len(term) - _ENDING_LETTERS)] for term in term_weights}

    def of(self, text: str, language: str) -> float:
        """Return the sum over the distinct words of the query that a text has."""
        return self.sum_of(self.words(text, language))

    def words(self, text: str, language: str) -> set[str]:
        """Return the words of the query that a text has."""
        if not self.may_be_in(folded_text(text)):
            return set()
        return self._term_weights.keys() & terms(text, language)

    def may_be_in(self, folded: str) -> bool:
        """Return whether a folded text may have a word of the query; false only if it has none."""
        return any(map(folded.__contains__, self._prefixes))

    def sum_of(self, words: Collection[str]) -> float:
        """Return the sum of the weights of some words, which is exactly the same in any order."""
        return fsum(self._term_weights[word] for word in words if word in self._term_weights)

    @property
    def total(self) -> float:
        """The sum of the weights of all words of the query."""
        return sum(self._term_weights.values())


def folded_text(text: str) -> str:
    """Return a text without accents and capital letters."""
    return text.casefold() if text.isascii() else fold(text).casefold()
