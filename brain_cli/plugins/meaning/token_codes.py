"""Keep the vectors of a passage's tokens in two bits a component, so that no model reads the
passage for a question.

The first bit is the sign of a component. The second is the same for a large one, else the other.
With bits that count as 1 or -1, a component of a vector of length 1 is about

    (FIRST * bit 1 + SECOND * bit 2) / sqrt(number of components)

so its product with a component of a question's token, which keeps its vector, is a sum of two
products with bits. The constants make these cosines as large as the exact ones on average; both
correlate by .98.

A passage is read in parts: the context before its sentences, then each sentence. Its record has the
number of parts (u2), the line (u4) and the number of tokens (u2) of each part, and the codes of all
tokens but punctuation.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, count, pairwise
from math import sqrt
from struct import pack, unpack_from
from typing import TYPE_CHECKING

from brain_cli.plugins.meaning.onnx_session import FLOAT_BYTES, products
from brain_cli.record import Record

if TYPE_CHECKING:
    from brain_cli.plugins.meaning.embedder import Embedded, Question

FIRST = 0.872
SECOND = 0.525
BITS = 2
COUNT_BYTES = 2
PART_BYTES = 6
# The last byte of a float has its sign and most of its exponent: from this one on it is 1/32 or
# more, but for the sign.
LARGE = 0x3D
# From such a byte to both bits of a component, as a digit; and from a bit, as a digit, to 1 or -1.
_DIGITS = bytes(b"2310"[2 * (byte >> 7) + (byte & 0x7F >= LARGE)] for byte in range(256))
_SIGNS = bytes.maketrans(b"01", bytes([255, 1]))


class PassagePart(Record):
    """A part of a passage: its line, and for each token of a question the largest cosine with a
    token of the part.
    """

    line: int
    cosines: Sequence[float]


def record_of(lines: Sequence[int], embedded: Embedded) -> bytes:
    """Return the record of a passage whose parts begin on these lines, without the tokens of
    punctuation.
    """
    size = len(embedded.vector)
    digits = embedded.tokens.tobytes()[FLOAT_BYTES - 1 :: FLOAT_BYTES].translate(_DIGITS)
    places = count(0, size)
    kept = [
        [
            place
            for word, place in zip(words, places, strict=False)
            if any(map(str.isalnum, word))
        ]
        for words in embedded.words
    ]
    found = b"".join(digits[place : place + size] for part in kept for place in part)
    codes = int(found or b"0", 1 << BITS).to_bytes(len(found) * BITS // 8, "big")
    return pack(f"<H{len(lines)}I{len(lines)}H", len(lines), *lines, *map(len, kept)) + codes


def weighted(tokens: Sequence[float], size: int) -> array[float]:
    """Return the vectors of a question's tokens, each of so many components, as factors for the
    bits of a passage.
    """
    found = array("f", bytes(BITS * FLOAT_BYTES * len(tokens)))
    for bit, weight in enumerate((FIRST, SECOND)):
        found[bit::BITS] = array("f", (weight / sqrt(size) * each for each in tokens))
    return found


def closest(question: Question, record: bytes) -> list[PassagePart]:
    """Compare a question with each part of a passage; a part without tokens has cosines of 0."""
    [parts] = unpack_from("<H", record)
    numbers = unpack_from(f"<{parts}I{parts}H", record, COUNT_BYTES)
    # The first digit keeps the zeros after it.
    digits = bin(int.from_bytes(b"\1" + record[COUNT_BYTES + PART_BYTES * parts :], "big"))[3:]
    bits = bytearray(digits, "ascii").translate(_SIGNS)
    asked = len(question.words)
    found = products(bits, question.tokens, BITS * len(question.vector)) if asked else []

    def largest(begin: int, end: int) -> list[float]:
        return [
            max(found[asked * begin + token : asked * end : asked], default=0.0)
            for token in range(asked)
        ]

    spans = pairwise(accumulate(numbers[parts:], initial=0))
    return [
        PassagePart(line, largest(*span)) for line, span in zip(numbers, spans, strict=False)
    ]
