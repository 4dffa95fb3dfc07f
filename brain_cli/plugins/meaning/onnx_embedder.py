"""Run an installed model: texts in, vectors out."""

from __future__ import annotations

import mmap
import os
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from brain_cli.plugins.meaning.embedders import GRAPH, PIECES, TOKENS, VECTORS, WORDS, WORDS_HEAD, Model, Question
from brain_cli.plugins.meaning.onnx_session import FLOAT_BYTES, OnnxSession, Tensor, largest_products

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Texts of similar length form a batch, so that it has little padding. Batches of 32 take a third longer.
TEXTS_AT_ONCE = 8
# A daemon keeps the tokens of so many passages, 100 KB each, for notes that are found again and again.
MAX_PASSAGES_KEPT = 150


class OnnxEmbedder:
    """A model loaded from its folder; `threads` 0 uses all cores."""

    def __init__(self, model: Model, folder: str, threads: int = 0) -> None:
        self.name = model.name
        self._model = model
        self._folder = folder
        self._session = OnnxSession(os.path.join(folder, GRAPH), threads)
        self._pieces = model.pieces(os.path.join(folder, PIECES))
        with open(os.path.join(folder, WORDS), "rb") as file:
            self._words = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.dimensions = WORDS_HEAD.unpack_from(self._words)[0]
        self._tokens = lru_cache(MAX_PASSAGES_KEPT)(self._embedded_tokens)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed passages; the rows are in the order of the texts."""
        import numpy as np

        ids = [self._split(self._model.passage_prefix + text)[0] for text in texts]
        in_order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        vectors = np.empty((len(ids), self.dimensions), np.float32)
        for first in range(0, len(ids), TEXTS_AT_ONCE):
            batch = in_order[first : first + TEXTS_AT_ONCE]
            found = self._run([ids[index] for index in batch], VECTORS)
            vectors[batch] = np.asarray(found).reshape(len(batch), -1)
        return vectors

    def query(self, text: str) -> Question:
        """Embed a question."""
        ids, words = self._split(self._model.query_prefix + text)
        vector = self._run([ids], VECTORS)
        return Question(vector, text, words)

    def closest(self, question: Question, parts: Sequence[str]) -> list[list[float]]:
        """Return for each part of a passage, and each token of a question, the largest cosine with a token of the part.

        The model reads the parts joined by blanks; an empty part has cosines of 0.
        """
        asked = self._tokens(self._model.query_prefix + question.text)
        prefix, size = self._model.passage_prefix, self.dimensions
        tokens, start = self._tokens(prefix + " ".join(parts)), 0
        found: list[list[float]] = []
        for index, part in enumerate(parts):
            end = start + size * self._length(part if index else prefix + part)
            found.append(largest_products(asked, tokens[start:end], size))
            start = end
        return found

    def _length(self, text: str) -> int:
        return sum(len(self._pieces.numbers(word)) for word in self._pieces.words(_valid(text)))

    def _split(self, text: str) -> tuple[list[int], tuple[str, ...]]:
        """Return the numbers of a text's tokens with those around it, and the word of each token without them."""
        tokens = [(number, word) for word in self._pieces.words(_valid(text)) for number in self._pieces.numbers(word)]
        kept = tokens[: self._model.most_tokens - 2]
        ids = [self._pieces.first, *(number for number, _ in kept), self._pieces.last]
        return ids, tuple(word for _, word in kept)

    def _embedded_tokens(self, text: str) -> memoryview[float]:
        """Return the vectors of a text's tokens, without the two around it.

        The text is embedded alone, because its company would change the rounding, and a daemon's answers.
        """
        return self._run([self._split(text)[0]], TOKENS)[self.dimensions : -self.dimensions]

    def _run(self, ids: Sequence[Sequence[int]], output: str) -> memoryview[float]:
        """Return the vectors of some texts, or those of their tokens, padded to the longest text."""
        longest = max(map(len, ids))
        shape = len(ids), longest
        padded = [*chain.from_iterable(_padded(ids, longest))]
        mask = array("q", chain.from_iterable(_padded([[1] * len(each) for each in ids], longest)))
        size, head = FLOAT_BYTES + self.dimensions, WORDS_HEAD.size
        rows = [self._words[head + number * size : head + (number + 1) * size] for number in padded]
        words = b"".join(row[FLOAT_BYTES:] for row in rows)
        scales = b"".join(row[:FLOAT_BYTES] for row in rows)
        inputs = {
            "words": Tensor(words, (*shape, self.dimensions), "b"),
            "scales": Tensor(scales, (*shape, 1)),
            "mask": Tensor(mask, shape, "q"),
        }
        vectors = len(ids) if output == VECTORS else len(padded)
        return self._session.run(inputs, output, vectors * self.dimensions)


def _valid(text: str) -> str:
    """Return a text without surrogates, which stand for bytes that are not UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _padded(rows: Sequence[Sequence[int]], length: int) -> Iterator[list[int]]:
    for row in rows:
        yield [*row, *[0] * (length - len(row))]
