"""Split a question into the pieces of a SentencePiece unigram vocabulary, without loading the vocabulary.

`tokenizers` takes more than a second to load 250,000 pieces, which is longer than a whole recall. Here the pieces are
sorted in a file that is mapped into memory, and the few that a question needs are found by binary search. The result
equals that of `tokenizers` (a test compares them), which is faster for the many texts of a vault.

The file: the number of pieces, the number of the unknown piece (u4), the lowest score (f4); for each piece, sorted by
its UTF-8 bytes, its number (u4), its score (f4) and the end of its bytes (u4); then the bytes of all pieces.
"""

from __future__ import annotations

import mmap
import re
import struct
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brain_cli.meaning.q4_file import Vocabulary

BLANK = "▁"
# A character without any piece counts as much less likely than the rarest piece.
UNKNOWN_PENALTY = 10.0
_HEAD, _NUMBER, _SCORE = struct.Struct("<2If"), struct.Struct("<I"), struct.Struct("<f")
_SIZE = 4
# SentencePiece removes the first of these characters, and turns the others into blanks.
_LEFT_OUT = [*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F]
_BLANKS = [0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
_NORMAL: dict[int, str | None] = {**dict.fromkeys(_LEFT_OUT), **dict.fromkeys(_BLANKS, " ")}


_SEVERAL_BLANKS = re.compile(" {2,}")
_WORD = re.compile(f"{BLANK}[^{BLANK}]*")


def pieces_file(vocabulary: Vocabulary) -> bytes:
    """Return the content of the file for a vocabulary."""
    encoded = [text.encode() for text, _ in vocabulary.pieces]
    scores = [score for _, score in vocabulary.pieces]
    in_order = sorted(range(len(encoded)), key=encoded.__getitem__)
    count = len(in_order)
    head = _HEAD.pack(count, vocabulary.unknown, min(scores))
    columns = struct.pack(f"<{count}I{count}f", *in_order, *(scores[number] for number in in_order))
    ends = struct.pack(f"<{count}I", *accumulate(len(encoded[number]) for number in in_order))
    return head + columns + ends + b"".join(encoded[number] for number in in_order)


class Unigram:
    """The vocabulary in a file: a sorted sequence of pieces, as bytes."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._count, self._unknown, lowest = _HEAD.unpack_from(self._content)
        self._unknown_score: float = lowest - UNKNOWN_PENALTY
        self._scores = _HEAD.size + _SIZE * self._count
        self._ends = self._scores + _SIZE * self._count
        self._texts = self._ends + _SIZE * self._count

    def __len__(self) -> int:
        count: int = self._count
        return count

    def __getitem__(self, index: int) -> bytes:
        begin = self._value(_NUMBER, self._ends, index - 1) if index else 0
        end = self._value(_NUMBER, self._ends, index)
        return self._content[self._texts + begin : self._texts + end]

    def numbers(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text."""
        return [number for word in _WORD.findall(_normalized(text)) for number in self._pieces_of(word)]

    def _pieces_of(self, word: str) -> list[int]:
        """Return the most likely pieces of a word (Viterbi); adjacent unknown pieces count as one."""
        best = [
            (0.0, 0, 0),
            *((-inf, 0, 0) for _ in word),
        ]  # for each end: (score, start of its last piece, that piece)
        for begin in range(len(word)):
            score_before = best[begin][0]
            found = [*self._pieces_at(word, begin)]
            if not any(end == begin + 1 for end, _, _ in found):
                found.append((begin + 1, self._unknown_score, self._unknown))
            for end, score, number in found:
                if score_before + score > best[end][0]:
                    best[end] = (score_before + score, begin, number)
        numbers: list[int] = []
        end = len(word)
        while end:
            _, end, number = best[end]
            if not (numbers and number == numbers[-1] == self._unknown):
                numbers.append(number)
        return numbers[::-1]

    def _pieces_at(self, word: str, begin: int) -> Iterator[tuple[int, float, int]]:
        """Yield (end, score, number) of every piece that begins at one position of a word."""
        first = 0
        for end in range(begin + 1, len(word) + 1):
            prefix = word[begin:end].encode("utf-8", "replace")
            first = bisect_left(self, prefix, first)
            found = self[first] if first < len(self) else b""
            if found == prefix:
                yield end, self._value(_SCORE, self._scores, first), self._value(_NUMBER, _HEAD.size, first)
            elif not found.startswith(prefix):
                return

    def _value(self, kind: struct.Struct, column: int, index: int) -> Any:
        return kind.unpack_from(self._content, column + _SIZE * index)[0]


def _normalized(text: str) -> str:
    """Return a text in the form that the model expects: every word begins with a mark for the blank before it."""
    clean = unicodedata.normalize("NFKC", text.translate(_NORMAL))
    marked = _SEVERAL_BLANKS.sub(" ", clean).replace(" ", BLANK)
    return marked if not marked or marked.startswith(BLANK) else BLANK + marked
