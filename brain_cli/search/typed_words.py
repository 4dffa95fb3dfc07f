"""Show the words of a query as they were typed: “Bücher”, which is looked up as “bucher”."""

from __future__ import annotations

import re
from collections.abc import Iterable

from brain_cli.vault.analyzer import MAX_QUERY_CHARS, words_of

_LETTERS = re.compile(r"[^\W_]+")


class TypedWords:
    """The words of a query by the form in which they are looked up; of two spellings the first one counts."""

    def __init__(self, query: str) -> None:
        self._typed: dict[str, str] = {}
        for typed in _LETTERS.findall(_composed(query[:MAX_QUERY_CHARS])):
            words = words_of(typed)
            if len(words) == 1:
                self._typed.setdefault(words[0], typed)

    def of(self, word: str) -> str:
        """Return a word as typed; one that is only a part of what was typed is returned unchanged."""
        return self._typed.get(word, word)

    def of_all(self, words: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.of, words))


def _composed(text: str) -> str:
    """Return a text in which a letter and its accents are one character."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text)
