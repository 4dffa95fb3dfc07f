"""What a text is worth to a query: the sum of the idf of the query's words that it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from brain_cli.vault.analyzer import terms
from brain_cli.vault.folding import fold

_NEVER = re.compile(r"(?!)")
# A stem may end in other letters than its word (happi, happy): its beginning is in both.
_LETTERS_LEFT_OUT = 2


class Worths:
    """The words of a query; `worths` is the idf of each term, a stem."""

    def __init__(self, worths: Mapping[str, float]) -> None:
        self._worths = worths
        # Most texts have none of the words: that is seen by the beginnings of their stems, without stemming the text.
        self._by_beginning: dict[str, float] = {}
        for term, worth in worths.items():
            beginning = term[: max(_LETTERS_LEFT_OUT, len(term) - _LETTERS_LEFT_OUT)]
            self._by_beginning[beginning] = max(worth, self._by_beginning.get(beginning, 0.0))
        longest_first = sorted(map(re.escape, self._by_beginning), key=len, reverse=True)
        self._beginnings = re.compile("|".join(longest_first)) if longest_first else _NEVER

    def of(self, text: str, language: str) -> float:
        """Return the sum over the distinct words of the query that a text has."""
        if not self._beginnings.search(fold(text).casefold()):
            return 0.0
        return sum(self._worths.get(term, 0.0) for term in set(terms(text, language)))

    def lines(self, folded: str) -> Iterator[tuple[int, float]]:
        """Yield the lines of a folded text that may have words of the query, from 0, and what they may be worth."""
        place = start = 0
        while match := self._beginnings.search(folded, start):
            place += folded.count("\n", start, match.start())
            end = folded.find("\n", match.start())
            end = len(folded) if end < 0 else end
            begun = set(self._beginnings.findall(folded, match.start(), end))
            yield place, sum(map(self._by_beginning.__getitem__, begun))
            start = end
