"""Write the graphs that run a model and multiply vectors, into brain_cli/plugins/meaning/graphs/:
`python -m tools.onnx_graphs`.

The graph of a BERT encoder takes the embeddings of the tokens of one text, as whole numbers with
scales. It returns vectors of length 1: `vector` for the text, the last layer averaged over its
tokens, and `tokens`, one for each token. The operators are the fused ones that onnxruntime runs
fastest on a CPU, so there is nothing to optimise on loading; its fused sum and norm
(SkipLayerNormalization) takes five times as long as the two operators. Texts are embedded one by
one, without a mask: a batch is only a tenth faster without padding, and its texts would change each
other's rounding.

A graph has no weights: it says where each tensor lies in the file that the plugin builds from the
published weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from brain_cli.plugins.meaning.build import encoder_tensors, places
from brain_cli.plugins.meaning.models import MATRICES
from tools.onnx_file import FLOAT, Graph

FOLDER = Path(__file__).parents[1] / "brain_cli" / "plugins" / "meaning" / "graphs"
MICROSOFT = "com.microsoft"


class Shape(NamedTuple):
    """The sizes of a BERT encoder."""

    layers: int
    heads: int = 12
    hidden: int = 384
    wide: int = 1536
    positions: int = 512
    types: int = 2
    epsilon: float = 1e-12


SHAPES = {"minilm": Shape(layers=6), "e5-small": Shape(layers=12)}


def bert(shape: Shape) -> bytes:
    """Return the graph of an encoder."""
    size = str(shape.hidden)
    graph = Graph(
        {"words": ("int8", ("1", "count", size)), "scales": ("float32", ("1", "count", "1"))}
    )
    encoder = _Encoder(graph, shape)
    hidden = encoder.embedded()
    for _ in range(shape.layers):
        hidden = encoder.layer(hidden)
    of_tokens = graph.one("LpNormalization", hidden, axis=-1, p=2)
    mean = graph.one("ReduceMean", hidden, axes=(1,), keepdims=0)
    outputs = {
        "vector": (graph.one("LpNormalization", mean, axis=-1, p=2), ("1", size)),
        "tokens": (of_tokens, ("1", "count", size)),
    }
    return graph.finish(outputs)


class _Encoder:
    """Builds the graph part by part; each part takes the output of the one before it, and the next
    of the tensors.
    """

    def __init__(self, graph: Graph, shape: Shape) -> None:
        self._graph = graph
        self._shape = shape
        self._tensors = self._placed()

    def _placed(self) -> Iterator[str]:
        tensors = [*encoder_tensors(self._zeros, self._shape.layers)]
        for tensor, offset in zip(tensors, places(tensors), strict=True):
            yield self._graph.placed(tensor, MATRICES, offset)

    def _zeros(self, name: str) -> Any:
        """Return zeros in the shape of one of BERT's tensors."""
        sizes = self._shape
        rows = sizes.wide if "intermediate" in name else sizes.hidden
        if name.endswith(("bias", "LayerNorm.weight")):
            return np.zeros(rows, np.float32)
        columns = {
            "embeddings.position_embeddings.weight": (sizes.positions, sizes.hidden),
            "embeddings.token_type_embeddings.weight": (sizes.types, sizes.hidden),
        }
        is_last = name.endswith("output.dense.weight") and "attention" not in name
        return np.zeros(
            columns.get(name, (rows, sizes.wide if is_last else sizes.hidden)), np.float32
        )

    def _next(self, count: int) -> list[str]:
        return [next(self._tensors) for _ in range(count)]

    def embedded(self) -> str:
        """Add the embeddings of positions and of the one token type to those of the words."""
        graph = self._graph
        zero = graph.constant(np.array([0]))
        one = graph.constant(np.array([1]))
        length = graph.one(
            "Slice", graph.one("Shape", "words"), one, graph.constant(np.array([2]))
        )
        words = graph.one("Mul", graph.one("Cast", "words", to=FLOAT), "scales")
        [positions] = self._next(1)
        return self._normalized(
            graph.one("Add", words, graph.one("Slice", positions, zero, length, zero))
        )

    def layer(self, hidden: str) -> str:
        """Add one layer: attention over all tokens, then the feed-forward network."""
        graph = self._graph
        heads = graph.split(self._linear(hidden), 3)
        attended = graph.one(
            "MultiHeadAttention", *heads, domain=MICROSOFT, num_heads=self._shape.heads
        )
        hidden = self._normalized(graph.one("Add", hidden, self._linear(attended)))
        wide = graph.one("Gelu", self._linear(hidden), domain=MICROSOFT)
        return self._normalized(graph.one("Add", hidden, self._linear(wide)))

    def _linear(self, hidden: str) -> str:
        return self._graph.one(
            "DynamicQuantizeMatMul", hidden, *self._next(4), domain=MICROSOFT
        )

    def _normalized(self, hidden: str) -> str:
        return self._graph.one(
            "LayerNormalization", hidden, *self._next(2), axis=-1, epsilon=self._shape.epsilon
        )


def products() -> bytes:
    """Return the graph that multiplies each row of whole numbers with every column."""
    graph = Graph(
        {"rows": ("int8", ("rows", "size")), "columns": ("float32", ("columns", "size"))}
    )
    rows = graph.one("Cast", "rows", to=FLOAT)
    found = graph.one("MatMul", rows, graph.one("Transpose", "columns", perm=[1, 0]))
    return graph.finish({"products": (found, ("rows", "columns"))})


def graphs() -> dict[str, bytes]:
    """Return the graphs by the names of their files."""
    return {
        **{f"{name}.onnx": bert(shape) for name, shape in SHAPES.items()},
        "products.onnx": products(),
    }


if __name__ == "__main__":
    for name, content in graphs().items():
        (FOLDER / name).write_bytes(content)
