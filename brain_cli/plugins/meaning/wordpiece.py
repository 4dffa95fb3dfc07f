"""Split a text into the pieces of a WordPiece vocabulary, as BERT does.

The result equals that of `tokenizers` (a test compares them), whose import takes longer than a whole
recall.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from brain_cli.plugins.meaning.piece_file import MAX_CACHED_WORDS, PieceFile

# The mark of a piece that does not begin a word.
INSIDE = "##"
MAX_WORD_CHARS = 100
# The tokens before and after a text.
FIRST, LAST = "[CLS]", "[SEP]"
# The blocks of Chinese characters, each of which is a word.
_CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """A vocabulary of pieces; a word is the longest piece that begins it, and then the longest ones that follow."""

    def __init__(self, path: str) -> None:
        self._file = PieceFile(path)
        self.first, self.last = self._file.find(FIRST), self._file.find(LAST)
        self.numbers = lru_cache(MAX_CACHED_WORDS)(self._numbers)

    def words(self, text: str) -> list[str]:
        """Split a text into words and signs, in lower case and without accents."""
        clean = "".join(f" {char} " if _stands_alone(char) else char for char in _cleaned(text))
        return "".join(f" {char} " if _is_sign(char) else char for char in _without_accents(clean)).split()

    def _numbers(self, word: str) -> list[int]:
        """Return the numbers of the pieces of a word; a word that cannot be split is the unknown piece."""
        found: list[int] = []
        begin = 0
        while begin < len(word) <= MAX_WORD_CHARS:
            pieces = [*self._file.pieces_at(word, begin, INSIDE if begin else "")]
            if not pieces:
                break
            begin, _, number = pieces[-1]
            found.append(number)
        return found if begin == len(word) else [self._file.unknown]


def _cleaned(text: str) -> Iterator[str]:
    """Yield the characters without control characters; every kind of blank is a space."""
    for char in text:
        if char in "\t\n\r" or unicodedata.category(char) == "Zs":
            yield " "
        elif char not in "\0\ufffd" and not unicodedata.category(char).startswith("C"):
            yield char


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if unicodedata.category(char) != "Mn").lower()


def _is_sign(char: str) -> bool:
    """Return whether a character is punctuation; all ASCII characters but letters and digits are."""
    return (char.isascii() and not char.isalnum() and not char.isspace()) or unicodedata.category(char).startswith("P")


def _stands_alone(char: str) -> bool:
    return not char.isascii() and any(first <= ord(char) <= last for first, last in _CHINESE)
