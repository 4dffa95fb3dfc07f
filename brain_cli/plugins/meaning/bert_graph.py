"""Build an ONNX graph with 8-bit weights from the weights of a BERT encoder, and the table of its word embeddings.

The graph takes the embeddings of the tokens of some texts, as whole numbers with scales, and a mask. It returns vectors
of length 1: one for each text, and one for each of its tokens. The table is a separate file, mapped into memory: it is
most of a multilingual model, and a question needs ten rows of it. The operators are the fused ones that onnxruntime
runs fastest on a CPU, so there is nothing to optimise on loading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from brain_cli.plugins.meaning.embedders import GRAPH, WORDS, WORDS_HEAD
from brain_cli.plugins.meaning.int8 import as_int8, int8_rows
from brain_cli.plugins.meaning.onnx_file import FLOAT, Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

MICROSOFT = "com.microsoft"
# Seven bits: with eight, processors without VNNI instructions overflow when they add two products.
MOST = 63


class Shape(NamedTuple):
    """The sizes of a BERT encoder."""

    layers: int
    heads: int
    epsilon: float


# Returns a tensor by its name in BERT; a matrix has one row for each output.
Weights = Callable[[str], "NDArray[np.float32]"]


def bert_files(weights: Weights, shape: Shape) -> dict[str, bytes]:
    """Return the files of an encoder: its graph, and the embeddings of all words."""
    words = weights("embeddings.word_embeddings.weight")
    return {GRAPH: bert_graph(weights, shape), WORDS: WORDS_HEAD.pack(words.shape[1]) + int8_rows(words).tobytes()}


def bert_graph(weights: Weights, shape: Shape) -> bytes:
    """Return the ONNX file of an encoder: `vectors` are its last layer averaged over a text's tokens."""
    size = str(weights("embeddings.position_embeddings.weight").shape[1])
    texts, tokens = "texts", "tokens"
    words = {"words": ("int8", (texts, tokens, size)), "scales": ("float32", (texts, tokens, "1"))}
    graph = Graph({**words, "mask": ("int64", (texts, tokens))})
    encoder = _Encoder(graph, weights, shape)
    hidden = encoder.embedded()
    for layer in range(shape.layers):
        hidden = encoder.layer(hidden, f"encoder.layer.{layer}.")
    of_tokens = graph.one("LpNormalization", hidden, axis=-1, p=2)
    return graph.finish(
        {"vectors": (encoder.averaged(hidden), (texts, size)), "tokens": (of_tokens, (texts, tokens, size))}
    )


class _Encoder:
    """Builds the graph part by part; each part takes the output of the one before it."""

    def __init__(self, graph: Graph, weights: Weights, shape: Shape) -> None:
        self._graph, self._weights, self._shape = graph, weights, shape
        self._mask = graph.one("Cast", "mask", to=6)

    def embedded(self) -> str:
        """Add the embeddings of positions and of the one token type to those of the words."""
        graph = self._graph
        types = self._weights("embeddings.token_type_embeddings.weight")
        positions = graph.constant(self._weights("embeddings.position_embeddings.weight") + types[0])
        zero, one = graph.constant(np.array([0])), graph.constant(np.array([1]))
        length = graph.one("Slice", graph.one("Shape", "words"), one, graph.constant(np.array([2])))
        words = graph.one("Mul", graph.one("Cast", "words", to=FLOAT), "scales")
        summed = graph.one("Add", words, graph.one("Slice", positions, zero, length, zero))
        norm = self._vectors("embeddings.LayerNorm")
        return graph.one("LayerNormalization", summed, *norm, axis=-1, epsilon=self._shape.epsilon)

    def layer(self, hidden: str, prefix: str) -> str:
        """Add one layer: attention over the tokens of the mask, then the feed-forward network."""
        parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
        output = f"{prefix}attention.output."
        heads = self._graph.add("Split", self._linear(hidden, *parts), results=3, axis=-1)
        attended = self._graph.one(
            "MultiHeadAttention", *heads, "", self._mask, domain=MICROSOFT, num_heads=self._shape.heads
        )
        hidden = self._normalized(hidden, self._linear(attended, f"{output}dense"), f"{output}LayerNorm")
        wide = self._graph.one("Gelu", self._linear(hidden, f"{prefix}intermediate.dense"), domain=MICROSOFT)
        return self._normalized(hidden, self._linear(wide, f"{prefix}output.dense"), f"{prefix}output.LayerNorm")

    def averaged(self, hidden: str) -> str:
        """Average the vectors of the tokens, and scale the result to length 1."""
        graph = self._graph
        mask = graph.one("Cast", graph.one("Unsqueeze", "mask", graph.constant(np.array([2]))), to=FLOAT)
        summed = graph.one("ReduceSum", graph.one("Mul", hidden, mask), graph.constant(np.array([1])), keepdims=0)
        return graph.one("LpNormalization", summed, axis=-1, p=2)

    def _linear(self, hidden: str, *names: str) -> str:
        values, scales = as_int8(np.concatenate([self._weights(f"{name}.weight") for name in names]), MOST)
        bias = np.concatenate([self._weights(f"{name}.bias") for name in names])
        tensors: tuple[NDArray[Any], ...] = (np.ascontiguousarray(values.T), scales, np.zeros(len(bias), np.int8), bias)
        return self._graph.one(
            "DynamicQuantizeMatMul", hidden, *[self._graph.constant(each) for each in tensors], domain=MICROSOFT
        )

    def _normalized(self, hidden: str, change: str, name: str) -> str:
        norm = self._vectors(name)
        return self._graph.one(
            "SkipLayerNormalization", hidden, change, *norm, domain=MICROSOFT, epsilon=self._shape.epsilon
        )

    def _vectors(self, name: str) -> list[str]:
        return [self._graph.constant(self._weights(f"{name}.{kind}")) for kind in ("weight", "bias")]
