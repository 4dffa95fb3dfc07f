"""Split a text into the pieces of a SentencePiece unigram vocabulary.

The result equals that of `tokenizers` (a test compares them), which takes a second to load the vocabulary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from math import inf

from brain_cli.plugins.meaning.piece_file import MAX_CACHED_WORDS, PieceFile

BLANK = "▁"
# A character without any piece counts as much less likely than the rarest piece.
UNKNOWN_PENALTY = 10.0
# The tokens before and after a text.
FIRST, LAST = "<s>", "</s>"
# SentencePiece removes the first of these characters, and turns the others into blanks.
_LEFT_OUT = [*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F]
_BLANKS = [0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
_NORMAL: dict[int, str | None] = {**dict.fromkeys(_LEFT_OUT), **dict.fromkeys(_BLANKS, " ")}


_SEVERAL_BLANKS = re.compile(" {2,}")
_WORD = re.compile(f"{BLANK}[^{BLANK}]*")


class Unigram:
    """A vocabulary of pieces with their probabilities."""

    def __init__(self, path: str) -> None:
        self._file = PieceFile(path)
        self.first, self.last = self._file.find(FIRST), self._file.find(LAST)
        self.numbers = lru_cache(MAX_CACHED_WORDS)(self._numbers)

    def words(self, text: str) -> list[str]:
        """Split a text at its blanks, as the model expects it."""
        return _WORD.findall(_normalized(text))

    def _numbers(self, word: str) -> list[int]:
        """Return the numbers of the most likely pieces of a word (Viterbi); adjacent unknown pieces count as one."""
        # For each end: (score, start of its last piece, that piece).
        best = [(0.0, 0, 0), *((-inf, 0, 0) for _ in word)]
        for begin in range(len(word)):
            score_before = best[begin][0]
            for end, score, number in self._pieces_at(word, begin):
                if score_before + score > best[end][0]:
                    best[end] = (score_before + score, begin, number)
        numbers: list[int] = []
        end = len(word)
        while end:
            _, end, number = best[end]
            if not (numbers and number == numbers[-1] == self._file.unknown):
                numbers.append(number)
        return numbers[::-1]

    def _pieces_at(self, word: str, begin: int) -> Iterator[tuple[int, float, int]]:
        """Yield the pieces that begin at one position, including the unknown one if no piece has one character."""
        is_known = False
        for end, score, number in self._file.pieces_at(word, begin):
            is_known |= end == begin + 1
            yield end, score, number
        if not is_known:
            yield begin + 1, self._file.lowest_score - UNKNOWN_PENALTY, self._file.unknown


def _normalized(text: str) -> str:
    """Return a text in the form that the model expects: every word begins with a mark for the blank before it."""
    clean = unicodedata.normalize("NFKC", text.translate(_NORMAL))
    marked = _SEVERAL_BLANKS.sub(" ", clean).replace(" ", BLANK)
    return marked if not marked or marked.startswith(BLANK) else BLANK + marked
