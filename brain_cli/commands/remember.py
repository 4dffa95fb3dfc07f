"""`brain remember`: options → one recall → the format asked for → exit code."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from brain_cli.commands.setting import Setting, say, setting, timestamp_named
from brain_cli.context import project_of
from brain_cli.errors import NOTHING_FOUND, OK, WRONG_USAGE, BrainError, UsageError
from brain_cli.index.place import place_of
from brain_cli.index.refresh import Vault
from brain_cli.index.snapshot import Snapshot
from brain_cli.recall.filters import Filters, pairs
from brain_cli.recall.freshness import Library
from brain_cli.recall.recall import Options, Query, remember
from brain_cli.recall.results import Recall
from brain_cli.render import AUTO, View, load_format
from brain_cli.scoring import load_scorer
from brain_cli.types import Session


class Request(NamedTuple):
    """What the command line asked for, as typed; None where an option was not given."""

    words: tuple[str, ...]
    vault: str | None = None
    now: str | None = None
    format: str = AUTO
    limit: int | None = None
    scorer: str | None = None
    profile: str | None = None
    min_score: float | None = None
    mmr: bool | None = None
    project: str | None = None
    topics: str | None = None
    task: str | None = None
    recent: bool | None = None
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since: str | None = None
    before: str | None = None
    where: tuple[str, ...] = ()
    archived: bool = False
    literal: bool = False
    explain: bool = False
    null: bool = False
    batch: str | None = None


def run(request: Request) -> int:
    """Answer on stdout; return the exit code."""
    flags = {name: getattr(request, name) for name in ("scorer", "limit", "profile", "min_score", "mmr")}
    here = setting(request.vault, request.now, flags)
    options = _options(here)
    if request.batch is not None:
        if request.words:
            raise UsageError("A batch has its queries in its lines.", "Leave out the words, or --batch.")
        return _batch(request, here, options)
    filters = _filters(request)
    query = Query(_text(request.words, filters), filters, request.recent, request.literal)
    format_name = _format_name(request.format)
    load_format(format_name)
    library = _library(here)
    started = time.perf_counter()
    recall = library.ask(lambda snapshot: remember(query, _session(request, here, snapshot), snapshot, options))
    view = _view(request, here, (time.perf_counter() - started) * 1_000)
    _write(load_format(format_name).render(recall, view))
    _hint(recall, format_name)
    return OK if recall.found else NOTHING_FOUND


def _options(here: Setting) -> Options:
    config = here.config
    # All that is configured is read, so that a mistake shows also where it does not matter yet.
    configured = {name: load_scorer(name, constants) for name, constants in config.constants.items()}
    return Options(
        scorer=configured.get(config.scorer) or load_scorer(config.scorer),
        limit=config.limit,
        minimum=config.minimum_relevance,
        min_share=config.min_score,
        diverse=config.mmr,
    )


def _filters(request: Request) -> Filters:
    return Filters(
        kinds=request.kinds,
        tags=request.tags,
        paths=request.paths,
        since=request.since,
        before=request.before,
        where=pairs(request.where),
        archived=request.archived,
    )


def _text(words: tuple[str, ...], filters: Filters) -> str:
    # Whatever the locale, words are UTF-8: they are compared with notes, which are.
    raw = sys.stdin.buffer.read() if words == ("-",) else os.fsencode(" ".join(words))
    text = raw.decode("utf-8", "replace")
    if not text.strip() and filters == Filters():
        raise UsageError("There is nothing to recall.", "Say what you are looking for: brain remember “why grpc”.")
    return text.strip()


def _library(here: Setting) -> Library:
    from brain_cli.commands.progress import Progress

    vault = Vault(here.vault, here.config.archive_folders)
    return Library(vault, place_of(here.vault, here.cache_home), say, Progress())


def _session(request: Request, here: Setting, snapshot: Snapshot) -> Session:
    topics = frozenset(topic.strip() for topic in (request.topics or "").split(",") if topic.strip())
    project = request.project if request.project is not None else _project(here.folder, snapshot)
    return Session(here.now, project or None, topics, request.task, here.folder)


def _project(folder: str, snapshot: Snapshot) -> str | None:
    """The working folder's repository, else the folder's own name if some note carries it."""
    repository = project_of(folder)
    if repository:
        return repository
    name = os.path.basename(folder)
    return name if name.casefold() in snapshot.catalogue.projects else None


def _format_name(name: str) -> str:
    if name != AUTO:
        return name
    return "rich" if sys.stdout.isatty() and os.environ.get("TERM") != "dumb" else "plain"


def _view(request: Request, here: Setting, elapsed_ms: float) -> View:
    return View(
        vault=here.vault,
        folder=here.folder,
        body_of=lambda path: _body(here.vault, path),
        explain=request.explain,
        elapsed_ms=elapsed_ms,
        width=_width(),
        color=sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        separator="\0" if request.null else "\n",
    )


def _width() -> int:
    from shutil import get_terminal_size

    return get_terminal_size((80, 24)).columns


def _body(vault: str, path: str) -> str:
    """A note's text as it is now, without its frontmatter."""
    from brain_cli.notes.decode import decode
    from brain_cli.notes.frontmatter import split_head

    try:
        with open(os.path.join(vault, path), "rb") as file:
            text = decode(file.read()).text.replace("\r\n", "\n")
    except OSError as error:
        return f"(The note cannot be read any more: {error.strerror}.)"
    return text[split_head(text).body_start :]


def _write(text: str) -> None:
    """Write the answer as bytes: a file name that is not UTF-8 comes out as it is on disk."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def _hint(recall: Recall, format_name: str) -> None:
    """Say on stderr what plain lines cannot: how the query was read, why nothing was found, and what to try."""
    if recall.problem:
        say(recall.problem)
    for typed, near in recall.corrections:
        say(f"“{typed}” is nowhere in this vault. Did you mean “{near}”?")
    if format_name in ("rich", "markdown") or recall.results:
        return
    from brain_cli.render.phrases import archive_found, nothing_found

    say(f"{nothing_found(recall)} {archive_found(recall)}")
    if recall.suggestions:
        say(f"Related topics you have memories about: {', '.join(recall.suggestions)}")


def _batch(request: Request, here: Setting, options: Options) -> int:
    """Answer one JSON object a line with one JSON line each, in the order given; a bad line costs only itself."""
    lines = [line for line in _batch_lines(str(request.batch)) if line.strip()]
    code = OK
    for answer in _library(here).ask(
        lambda snapshot: [_line(each, request, here, snapshot, options) for each in lines]
    ):
        code = WRONG_USAGE if "error" in answer else code
        _write(json.dumps(answer, allow_nan=False) + "\n")
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
    filters = _filters(request)
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


def _line(line: bytes, request: Request, here: Setting, snapshot: Snapshot, options: Options) -> dict[str, Any]:
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
        session = _session(request, here, snapshot)
        now = timestamp_named(asked["now"]) if asked.get("now") else here.now
        session = session._replace(now=now, project=asked.get("project") or session.project)
        recall = remember(_batch_query(asked, request), session, snapshot, options)
        view = _view(request, here, (time.perf_counter() - started) * 1_000)
        return {"id": asked.get("id"), **document(recall, view)}
    except BrainError as error:
        said = f"{error.message} {error.hint}".strip()
        return {"id": asked.get("id") if isinstance(asked, dict) else None, "error": said}
