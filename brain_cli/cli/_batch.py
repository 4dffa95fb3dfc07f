"""`brain remember --batch`: answer each JSON object on a line with one line of JSON."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

from brain_cli.errors import OK, WRONG_USAGE, BrainError, UsageError
from brain_cli.history.log import Event
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import Recalling, shown
from brain_cli.library.vault import Vault, timestamp_named
from brain_cli.process import command_context
from brain_cli.render import View
from brain_cli.render.budget import bounded_document
from brain_cli.render.json_text import document
from brain_cli.search.filters import Filters
from brain_cli.search.query import Query
from brain_cli.streams import write

if TYPE_CHECKING:
    from brain_cli.cli.remember import RecallRequest


def answer_lines(request: RecallRequest, vault: Vault, file: str, view: View) -> int:
    """Answer the lines of a file, in order; a bad line does not affect the others."""
    lines = [line for line in _lines(file) if line.strip()]
    answers, events = vault.ask(
        partial(_answered, lines, request, vault, view),
        touch=request.touches,
        tells_staleness=True,
    )
    for answer in answers:
        write(json.dumps(answer, allow_nan=False) + "\n")
    if request.touches and events:
        vault.record(events)
    return WRONG_USAGE if any("error" in answer for answer in answers) else OK


def _lines(name: str) -> Iterable[bytes]:
    if name == "-":
        return BytesIO(command_context().stdin()).readlines()
    try:
        with open(os.path.join(command_context().folder, name), "rb") as file:
            return file.readlines()
    except OSError as error:
        raise UsageError(
            f"The batch {name} cannot be read: {error.strerror}.",
            "Name a file, or - for stdin.",
        ) from None


def _query(fields: Mapping[str, Any], request: RecallRequest) -> Query:
    where = fields.get("where") or {}
    if not isinstance(where, dict):
        raise UsageError("“where” is a JSON object of frontmatter keys and values.")
    # As it is written in frontmatter.
    values = {
        key: json.dumps(value) if isinstance(value, bool) else value
        for key, value in where.items()
    }
    more = Filters.of(where=[f"{key}={value}" for key, value in values.items()])
    filters = request.filters._replace(values=request.filters.values + more.values)
    return Query(
        fields["query"],
        filters,
        request.recent,
        request.words or fields.get("syntax") == "words",
        request.sort,
    )


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        # NaN is not a number in JSON, and `int` refuses it.
        fields = json.loads(line, parse_constant=int)
    except (ValueError, RecursionError):
        raise UsageError("This line is not JSON.") from None
    return fields if isinstance(fields, dict) else {}


def _check(fields: Mapping[str, Any]) -> None:
    if not isinstance(fields.get("query"), str):
        raise UsageError("A line is a JSON object with a “query”.")
    for key in ("now", "project"):
        if not isinstance(fields.get(key), str | None):
            raise UsageError(f"“{key}” must be a string.")


def _answered(
    lines: Iterable[bytes],
    request: RecallRequest,
    vault: Vault,
    view: View,
    snapshot: Snapshot,
) -> tuple[list[dict[str, Any]], list[Event]]:
    """Return the answer to each line, and the events of those that presented notes; no event
    affects another line.
    """
    recalling = Recalling(vault, request.work)
    events: list[Event] = []

    def document_of(fields: Mapping[str, Any]) -> dict[str, Any]:
        started = time.perf_counter()
        now = timestamp_named(fields["now"]) if fields.get("now") else vault.now
        answer = recalling.answer(
            snapshot, _query(fields, request), now=now, project=fields.get("project")
        )
        if answer.presented:
            events.append(shown(answer, vault.config))
        elapsed_ms = (time.perf_counter() - started) * 1_000
        answered = document(answer, view._replace(elapsed_ms=elapsed_ms))
        return bounded_document(answered, view.budget, json.dumps) if view.budget else answered

    def answer_to(line: bytes) -> dict[str, Any]:
        name = None
        try:
            fields = _parsed(line)
            name = fields.get("id")
            _check(fields)
            return {"id": name, **document_of(fields)}
        except BrainError as error:
            return {"id": name, "error": f"{error.message} {error.hint}".strip()}

    return [answer_to(line) for line in lines], events
