"""An installed model → an embedder that runs in onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from brain_cli.meaning import GRAPH, TOKENIZER, Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Texts of like length go through the model together, so that little of a batch is padding.
TEXTS_AT_ONCE = 32


class OnnxEmbedder:
    """A model loaded from its folder; `threads` 0 takes all cores."""

    def __init__(self, model: Model, folder: str, threads: int = 0) -> None:
        self.name = model.name
        self._model = model
        self._tokenizer = Tokenizer.from_file(os.path.join(folder, TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(model.most_tokens)
        self._session = onnxruntime.InferenceSession(
            os.path.join(folder, GRAPH), _options(threads), providers=["CPUExecutionProvider"]
        )
        self.dimensions = int(self._session.get_outputs()[0].shape[1])

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed passages; the rows are in the order of the texts."""
        encoded = self._tokenizer.encode_batch([self._model.passage_prefix + text for text in texts])
        ids = [each.ids for each in encoded]
        in_order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        vectors = np.empty((len(ids), self.dimensions), np.float32)
        for first in range(0, len(ids), TEXTS_AT_ONCE):
            places = in_order[first : first + TEXTS_AT_ONCE]
            vectors[places] = self._run([ids[place] for place in places])
        return vectors

    def query(self, text: str) -> NDArray[np.float32]:
        """Embed a question."""
        vector: NDArray[np.float32] = self._run([self._tokenizer.encode(self._model.query_prefix + text).ids])[0]
        return vector

    def _run(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        longest = max(map(len, ids))
        padded = np.array(list(_padded(ids, longest)), np.int64)
        mask = np.array(list(_padded([[1] * len(each) for each in ids], longest)), np.int64)
        vectors: NDArray[np.float32] = self._session.run(None, {"input_ids": padded, "attention_mask": mask})[0]
        return vectors


def _padded(rows: Sequence[Sequence[int]], length: int) -> Iterator[list[int]]:
    for row in rows:
        yield [*row, *[0] * (length - len(row))]


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # The graph is written in its fused form: optimising it again would only take time.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return options
