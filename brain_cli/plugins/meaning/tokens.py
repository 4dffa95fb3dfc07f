"""Split texts into tokens, with a vocabulary in a file that is mapped into memory, without loading
it.

The results equal those of `tokenizers` (tests compare them), which takes more than a second to load
250,000 pieces, longer than a whole recall. Here the pieces are sorted, and the few that a question
needs are found by binary search.

The file: the number of pieces, the number of the unknown piece (u4), the lowest score (f4); for
each piece, sorted by its UTF-8 bytes, its number (u4), its score (f4) and the end of its bytes
(u4); then the bytes of all pieces.
"""

from __future__ import annotations

import mmap
import re
import struct
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from math import inf
from string import punctuation
from typing import ClassVar

from brain_cli.record import Record

_HEAD = struct.Struct("<2If")
# A vocabulary remembers the pieces of so many words.
MAX_CACHED_WORDS = 20_000


class Vocabulary(Record):
    """The pieces of words, each with its score (log probability), and the number of the unknown
    piece.
    """

    pieces: list[tuple[str, float]]
    unknown: int


def piece_file(vocabulary: Vocabulary) -> bytes:
    """Return the content of the file for a vocabulary."""
    encoded = [text.encode() for text, _ in vocabulary.pieces]
    scores = [score for _, score in vocabulary.pieces]
    in_order = sorted(range(len(encoded)), key=encoded.__getitem__)
    count = len(in_order)
    head = _HEAD.pack(count, vocabulary.unknown, min(scores))
    columns = struct.pack(
        f"<{count}I{count}f", *in_order, *(scores[number] for number in in_order)
    )
    ends = struct.pack(f"<{count}I", *accumulate(len(encoded[number]) for number in in_order))
    return head + columns + ends + b"".join(encoded[number] for number in in_order)


class PieceFile:
    """The vocabulary in a file: a sorted sequence of pieces, as bytes."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        count, self.unknown, self.lowest_score = _HEAD.unpack_from(self._content)
        first, second, third, self._texts = (
            _HEAD.size + 4 * count * column for column in range(4)
        )
        columns = memoryview(self._content)
        self._numbers = columns[first:second].cast("I")
        self._scores = columns[second:third].cast("f")
        self._ends = columns[third : self._texts].cast("I")

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: int) -> bytes:
        begin = self._ends[index - 1] if index else 0
        return self._content[self._texts + begin : self._texts + self._ends[index]]

    def find(self, piece: str) -> int:
        """Return the number of a piece; the number of the unknown piece if there is none."""
        index = bisect_left(self, piece.encode())
        return (
            self._numbers[index]
            if index < len(self) and self[index] == piece.encode()
            else self.unknown
        )

    def pieces_at(
        self, word: str, begin: int, before: str = ""
    ) -> Iterator[tuple[int, float, int]]:
        """Yield (end, score, number) of every piece that begins at one position of a word, the
        shortest first.

        `before` is the mark that the vocabulary puts before such a piece.
        """
        first = 0
        for end in range(begin + 1, len(word) + 1):
            prefix = (before + word[begin:end]).encode("utf-8", "replace")
            first = bisect_left(self, prefix, first)
            found = self[first] if first < len(self) else b""
            if found == prefix:
                yield end, self._scores[first], self._numbers[first]
            elif not found.startswith(prefix):
                return


class Tokenizer:
    """A vocabulary that splits a text into tokens; `first` and `last` are the numbers of the tokens
    around a text.
    """

    AROUND: ClassVar[tuple[str, str]]

    def __init__(self, path: str) -> None:
        self._file = PieceFile(path)
        self.first, self.last = map(self._file.find, self.AROUND)
        self.numbers = lru_cache(MAX_CACHED_WORDS)(self._numbers)

    def words(self, text: str) -> list[str]:
        """Split a text into words as the model reads them."""
        raise NotImplementedError

    def _numbers(self, word: str) -> list[int]:
        """Return the numbers of the tokens of a word."""
        raise NotImplementedError


BLANK = "▁"
# A character without any piece counts as much less likely than the rarest piece.
UNKNOWN_PENALTY = 10.0
# SentencePiece removes the first of these characters, and turns the others into blanks.
_LEFT_OUT = re.compile(r"[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
_BLANKS = re.compile(r"[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]")
_SEVERAL_BLANKS = re.compile(" {2,}")
_WORD = re.compile(f"{BLANK}[^{BLANK}]*")


class Unigram(Tokenizer):
    """Splits a text into the pieces of a SentencePiece unigram vocabulary: those that are most
    likely together.
    """

    AROUND = "<s>", "</s>"

    def words(self, text: str) -> list[str]:
        """Split a text at its blanks, as the model expects it."""
        return _WORD.findall(_normalized(text))

    def _numbers(self, word: str) -> list[int]:
        """Return the numbers of the most likely pieces of a word (Viterbi); adjacent unknown pieces
        count as one.
        """
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
        """Yield the pieces that begin at one position, including the unknown one if no piece has
        one character.
        """
        is_known = False
        for end, score, number in self._file.pieces_at(word, begin):
            is_known |= end == begin + 1
            yield end, score, number
        if not is_known:
            yield begin + 1, self._file.lowest_score - UNKNOWN_PENALTY, self._file.unknown


def _normalized(text: str) -> str:
    """Return a text in the form that the model expects: every word begins with a mark for the blank
    before it.
    """
    clean = unicodedata.normalize("NFKC", _BLANKS.sub(" ", _LEFT_OUT.sub("", text)))
    marked = _SEVERAL_BLANKS.sub(" ", clean).replace(" ", BLANK)
    return marked if not marked or marked.startswith(BLANK) else BLANK + marked


# The mark of a piece that does not begin a word.
INSIDE = "##"
MAX_WORD_CHARS = 100
# The blocks of Chinese characters, each of which is a word.
_CHINESE = re.compile(
    r"[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U0002a6df"
    r"\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


class WordPiece(Tokenizer):
    """Splits a text as BERT does: a word is the longest piece that begins it, and then the longest
    ones that follow.
    """

    AROUND = "[CLS]", "[SEP]"

    def words(self, text: str) -> list[str]:
        """Split a text into words and signs, in lower case and without accents."""
        return text.translate(_FORMS).split()

    def _numbers(self, word: str) -> list[int]:
        """Return the numbers of the pieces of a word; a word that cannot be split is the unknown
        piece.
        """
        if (whole := self._file.find(word)) != self._file.unknown:
            return [whole]
        found: list[int] = []
        begin = 0
        while begin < len(word) <= MAX_WORD_CHARS:
            pieces = [*self._file.pieces_at(word, begin, INSIDE if begin else "")]
            if not pieces:
                break
            begin, _, number = pieces[-1]
            found.append(number)
        return found if begin == len(word) else [self._file.unknown]


class _Forms(dict[int, str]):
    """How BERT reads each character, by its code: computed on first use, because a text has few
    different ones.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in "\t\n\r" or unicodedata.category(char) == "Zs":
            form = " "
        elif char in "\0\ufffd" or unicodedata.category(char).startswith("C"):
            form = ""
        else:
            decomposed = unicodedata.normalize("NFD", char)
            plain = "".join(
                each for each in decomposed if unicodedata.category(each) != "Mn"
            ).lower()
            form = "".join(f" {each} " if _is_sign(each) else each for each in plain)
            if _CHINESE.match(char):
                form = f" {form} "
        self[code] = form
        return form


_FORMS = _Forms()


def _is_sign(char: str) -> bool:
    """Return whether a character is punctuation; all ASCII characters but letters and
    digits are.
    """
    return char in punctuation or unicodedata.category(char).startswith("P")
