"""`brain remember`: read the options, recall, print the answer in the requested format, return the
exit code.

With --batch, each JSON object on a line is answered with one line of JSON.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

from brain_cli.answer.results import NONE, RELATED, STRONG, Ranked, Recall, Related
from brain_cli.cli._quick import command_near
from brain_cli.cli.common import format_name, keep_numbered
from brain_cli.cli.recall import (
    RecallRequest,
    asks_again,
    recall_text,
    recall_view,
    say_hints,
    say_of_filters,
)
from brain_cli.errors import NOTHING_FOUND, OK, WRONG_USAGE, BrainError, UsageError
from brain_cli.history.log import Event
from brain_cli.library.recalling import Recalling, shown
from brain_cli.library.vault import Vault, ensure_wanted_daemon, timestamp_named
from brain_cli.process import command_context
from brain_cli.render.formats import traits_of
from brain_cli.render.phrases import notes_with_a_word
from brain_cli.search.filters import Filters
from brain_cli.search.query import Query
from brain_cli.streams import say, write
from brain_cli.types import USUAL_SCREEN, Quotes, Strategy

if TYPE_CHECKING:
    from brain_cli.index.snapshot import Snapshot
    from brain_cli.render import View


# Commands of other programs, and what brain has instead.
ELSEWHERE = {"edit": "open", "view": "show", "delete": "forget", "rename": "mv"}
# Words that are no command, and what is.
MEANT = {"version": "--version"}
# The formats of programs, which list what is not about the question, too.
LISTING = ("json", "jsonl")
# Typer reads the options of the command from its fields.
Request = RecallRequest


def command(request: RecallRequest) -> int:
    """Recall what your notes know.

    Examples:
      brain remember why did we leave rest
      brain remember 'kafka +retry -draft conf*' --type learning
      brain remember outbox --since 6months --format paths
      brain -i outbox
      brain remember --sure --format paths why grpc
    """
    vault = request.options.open_any_vault(request.flags).at(request.as_of)
    if request.batch is None:
        return _answer(request, vault)
    if request.query:
        raise UsageError(
            "A batch has its queries in its lines.", "Leave out the words, or --batch."
        )
    return _run_batch(request, vault, request.batch)


def _answer(request: RecallRequest, vault: Vault) -> int:
    if request.interactive and not vault.files:
        raise UsageError(
            "The notes of a shared memory cannot be opened from here.", "Leave out -i."
        )
    if request.interactive and command_context().types() and command_context().screen().out:
        from brain_cli.cli._screen import browse

        text = " ".join(request.query or ())
        return browse(
            vault, text, request.again(), request.options.now, touches=request.touches
        )
    _check_command(request.query or (), vault)
    name = format_name("json" if request.options.json else request.format)
    view = recall_view(request, vault, name)
    started = time.perf_counter()
    recall = _recall(request, vault, name, view)
    if request.sure and recall.claim != STRONG:
        # A script gets a strong match or nothing; what is not shown is not recorded.
        write(recall_text(name, recall, view) if name == "json" else "")
        return NOTHING_FOUND
    if vault.config.synthesize and not request.no_synthesis and traits_of(name).tells_all:
        from brain_cli.cli.synthesis import with_synthesis

        recall = with_synthesis(recall, vault)
    elapsed_ms = (time.perf_counter() - started) * 1_000
    # Programs get all candidates, with the claim; a number that was asked for overrules it, too.
    lists_all = name in LISTING or bool(view.listed)
    about = recall if lists_all else recall.about_question()
    shown = recall if name == "rich" else about
    text = recall_text(name, shown, view._replace(elapsed_ms=elapsed_ms))
    write(text, is_paged=request.lines == 0)
    say_hints(shown, name)
    if len(shown.results) < len(recall.results):
        say(notes_with_a_word(recall))
    _say_mistyped(request.query or (), recall)
    if about.found and not text:
        say(
            f"A budget of {view.budget} characters has no space for one line. Try a larger one."
        )
    _after_answer(request, vault, recall, view, name)
    if name == "rich" and asks_again(vault, recall):
        return _answer(request, vault)
    return OK if about.found else NOTHING_FOUND


def _check_command(words: Sequence[str], vault: Vault) -> None:
    """Raise UsageError for `brain edit tea/green.md`: the user means a command that brain does not
    have.
    """
    meant = ELSEWHERE.get(words[0]) if len(words) == 2 else None
    if meant and ("/" in words[1] or words[1].endswith(".md")):
        path = os.path.join(vault.folder, f"{words[1].removesuffix('.md')}.md")
        if os.path.isfile(path):
            raise UsageError(
                f"There is no command “{words[0]}”.",
                f"Did you mean `brain {meant} {words[1]}`?",
            )


def _say_mistyped(words: Sequence[str], recall: Recall) -> None:
    """Print the command that is nearly the first word, if no note has that word and none clearly
    answers.
    """
    if not words or recall.claim not in (RELATED, NONE):
        return
    first, *others = words
    on_terminal = command_context().screen().out
    near = "" if others else MEANT.get(first, "")
    if not others and first.isdecimal() and on_terminal:
        near = f"show {first}"
    if first in (*recall.unknown, *(typed for typed, _ in recall.corrections)):
        # In a pipe, a question of several words is one.
        near = near or (command_near(first) if on_terminal or not others else "")
    if near:
        say(f"Did you mean `brain {' '.join([near, *others])}`?")


def _recall(request: RecallRequest, vault: Vault, name: str, view: View) -> Recall:
    """Return the answer, quoted as a format needs it."""
    traits = traits_of(name)
    query = request.asked()

    def say_what_is_left_out(found: Snapshot, recall: Recall) -> None:
        say_of_filters(vault, query, found, recall)
        if not found.note_table.notes:
            say("There are no notes in this vault yet.")

    return vault.answer(
        query,
        request.work,
        traits.quotes,
        request.screen(view.screen if traits.for_people else USUAL_SCREEN),
        touch=request.touches,
        tells_staleness=traits.tells_all,
        on_answer=say_what_is_left_out,
    )


def _after_answer(
    request: RecallRequest, vault: Vault, recall: Recall, view: View, name: str
) -> None:
    if request.touches and name == "rich":
        notes: Iterable[Ranked | Related] = recall.listed(view.listed)
        if recall.strategy is Strategy.SINGLE_STRONG:
            notes = (recall.answer, *recall.related)
        keep_numbered(vault, [each.path for each in notes])
    # Of what found nothing only the words can be kept, if they may be.
    failed = vault.config.record_queries and vault.files and not recall.found
    # A list of paths shows no note.
    shows = recall.presented and traits_of(name).quotes is not Quotes.NOTHING
    if request.touches and (shows or failed):
        vault.record([shown(recall, vault.config)])
    ensure_wanted_daemon(vault)


def _run_batch(request: RecallRequest, vault: Vault, file: str) -> int:
    """Answer each JSON object with one line of JSON, in order; a bad line does not affect the
    others.
    """
    lines = [line for line in _lines(file) if line.strip()]
    answers, events = vault.ask(
        partial(_answered, lines, request, vault), touch=request.touches, tells_staleness=True
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
        fields = json.loads(
            line, parse_constant=int
        )  # NaN is not a number in JSON, and `int` refuses it
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
    snapshot: Snapshot,
) -> tuple[list[dict[str, Any]], list[Event]]:
    """Return the answer to each line, and the events of those that presented notes; no event
    affects another line.
    """
    from brain_cli.render.budget import bounded_document
    from brain_cli.render.json_text import document

    recalling = Recalling(vault, request.work)
    view = recall_view(request, vault, "json")
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
