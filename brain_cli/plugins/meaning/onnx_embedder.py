"""Run an installed model with onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime

from brain_cli.plugins.meaning.embedders import GRAPH, PIECES, TOKENIZER, WORDS, Model, Question
from brain_cli.plugins.meaning.int8 import as_floats, row_type

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

# Texts of similar length form a batch, so that it has little padding. Batches of 32 take a third longer.
TEXTS_AT_ONCE = 8


class OnnxEmbedder:
    """A model loaded from its folder; `threads` 0 uses all cores."""

    def __init__(self, model: Model, folder: str, threads: int = 0) -> None:
        self.name = model.name
        self._model = model
        self._folder = folder
        self._session = onnxruntime.InferenceSession(
            os.path.join(folder, GRAPH), _options(threads), providers=["CPUExecutionProvider"]
        )
        self.dimensions = int(self._session.get_outputs()[0].shape[1])
        self._words = np.memmap(os.path.join(folder, WORDS), row_type(self.dimensions), "r")
        self._pieces = model.pieces(os.path.join(folder, PIECES))

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed passages; the rows are in the order of the texts."""
        encoded = self._tokenizer.encode_batch([self._model.passage_prefix + _valid(text) for text in texts])
        ids = [each.ids for each in encoded]
        in_order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        vectors = np.empty((len(ids), self.dimensions), np.float32)
        for first in range(0, len(ids), TEXTS_AT_ONCE):
            batch = in_order[first : first + TEXTS_AT_ONCE]
            vectors[batch] = self._run([ids[index] for index in batch])[0]
        return vectors

    def tokens(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Embed every token of some passages; return a matrix for each, with a row for each token."""
        found = [self._split(self._model.passage_prefix + text)[0] for text in texts]
        tokens = self._run(found)[1]
        return [rows[1 : len(each) - 1] for rows, each in zip(tokens, found, strict=True)]

    def query(self, text: str) -> Question:
        """Embed a question."""
        ids, words = self._split(self._model.query_prefix + text)
        vectors, tokens = self._run([ids])
        return Question(vectors[0], tokens[0, 1:-1], words)

    def _split(self, text: str) -> tuple[list[int], tuple[str, ...]]:
        """Return the numbers of a text's tokens with those around it, and the word of each token without them."""
        tokens = [(number, word) for word in self._pieces.words(_valid(text)) for number in self._pieces.numbers(word)]
        kept = tokens[: self._model.most_tokens - 2]
        ids = [self._pieces.first, *(number for number, _ in kept), self._pieces.last]
        return ids, tuple(word for _, word in kept)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(os.path.join(self._folder, TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._model.most_tokens)
        return tokenizer

    def _run(self, ids: Sequence[Sequence[int]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the vector of each text, and the vectors of its tokens, padded to the longest text."""
        longest = max(map(len, ids))
        padded = np.array(list(_padded(ids, longest)), np.int64)
        mask = np.array(list(_padded([[1] * len(each) for each in ids], longest)), np.int64)
        words = as_floats(self._words[padded])
        vectors, tokens = self._session.run(["vectors", "tokens"], {"words": words, "mask": mask})
        return vectors, tokens


def _valid(text: str) -> str:
    """Return a text without surrogates, which stand for bytes that are not UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _padded(rows: Sequence[Sequence[int]], length: int) -> Iterator[list[int]]:
    for row in rows:
        yield [*row, *[0] * (length - len(row))]


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # The graph is written with fused operators; optimising it again would only take time.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # Waiting threads sleep, which leaves the processor to other programs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return options
