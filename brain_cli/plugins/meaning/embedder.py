"""The installed models, in `~/.local/share/brain/models/NAME/`: check one, load it, and turn texts
into vectors.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path

from brain_cli.extras import install_hint
from brain_cli.plugins.meaning.models import (
    GRAPH,
    PACKAGES,
    PIECES,
    WORDS,
    WORDS_HEAD,
    Model,
    model_of,
)
from brain_cli.plugins.meaning.onnx_session import FLOAT_BYTES, OnnxSession, Tensor
from brain_cli.plugins.meaning.settings import EMBEDDERS, MANIFEST, ModelError, models_folder
from brain_cli.plugins.meaning.token_codes import weighted
from brain_cli.record import Record

# Increased whenever the installed files are built differently.
FORMAT = 5
# The outputs of the graph: the vector of a text, and one for each token of it.
VECTOR = "vector"
TOKENS = "tokens"


class Models(Record):
    """The folder of all models. A model's own folder appears only when it is complete
    (install.py).
    """

    folder: Path

    def of(self, name: str) -> Path:
        """Return the path of a model's folder, which may not exist."""
        return self.folder / name

    def installed(self) -> list[str]:
        """Return the names of the installed models, in the order of the table."""
        return [name for name in EMBEDDERS if os.path.isfile(self.of(name) / MANIFEST)]

    def problem(self, name: str, *, thorough: bool = False) -> str:
        """Return why an installed model cannot be used, empty if it can; `thorough` checks the
        content of all files.
        """
        if missing := missing_packages():
            return f"{missing} cannot be imported. {install_hint('meaning')}"
        again = f"brain model install {name}"
        try:
            manifest = json.loads((self.of(name) / MANIFEST).read_text())
            if manifest.get("format", 1) != FORMAT:
                return f"{name} was installed by another version of brain; {again}"
            for file, (size, digest) in manifest["files"].items():
                path = self.of(name) / file
                if path.stat().st_size != size or (
                    thorough and digest_of(path.read_bytes()) != digest
                ):
                    return f"{path} is damaged; {again}"
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return f"{self.of(name)} is damaged; {again}"
        return ""

    def load(self, name: str, threads: int | None = None) -> Embedder:
        """Load a model, for questions alone without a number of threads; ModelError if that fails
        for any reason.
        """
        if problem := self.problem(name):
            raise ModelError(problem)
        try:
            return Embedder(model_of(name), str(self.of(name)), threads)
        # Native libraries raise all kinds of errors; a recall then uses only words.
        except Exception as error:
            raise ModelError(
                f"{name} cannot be loaded ({error}); brain model install {name}"
            ) from error


def user_models() -> Models:
    """Return the models of the user."""
    return Models(Path(models_folder()))


def missing_packages() -> str:
    """Return the names of the packages that a model needs and that are not installed."""
    return " and ".join(package for package in PACKAGES if not find_spec(package))


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a file's content."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


class Question(Record):
    """A question's vector, those of its tokens as factors (token_codes.py), the word that each is a
    part of, and its text.
    """

    vector: Sequence[float]
    tokens: Sequence[float]
    words: tuple[str, ...]
    text: str = ""


class Embedded(Record):
    """A passage's vector, the vectors of its tokens, and for each of its parts the word that each
    token is part of.
    """

    vector: Sequence[float]
    tokens: memoryview[float]
    words: Sequence[Sequence[str]]


class Embedder:
    """A model loaded from its folder. Vectors have the length 1.

    `threads` 0 uses all cores; None is for questions, which are few and short. `rerank` names a
    model that reads the best notes once more, if there is one.
    """

    rerank = ""

    def __init__(self, model: Model, folder: str, threads: int | None = None) -> None:
        self.name = model.name
        self.fusion = model.fusion
        self._model = model
        self._session = OnnxSession(
            os.path.join(folder, GRAPH), 1 if threads is None else threads, few=threads is None
        )
        self._pieces = model.pieces(os.path.join(folder, PIECES))
        with open(os.path.join(folder, WORDS), "rb") as file:
            self._words = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    @property
    def dimensions(self) -> int:
        """The number of components of a vector."""
        found: int = WORDS_HEAD.unpack_from(self._words)[0]
        return found

    def passages(self, texts: Iterable[Sequence[str]]) -> Iterator[Embedded]:
        """Embed texts to be searched, each given in parts."""
        return map(self.passage, texts)

    def passage(self, parts: Sequence[str]) -> Embedded:
        """Embed a text to be searched: its parts joined by blanks. The last tokens of a long one
        are omitted.
        """
        first, *others = parts
        split = [self._split(self._model.passage_prefix + first), *map(self._split, others)]
        vector, tokens = self._run(number for number, _ in chain.from_iterable(split))
        return Embedded(vector, tokens, [[word for _, word in part] for part in split])

    def scores(self, text: str, documents: Sequence[str]) -> list[float]:
        """Return how well each document answers a question, by the model that reads both."""
        raise NotImplementedError

    def query(self, text: str) -> Question:
        """Embed a question."""
        pieces = self._split(self._model.query_prefix + text)[: self._most]
        vector, tokens = self._run(number for number, _ in pieces)
        return Question(
            vector, weighted(tokens, self.dimensions), tuple(word for _, word in pieces)
        )

    @property
    def _most(self) -> int:
        """The number of tokens that are read, without those at both ends."""
        return self._model.most_tokens - 2

    def _split(self, text: str) -> list[tuple[int, str]]:
        """Return the number of each token of a text, and the word that it is part of."""
        # A surrogate stands for a byte that is not UTF-8.
        words = self._pieces.words(text.encode("utf-8", "replace").decode())
        return [(number, word) for word in words for number in self._pieces.numbers(word)]

    def _run(self, numbers: Iterable[int]) -> tuple[memoryview[float], memoryview[float]]:
        """Return the vector of one text, and those of its tokens without the two at its ends.

        Each text is embedded alone: the model would round it differently in company.
        """
        ids = [self._pieces.first, *islice(numbers, self._most), self._pieces.last]
        size = FLOAT_BYTES + self.dimensions
        head = WORDS_HEAD.size
        rows = [
            self._words[head + number * size : head + (number + 1) * size] for number in ids
        ]
        inputs = {
            "words": Tensor(
                b"".join(row[FLOAT_BYTES:] for row in rows), (1, len(ids), self.dimensions), "b"
            ),
            "scales": Tensor(b"".join(row[:FLOAT_BYTES] for row in rows), (1, len(ids), 1)),
        }
        counts = {VECTOR: self.dimensions, TOKENS: len(ids) * self.dimensions}
        vector, tokens = self._session.run(inputs, counts)
        return vector, tokens[self.dimensions : -self.dimensions]
