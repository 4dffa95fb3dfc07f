"""The tools of `brain mcp`: each runs one command on the vault and returns its JSON.

No tool writes outside the vault or deletes a note: `archive` moves it, and `restore` brings it back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote
from uuid import uuid4

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.types import Resource, ToolAnnotations

from brain_cli.cli._errors import run_command
from brain_cli.cli._process import CommandContext, Screen, using_context
from brain_cli.daemon.client import answer_of
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.plugins.agents import mcp_results as results
from brain_cli.plugins.agents.mcp_stdio import without_surrogates
from brain_cli.version import VERSION

INSTRUCTIONS = """\
A memory over a folder of markdown notes. Call `remember` with a question in plain words before you answer from
general knowledge, `context` when you start work in a folder, `add` for what should be known next time.
Paths are relative to the vault; `path:line` names a section for `show`. A note of the shared memory is named
`vault:path`, as a recall names it."""
DEFAULT_BUDGET_CHARS = 4_000
# The keys of a recall's document that are used; other keys would take space in the budget.
FIELDS = "strategy,answer,key_points,archive,unknown,behind,path,title,score,date,passage"
LISTED_NOTES = 50
NOTE_ADDRESS = "brain://note/"
READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
MOVES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


class Server(MCPServer[Any]):
    """The server of one vault; its list of resources has the newest notes."""

    newest: Callable[[], list[Resource]] = list

    async def list_resources(self) -> list[Resource]:
        """Return the newest notes; other notes can be read by their addresses too."""
        return [*await super().list_resources(), *self.newest()]


def server(vault: str, now: str | None = None, memory: str | None = None) -> MCPServer[Any]:
    """Return the server of one vault or, if that is empty, of the shared memory alone, ready to run."""
    mcp = Server("brain", instructions=INSTRUCTIONS, version=VERSION, log_level="ERROR")
    run = _runner(vault, now, memory)
    _add_reading_tools(mcp, run)
    _add_feedback(mcp, run)
    if vault:
        _add_writing_tools(mcp, run)
    _add_resources(mcp, run)
    return mcp


Run = Callable[..., dict[str, Any]]


def _runner(vault: str, now: str | None, memory: str | None) -> Run:
    """Return a function that runs a command on the vault and returns its JSON document; ToolError if it fails.

    All recalls of one client count as one session, unless the client names another one.
    """
    environ = {**os.environ, "NO_COLOR": "1"}
    environ.setdefault("BRAIN_SESSION", uuid4().hex)
    if memory:
        environ["BRAIN_MEMORY"] = memory
    vault_options = ["--vault", vault] if vault else []

    def run(*arguments: str, stdin: str = "") -> dict[str, Any]:
        clock = ["--now", now] if now else []
        argv = [*arguments[:1], "--json", *vault_options, *clock, *arguments[1:]]
        warm = answer_of(argv, vault, environ) if vault else None
        code, out, err = warm or _in_process(argv, stdin, environ)
        if code not in (OK, NOTHING_FOUND):
            raise ToolError(without_surrogates(err.strip()) or f"brain ended with {code}")
        # The name of a file may be in any encoding; a reply is in UTF-8.
        text = json.dumps(json.loads(out or b"{}"), ensure_ascii=False)
        document: dict[str, Any] = json.loads(without_surrogates(text))
        return document

    return run


def _in_process(argv: list[str], stdin: str, environ: Mapping[str, str]) -> tuple[int, bytes, str]:
    """Run a command in this process; return its exit code, stdout and stderr."""
    out: list[bytes] = []
    err: list[str] = []
    context = CommandContext(
        environ=environ,
        folder=os.getcwd(),
        stdin=lambda: stdin.encode(),
        out=out.append,
        err=err.append,
        screen=lambda: Screen(False, False, 0),
    )
    with using_context(context):
        code, _ = run_command(argv)
    return code, b"".join(out), "".join(err)


def _add_reading_tools(mcp: MCPServer[Any], run: Run) -> None:
    @mcp.tool(annotations=READ_ONLY)
    def remember(
        query: str,
        limit: int = 5,
        project: str = "",
        kind: str = "",
        since: str = "",
        budget_chars: int = DEFAULT_BUDGET_CHARS,
    ) -> results.Recalled:
        """Answer a question from the notes: quoted passages with their locations, and the ranking behind them."""
        options = _options(project=project, type=kind, since=since)
        options += ["-n", str(limit), "--fields", FIELDS, "--budget", str(budget_chars), "--no-synthesis"]
        return results.recalled(run("remember", *options, "--", query))

    @mcp.tool(annotations=READ_ONLY)
    def context(
        project: str = "", prompt: str = "", profile: str = "balanced", budget_chars: int = 0
    ) -> results.Context:
        """Return what to know on starting work in the current folder, or on a prompt."""
        budget = str(budget_chars) if budget_chars else ""
        options = _options(project=project, prompt=prompt, profile=profile, budget=budget)
        return results.known(run("context", *options))

    @mcp.tool(annotations=READ_ONLY)
    def recent(limit: int = 10, since: str = "", project: str = "") -> results.Recent:
        """List the newest notes of this project, then of the vault."""
        return results.recent(run("recent", "-n", str(limit), *_options(since=since, project=project)))

    @mcp.tool(annotations=READ_ONLY)
    def show(note: str) -> results.Shown:
        """Return a note's text, or one section of it: a path, `path:line`, `path#heading` or a title."""
        return results.shown(run("show", "--", note))

    @mcp.tool(annotations=READ_ONLY)
    def related(note: str) -> results.AllRelated:
        """Return the notes that a note is linked with, directly or through one other, most activated first."""
        return results.related(run("related", "--", note))


def _add_writing_tools(mcp: MCPServer[Any], run: Run) -> None:
    @mcp.tool(annotations=ADDS)
    def add(title: str, text: str, kind: str = "", project: str = "", tags: list[str] | None = None) -> results.Changed:
        """Write a new note. A note of the last hour that says the same is returned instead."""
        options = [option for tag in tags or [] for option in ("--tag", tag)]
        document = run("add", *_options(type=kind, project=project), *options, "--", title, stdin=text)
        return results.Changed(path=document["path"], changed=bool(document["stored"]))

    @mcp.tool(annotations=ADDS)
    def append(note: str, text: str) -> results.Changed:
        """Add a dated section to the end of a note."""
        document = run("add", "--append", note, stdin=text)
        return results.Changed(path=document["path"], changed=True)

    @mcp.tool(annotations=MOVES)
    def archive(note: str) -> results.Changed:
        """Take a note out of ordinary recall. It moves to the archive; nothing is deleted."""
        document = run("archive", "--", note)
        return results.Changed(path=document["path"], changed=document["changed"])


def _add_feedback(mcp: MCPServer[Any], run: Run) -> None:
    @mcp.tool(annotations=ADDS)
    def feedback(note: str, useful: bool) -> results.Changed:
        """Rate a note as useful or wrong; the ranking learns from it."""
        document = run("feedback", "--", note, "useful" if useful else "wrong")
        return results.Changed(path=document["path"], changed=True)


def _add_resources(mcp: Server, run: Run) -> None:
    def newest() -> list[Resource]:
        listed = results.recent(run("recent", "-n", str(LISTED_NOTES)))["notes"]
        return [
            Resource(uri=f"{NOTE_ADDRESS}{quote(each['path'])}", name=each["title"], mime_type="text/markdown")
            for each in listed
        ]

    mcp.newest = newest

    @mcp.resource(f"{NOTE_ADDRESS}{{+path}}", mime_type="text/markdown")
    def note(path: str) -> str:
        """A note of the vault, by its path."""
        try:
            return str(run("show", "--", unquote(path))["text"])
        except ToolError as error:
            raise ResourceNotFoundError(str(error)) from None


def _options(**values: str) -> list[str]:
    """Return the options that have a value."""
    return [word for name, value in values.items() if value for word in (f"--{name}", value)]
