"""Read the vocabulary of a tokenizer from a file that is mapped into memory, without loading it.

`tokenizers` takes more than a second to load 250,000 pieces, which is longer than a whole recall. Here the pieces are
sorted, and the few that a question needs are found by binary search.

The file: the number of pieces, the number of the unknown piece (u4), the lowest score (f4); for each piece, sorted by
its UTF-8 bytes, its number (u4), its score (f4) and the end of its bytes (u4); then the bytes of all pieces.
"""

from __future__ import annotations

import mmap
import struct
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

_HEAD, _NUMBER, _SCORE = struct.Struct("<2If"), struct.Struct("<I"), struct.Struct("<f")
_SIZE = 4
# A vocabulary remembers the pieces of so many words.
MAX_CACHED_WORDS = 20_000


class Vocabulary(NamedTuple):
    """The pieces of words, each with its score (log probability), and the number of the unknown piece."""

    pieces: list[tuple[str, float]]
    unknown: int


def piece_file(vocabulary: Vocabulary) -> bytes:
    """Return the content of the file for a vocabulary."""
    encoded = [text.encode() for text, _ in vocabulary.pieces]
    scores = [score for _, score in vocabulary.pieces]
    in_order = sorted(range(len(encoded)), key=encoded.__getitem__)
    count = len(in_order)
    head = _HEAD.pack(count, vocabulary.unknown, min(scores))
    columns = struct.pack(f"<{count}I{count}f", *in_order, *(scores[number] for number in in_order))
    ends = struct.pack(f"<{count}I", *accumulate(len(encoded[number]) for number in in_order))
    return head + columns + ends + b"".join(encoded[number] for number in in_order)


class PieceFile:
    """The vocabulary in a file: a sorted sequence of pieces, as bytes."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._count, self.unknown, self.lowest_score = _HEAD.unpack_from(self._content)
        self._scores = _HEAD.size + _SIZE * self._count
        self._ends = self._scores + _SIZE * self._count
        self._texts = self._ends + _SIZE * self._count

    def __len__(self) -> int:
        count: int = self._count
        return count

    def __getitem__(self, index: int) -> bytes:
        begin = self._number(self._ends, index - 1) if index else 0
        return self._content[self._texts + begin : self._texts + self._number(self._ends, index)]

    def find(self, piece: str) -> int:
        """Return the number of a piece; that of the unknown piece if there is none."""
        index = bisect_left(self, piece.encode())
        return self.number(index) if index < len(self) and self[index] == piece.encode() else self.unknown

    def pieces_at(self, word: str, begin: int, before: str = "") -> Iterator[tuple[int, float, int]]:
        """Yield (end, score, number) of every piece that begins at one position of a word, the shortest first.

        `before` is the mark that the vocabulary puts before such a piece.
        """
        first = 0
        for end in range(begin + 1, len(word) + 1):
            prefix = (before + word[begin:end]).encode("utf-8", "replace")
            first = bisect_left(self, prefix, first)
            found = self[first] if first < len(self) else b""
            if found == prefix:
                yield end, _SCORE.unpack_from(self._content, self._scores + _SIZE * first)[0], self.number(first)
            elif not found.startswith(prefix):
                return

    def number(self, index: int) -> int:
        """Return the number of a piece by its position in the order of the file."""
        return self._number(_HEAD.size, index)

    def _number(self, column: int, index: int) -> int:
        number: int = _NUMBER.unpack_from(self._content, column + _SIZE * index)[0]
        return number
