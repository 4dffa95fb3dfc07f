"""`brain remember --batch`: one JSON object a line in, one JSON line each out."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from brain_cli.commands.request import Request, options
from brain_cli.commands.setting import Setting, library, timestamp_named, write
from brain_cli.commands.view import view
from brain_cli.errors import OK, WRONG_USAGE, BrainError, UsageError
from brain_cli.index.snapshot import Snapshot
from brain_cli.recall.recall import Options, Query, remember


def run(request: Request, here: Setting) -> int:
    """Answer one JSON object a line with one JSON line each, in the order given; a bad line costs only itself."""
    lines = [line for line in _batch_lines(str(request.batch)) if line.strip()]
    code, how = OK, options(here)
    for answer in library(here).ask(lambda snapshot: [_line(each, request, here, snapshot, how) for each in lines]):
        code = WRONG_USAGE if "error" in answer else code
        write(json.dumps(answer, allow_nan=False) + "\n")
    return code


def _batch_lines(name: str) -> Iterable[bytes]:
    if name == "-":
        return sys.stdin.buffer.readlines()
    try:
        with open(name, "rb") as file:
            return file.readlines()
    except OSError as error:
        raise UsageError(
            f"The batch {name} cannot be read: {error.strerror}.", "Name a file, or - for stdin."
        ) from None


def _batch_query(asked: Mapping[str, Any], request: Request) -> Query:
    where = asked.get("where") or {}
    if not isinstance(where, dict):
        raise UsageError("“where” is a JSON object of frontmatter keys and values.")
    filters = request.filters()
    filters = filters._replace(
        where=(*filters.where, *((str(key).lower(), _plain(value)) for key, value in where.items()))
    )
    return Query(asked["query"], filters, request.recent, request.literal or asked.get("syntax") == "words")


def _plain(value: object) -> str:
    """A JSON value as frontmatter writes it."""
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line, parse_constant=int)  # NaN is no number in JSON, nor to int
    except (ValueError, RecursionError):
        raise UsageError("This line is not JSON.") from None


def _line(line: bytes, request: Request, here: Setting, snapshot: Snapshot, how: Options) -> dict[str, Any]:
    from brain_cli.render.json_text import document

    asked: Mapping[str, Any] = {}
    try:
        asked = _parsed(line)
        if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
            raise UsageError("A line is a JSON object with a “query”.")
        for key in ("now", "project"):
            if not isinstance(asked.get(key), str | None):
                raise UsageError(f"“{key}” is a text.")
        started = time.perf_counter()
        session = request.session(here, snapshot)
        now = timestamp_named(asked["now"]) if asked.get("now") else here.now
        session = session._replace(now=now, project=asked.get("project") or session.project)
        recall = remember(_batch_query(asked, request), session, snapshot, how)
        screen = view(request, here, (time.perf_counter() - started) * 1_000)
        return {"id": asked.get("id"), **document(recall, screen)}
    except BrainError as error:
        said = f"{error.message} {error.hint}".strip()
        return {"id": asked.get("id") if isinstance(asked, dict) else None, "error": said}
