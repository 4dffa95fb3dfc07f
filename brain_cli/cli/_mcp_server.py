"""The tools of `brain mcp`: each runs one command on the vault and returns its JSON.

No tool writes outside the vault or deletes a note: `archive` moves it, and `restore` brings it back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from typing_extensions import TypedDict  # the SDK needs this one below Python 3.12

from brain_cli.cli._context import CommandContext, Screen, using_context
from brain_cli.cli._errors import run_command
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.version import VERSION

INSTRUCTIONS = """\
A memory over a folder of markdown notes. Call `remember` with a question in plain words before you answer from
general knowledge, `context` when you start work in a folder, `add` for what should be known next time.
Paths are relative to the vault; `path:line` names a section for `show`."""
DEFAULT_BUDGET_CHARS = 4_000
# What is used of a recall's document; nothing else takes room in the budget.
FIELDS = "strategy,answer,key_points,archive,unknown,path,title,score,date,passage"
LISTED_NOTES = 50
READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
MOVES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


class Passage(TypedDict):
    """A quoted passage and its place."""

    text: str
    path: str
    line: int


class Found(TypedDict):
    """One note of a ranking; `score` is 0..1."""

    path: str
    title: str
    score: float
    date: str


class Recalled(TypedDict):
    """The answer to a question. `strategy` says how sure it is; `unknown` are words that no note has."""

    strategy: str
    passages: list[Passage]
    results: list[Found]
    unknown: list[str]


class Changed(TypedDict):
    """The note that a tool wrote, and whether anything changed."""

    path: str
    changed: bool


def server(vault: str, now: str | None = None) -> MCPServer[Any]:
    """Return the server of one vault, ready to run."""
    made: MCPServer[Any] = MCPServer("brain", instructions=INSTRUCTIONS, version=VERSION, log_level="ERROR")
    run = _runner(vault, now)
    _add_reading_tools(made, run)
    _add_writing_tools(made, run)
    _add_resources(made, run)
    return made


Run = Callable[..., dict[str, Any]]


def _runner(vault: str, now: str | None) -> Run:
    """Return what runs one command on the vault and returns its JSON document; ToolError if it fails."""

    def run(*arguments: str, stdin: str = "") -> dict[str, Any]:
        out: list[bytes] = []
        err: list[str] = []
        context = CommandContext(
            environ={**os.environ, "NO_COLOR": "1"},
            folder=os.getcwd(),
            stdin=lambda: stdin.encode(),
            out=out.append,
            err=err.append,
            screen=lambda: Screen(False, False, 0),
        )
        clock = ["--now", now] if now else []
        with using_context(context):
            code, _ = run_command([*arguments[:1], "--json", "--vault", vault, *clock, *arguments[1:]])
        if code not in (OK, NOTHING_FOUND):
            raise ToolError("".join(err).strip() or f"brain ended with {code}")
        document: dict[str, Any] = json.loads(b"".join(out) or b"{}")
        return document

    return run


def _add_reading_tools(made: MCPServer[Any], run: Run) -> None:
    @made.tool(annotations=READ_ONLY)
    def remember(
        query: str,
        limit: int = 5,
        project: str = "",
        kind: str = "",
        since: str = "",
        budget_chars: int = DEFAULT_BUDGET_CHARS,
    ) -> Recalled:
        """Answer a question from the notes: quoted passages with their places, and the ranking behind them."""
        options = _options(project=project, type=kind, since=since)
        options += ["-n", str(limit), "--fields", FIELDS, "--budget", str(budget_chars), "--no-synthesis"]
        return _recalled(run("remember", *options, "--", query))

    @made.tool(annotations=READ_ONLY)
    def context(project: str = "", profile: str = "balanced") -> dict[str, Any]:
        """Return what to know on starting work in the current folder."""
        return run("context", *_options(project=project, profile=profile))

    @made.tool(annotations=READ_ONLY)
    def recent(limit: int = 10, since: str = "", project: str = "") -> dict[str, Any]:
        """List the newest notes of this project, then of the vault."""
        return run("recent", "-n", str(limit), *_options(since=since, project=project))

    @made.tool(annotations=READ_ONLY)
    def show(note: str) -> dict[str, Any]:
        """Return a note's text, or one section of it: a path, `path:line`, `path#heading` or a title."""
        return run("show", "--", note)

    @made.tool(annotations=READ_ONLY)
    def related(note: str) -> dict[str, Any]:
        """Return the notes that a note is linked with, directly or over one other, most activated first."""
        return run("related", "--", note)


def _add_writing_tools(made: MCPServer[Any], run: Run) -> None:
    @made.tool(annotations=ADDS)
    def add(title: str, text: str, kind: str = "", project: str = "", tags: list[str] | None = None) -> Changed:
        """Write a new note. A note of the last hour that says the same is returned instead."""
        options = [option for tag in tags or [] for option in ("--tag", tag)]
        document = run("add", *_options(type=kind, project=project), *options, "--", title, stdin=text)
        return Changed(path=document["path"], changed=bool(document["stored"]))

    @made.tool(annotations=ADDS)
    def append(note: str, text: str) -> Changed:
        """Add a dated section to the end of a note."""
        document = run("add", "--append", note, stdin=text)
        return Changed(path=document["path"], changed=True)

    @made.tool(annotations=ADDS)
    def feedback(note: str, useful: bool) -> dict[str, Any]:
        """Say that a note was useful, or that it was wrong: the ranking learns from it."""
        return run("feedback", "--", note, "useful" if useful else "wrong")

    @made.tool(annotations=MOVES)
    def archive(note: str) -> dict[str, Any]:
        """Take a note out of ordinary recall. It moves to the archive; nothing is deleted."""
        return run("archive", "--", note)


def _add_resources(made: MCPServer[Any], run: Run) -> None:
    @made.resource("brain://note/{+path}", mime_type="text/markdown")
    def note(path: str) -> str:
        """A note of the vault, by its path."""
        return str(run("show", "--", path)["text"])


def _recalled(document: dict[str, Any]) -> Recalled:
    """Return the answer with its passages, best first."""
    answer = document.get("answer")
    quoted = [answer] if answer else document["key_points"]
    passages = [Passage(text=each["text"], path=each["path"], line=each["line"]) for each in quoted]
    if not passages:
        listed = ((each.get("passage"), each["path"]) for each in document["results"])
        passages = [Passage(text=found["text"], path=path, line=found["line"]) for found, path in listed if found]
    results = [
        Found(path=each["path"], title=each["title"], score=each["score"], date=str(each.get("date") or ""))
        for each in document["results"] or document["archive"]
    ]
    return Recalled(
        strategy=document["strategy"],
        passages=passages,
        results=results,
        unknown=document.get("unknown", []),
    )


def _options(**values: str) -> list[str]:
    """Return the options that have a value."""
    return [word for name, value in values.items() if value for word in (f"--{name}", value)]
