"""JSON lines, as `brain export --jsonl` and other programs write them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from brain_cli.errors import BrainError
from brain_cli.files import open_regular
from brain_cli.plugins.exchange.database import moment, seconds_of, text
from brain_cli.types import Memory, NoteMetadata
from brain_cli.vault.create import first_sentence
from brain_cli.vault.dates import iso

VERSION = 1
# The largest note that is read (64 MB), with room for escapes; longer lines are skipped.
MAX_LINE_BYTES = 200_000_000
_TEXT_KEYS = ("text", "content", "body", "narrative")
_TIME_KEYS = ("date", "created_at", "created_at_epoch", "timestamp", "time")


def memories(path: str) -> Iterator[Memory]:
    """Yield the memories of a file, and for each line that cannot be read its number and the problem."""
    try:
        with open(open_regular(path), "rb") as file:
            for number, line in enumerate(_lines(file), 1):
                try:
                    if line.strip():
                        yield _memory(_parsed(line))
                except _LineError as error:
                    yield Memory(f"{path}:{number}", "", "", problem=str(error))
    except OSError as error:
        raise BrainError(f"{path}: {error.strerror or error}.", "Name a file of JSON lines.") from None


class _LineError(Exception):
    """A line cannot be read; the message says why."""


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, and of a line that is too long only the beginning."""
    while line := file.readline(MAX_LINE_BYTES):
        rest = line
        while len(rest) == MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = file.readline(MAX_LINE_BYTES)
        yield line


def line_of(metadata: NoteMetadata, raw: bytes) -> str:
    """Return a note as one line of JSON: the whole file as `raw`, and its metadata for other programs."""
    document = {
        "version": VERSION,
        "path": metadata.path,
        "title": metadata.title,
        "kind": metadata.kind,
        "date": iso(metadata.timestamp),
        "project": metadata.project,
        "session": metadata.properties.get("session"),
        "files": list(metadata.files),
        "tags": list(metadata.tags),
        "confidence": metadata.confidence,
        "pinned": metadata.pinned,
        "archived": metadata.archived,
        "raw": raw.decode("utf-8", "surrogateescape"),
    }
    return json.dumps(document)


def _parsed(line: bytes) -> Mapping[str, object]:
    if len(line) == MAX_LINE_BYTES:
        raise _LineError("is longer than any note")
    try:
        document = json.loads(line.decode())
    except UnicodeDecodeError:
        raise _LineError("is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise _LineError(f"is not valid JSON: {error}") from None
    if not isinstance(document, dict) or not text(document, "raw", "title", *_TEXT_KEYS):
        raise _LineError("has neither a text nor a title")
    return document


def _memory(document: Mapping[str, object]) -> Memory:
    words = text(document, *_TEXT_KEYS)
    raw = document.get("raw")
    try:
        whole = raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else None
    except UnicodeEncodeError:
        raise _LineError("has half of a character (a lone surrogate)") from None
    return Memory(
        source_id=f"jsonl:{text(document, 'source_id', 'id') or _hash(document)}",
        title=text(document, "title") or first_sentence(words),
        text=words,
        kind=text(document, "kind", "type"),
        at=moment(document, *_TIME_KEYS) or seconds_of(document.get("at")),
        project=text(document, "project"),
        session=text(document, "session", "session_id"),
        files=_list(document, "files"),
        tags=(*_list(document, "tags"), *_list(document, "concepts")),
        path=path if isinstance(path := document.get("path"), str) else "",
        more={key: text(document, key) for key in ("confidence", "salience") if document.get(key) is not None},
        raw=whole,
    )


def _list(document: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = document.get(key)
    found = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    return tuple(filter(None, (" ".join(str(each).split()) for each in found)))


def _hash(document: Mapping[str, object]) -> str:
    """Return an id for a memory without one; the same line always gets the same id."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]
