"""Embed texts with a server of the user, by the protocol of OpenAI that most servers speak.

    POST URL/embeddings  {"model", "input": [text]}           → {"data": [{"index", "embedding"}]}
    POST URL/rerank      {"model", "query", "documents": []}  → {"results": [{"index",
                                                                 "relevance_score"}]}

Nothing but the named server is looked up: no proxy is asked and no redirection followed.
"""

import json
import shlex
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from math import hypot, isfinite
from threading import Timer
from typing import Any, TypeVar
from urllib.parse import urlsplit

from brain_cli.plugins.meaning.embedder import Embedded, Embedder, Question
from brain_cli.plugins.meaning.models import Fusion
from brain_cli.plugins.meaning.settings import ModelError

Answer = TypeVar("Answer")
# What well-known models expect before a question and a passage, by a part of their names; of
# several the last one.
PREFIXES = {
    "e5": ("query: ", "passage: "),
    "bge": ("Represent this sentence for searching relevant passages: ", ""),
    "bge-m3": ("", ""),
    "mxbai": ("Represent this sentence for searching relevant passages: ", ""),
    "arctic-embed": ("Represent this sentence for searching relevant passages: ", ""),
    "arctic-embed2": ("query: ", ""),
    "nomic-embed": ("search_query: ", "search_document: "),
    "embeddinggemma": ("task: search result | query: ", "title: none | text: "),
    "qwen3-embedding": ("Instruct: Retrieve the notes that answer the question\nQuery: ", ""),
}
TEXTS_AT_ONCE = 32
# A person waits for the answer to a question; embedding goes on in the background.
QUESTION_SECONDS = 10.0
BATCH_SECONDS = 120.0
KEY_SECONDS = 30.0
PAUSES = (1.0, 2.0, 4.0)
MAX_ANSWER_BYTES = 1 << 26
# A text that a server refuses is shortened, but not below so many characters.
LEAST_CHARS = 100
# A row of vectors is read as floats of four bytes.
MULTIPLE = 4


class AwayError(Exception):
    """The server does not answer now; the message says why."""


class RefusedError(ModelError):
    """The server refuses a request."""


class ServerEmbedder(Embedder):
    """A model of a server. Vectors have the length 1; tokens have none.

    `settings` are those of the plugin, by name; `key` is that of an environment variable.
    """

    # Nothing is loaded, unlike of an installed model.
    def __init__(self, settings: Mapping[str, Any], key: str) -> None:
        self._url = urlsplit(settings["meaning.endpoint"])
        self._settings = settings
        self._key = key
        self._model_name = str(settings.get("meaning.model") or "")
        self.rerank = str(settings.get("meaning.rerank") or "")
        self.fusion = Fusion()
        self._dimensions = 0
        known = [pair for part, pair in PREFIXES.items() if part in self._model_name.casefold()]
        usual_query, usual_passage = known[-1] if known else ("", "")
        query = settings.get("meaning.query_prefix")
        passage = settings.get("meaning.passage_prefix")
        self._query_prefix = usual_query if query is None else str(query)
        self._passage_prefix = usual_passage if passage is None else str(passage)
        described = f"{self._url.geturl()}\n{self._model_name}\n{self._passage_prefix}"
        self.name = f"server-{sha256(described.encode()).hexdigest()[:12]}"

    def __str__(self) -> str:
        return f"{self._model_name} at {self._url.geturl()}"

    @property
    def is_here(self) -> bool:
        """Return whether the server is on this machine, so that no text leaves it."""
        host = self._url.hostname or ""
        with suppress(ValueError):
            return ip_address(host).is_loopback
        return host == "localhost"

    @property
    def dimensions(self) -> int:
        """The number of components of a vector; the server is asked for one, if none is known."""
        if not self._dimensions:
            [*self.passages([["brain"]])]
        return self._dimensions

    def passages(self, texts: Iterable[Sequence[str]]) -> Iterator[Embedded]:
        """Embed texts to be searched, each given in parts, some in one request."""
        parts = [*texts]
        no_tokens = memoryview(b"").cast("f")
        for start in range(0, len(parts), TEXTS_AT_ONCE):
            portion = parts[start : start + TEXTS_AT_ONCE]
            whole = [self._passage_prefix + " ".join(filter(None, each)) for each in portion]
            for each, vector in zip(portion, self._vectors(whole), strict=True):
                yield Embedded(vector, no_tokens, [()] * len(each))

    def query(self, text: str) -> Question:
        """Embed a question."""
        asked = [self._query_prefix + text]
        [vector] = self._asked(lambda: self._embedded(asked, QUESTION_SECONDS), ())
        return Question(vector, (), (), text)

    def scores(self, text: str, documents: Sequence[str]) -> list[float]:
        """Return how well each document answers a question, by the model that reads both."""
        asked = {"model": self.rerank, "query": text, "documents": [*documents]}

        def read() -> list[float]:
            answer = self._post("rerank", asked, QUESTION_SECONDS)
            with _usual_form():
                found = _in_order(answer["results"], "relevance_score", len(documents))
                return [*map(_number, found)]

        return self._asked(read, ())

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of some texts; those that the server refuses are sent in smaller
        portions, and shortened.
        """
        try:
            return self._asked(lambda: self._embedded(texts, BATCH_SECONDS), PAUSES)
        except RefusedError:
            if len(texts) > 1:
                half = len(texts) // 2
                return self._vectors(texts[:half]) + self._vectors(texts[half:])
            if len(texts[0]) <= LEAST_CHARS:
                raise
            return self._vectors([texts[0][: len(texts[0]) // 2]])

    def _asked(self, ask: Callable[[], Answer], pauses: Sequence[float]) -> Answer:
        """Return what the server answers, asking again after each pause; ModelError if it
        does not.
        """
        for pause in pauses:
            with suppress(AwayError):
                return ask()
            time.sleep(pause)
        try:
            return ask()
        except AwayError as error:
            raise ModelError(f"{self} does not answer ({error})") from None

    def _embedded(self, texts: Sequence[str], seconds: float) -> list[list[float]]:
        asked = {"model": self._model_name, "input": [*texts]}
        answer = self._post("embeddings", asked, seconds)
        with _usual_form():
            found = [*map(_unit, _in_order(answer["data"], "embedding", len(texts)))]
        sizes = {len(each) for each in found}
        if len(sizes) != 1 or (self._dimensions and sizes != {self._dimensions}):
            raise AwayError("its vectors have different lengths")
        self._dimensions = len(found[0])
        return found

    def _post(self, what: str, document: object, seconds: float) -> Mapping[str, Any]:
        """Return the answer to a request, within some seconds."""
        host = self._url.hostname or ""
        port = self._url.port
        kind = HTTPSConnection if self._url.scheme == "https" else HTTPConnection
        connection = kind(host, port, timeout=seconds)
        headers = {"Content-Type": "application/json", **self._authorization}
        content = json.dumps(document).encode()
        timer = Timer(seconds, lambda: None)
        try:
            connection.connect()
            # Each wait is bounded, and the timer bounds their sum. The connection forgets its
            # socket while it reads an answer without a length.
            timer = Timer(seconds, _shut, (connection.sock,))
            timer.daemon = True
            timer.start()
            connection.request("POST", f"{self._url.path}/{what}", content, headers)
            response = connection.getresponse()
            status = response.status
            answer = response.read(MAX_ANSWER_BYTES)
        except (OSError, HTTPException) as error:
            raise AwayError(str(error) or "it is silent") from None
        finally:
            timer.cancel()
            connection.close()
        if status in (408, 429) or status >= 500:
            raise AwayError(f"status {status}")
        if status != 200:
            raise RefusedError(f"{self} refuses a request (status {status})")
        with _usual_form():
            found: Mapping[str, Any] = json.loads(answer)
        return found

    @cached_property
    def _authorization(self) -> dict[str, str]:
        key = self._key
        if command := self._settings.get("meaning.key_command"):
            try:
                done = subprocess.run(
                    shlex.split(command),
                    capture_output=True,
                    text=True,
                    timeout=KEY_SECONDS,
                    check=True,
                )
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                raise ModelError(f"`{command}` prints no key ({error})") from None
            key = next(iter(done.stdout.splitlines()), "")
        return {"Authorization": f"Bearer {key.strip()}"} if key.strip() else {}


@contextmanager
def _usual_form() -> Iterator[None]:
    """Raise AwayError for an answer that has another form than the protocol's."""
    try:
        yield
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ):
        raise AwayError("its answer has another form") from None


def _shut(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _in_order(rows: Any, key: str, count: int) -> list[Any]:
    """Return one field of each row in the order of the texts that were sent."""
    found = {row.get("index", place): row[key] for place, row in enumerate(rows)}
    return [found[place] for place in range(count)]


def _number(value: Any) -> float:
    if not isfinite(value):
        raise ValueError(value)
    return float(value)


def _unit(values: Any) -> list[float]:
    """Return a vector of length 1, with zeros at its end so that rows of it can be read
    as floats.
    """
    length = _number(hypot(*values))
    return [each / length for each in values] + [0.0] * (-len(values) % MULTIPLE)
