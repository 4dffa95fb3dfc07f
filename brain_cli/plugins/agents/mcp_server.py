"""The tools of `brain mcp`: each runs one command on the vault and returns its JSON.

No tool writes outside the vault or deletes a note: `archive` moves it, and `restore` brings it back.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote
from uuid import uuid4

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from mcp.types import CallToolResult, InputRequiredResult, Resource, TextContent, Tool, ToolAnnotations
from pydantic import Field

from brain_cli.cli._errors import run_command
from brain_cli.cli._process import CommandContext, Terminal, using_context
from brain_cli.config import variable_of
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
FIELDS = (
    "strategy,answer,key_points,synthesis,archive,unknown,suggestions,behind,path,title,kind,project,score,date,passage"
)
LISTED_NOTES = 50
NOTE_ADDRESS = "brain://note/"
READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
MOVES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


# The SDK reports parameters in the words of pydantic: each on a line, then what is wrong with it.
_WRONG_PARAMETER = re.compile(r"^(\w\S*)\n +(.+?) \[type=", re.MULTILINE)
# Agents misspell parameters; ignoring one would answer another question.
ArgModelBase.model_config["extra"] = "forbid"

Kind = Annotated[str, Field(description="Only notes of this kind, e.g. decision.")]
Project = Annotated[str, Field(description="Default: the working folder's.")]
Since = Annotated[str, Field(description="A date, or a span such as 2w.")]
Budget = Annotated[int, Field(ge=1, le=100_000, description="Most characters of the answer.")]
Limit = Annotated[int, Field(ge=1, le=100, description="Most notes.")]
NoteName = Annotated[str, Field(description="A path, path:line, path#heading or title.")]


class Server(MCPServer[Any]):
    """The server of one vault: short schemas, compact texts, and the newest notes in its list of resources."""

    newest: Callable[[], list[Resource]] = list

    async def list_tools(self) -> list[Tool]:
        """Return the tools; their schemas are without titles, which repeat the names."""
        short: list[Tool] = []
        for tool in await super().list_tools():
            schemas = {"input_schema": untitled(tool.input_schema), "output_schema": untitled(tool.output_schema)}
            short.append(tool.model_copy(update=schemas))
        return short

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; the text of the result is compact JSON."""
        try:
            result = await super().call_tool(name, arguments, context)
        except ToolError as error:
            wrong = _WRONG_PARAMETER.findall(str(error))
            raise ToolError("; ".join(f"`{each}`: {why}" for each, why in wrong) or str(error)) from None
        if isinstance(result, CallToolResult) and result.structured_content is not None:
            text = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
            result = result.model_copy(update={"content": [TextContent(type="text", text=text)]})
        return result

    async def list_resources(self) -> list[Resource]:
        """Return the newest notes; other notes can be read by their addresses too."""
        return [*await super().list_resources(), *self.newest()]


def untitled(schema: Any) -> Any:
    """Return a JSON schema without titles and without the descriptions of its types."""
    if isinstance(schema, list):
        return [untitled(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    is_type = schema.get("type") == "object" and "properties" in schema
    left_out = ("title", "description") if is_type else ("title",)
    # A property may have any of these names; the keywords have texts.
    return {key: untitled(each) for key, each in schema.items() if not (key in left_out and isinstance(each, str))}


def server(vault: str, now: str | None = None, settings: Mapping[str, str] = MappingProxyType({})) -> MCPServer[Any]:
    """Return the server of one vault or, if that is empty, of the notes that the settings name, ready to run."""
    mcp = Server("brain", instructions=INSTRUCTIONS, version=VERSION, log_level="ERROR")
    run = _runner(vault, now, settings)
    _add_reading_tools(mcp, run)
    _add_feedback(mcp, run)
    if vault:
        _add_writing_tools(mcp, run)
    _add_resources(mcp, run)
    return mcp


Run = Callable[..., dict[str, Any]]


def _runner(vault: str, now: str | None, settings: Mapping[str, str]) -> Run:
    """Return a function that runs a command on the vault and returns its JSON document; ToolError if it fails.

    All recalls of one client count as one session, unless the client names another one.
    """
    environ = {**os.environ, "NO_COLOR": "1"}
    environ.setdefault("BRAIN_SESSION", uuid4().hex)
    environ.update({variable_of(name): value for name, value in settings.items()})
    vault_options = ["--vault", vault] if vault else []

    def run(*arguments: str, stdin: str = "") -> dict[str, Any]:
        clock = ["--now", now] if now else []
        argv = [*arguments[:1], "--json", *vault_options, *clock, *arguments[1:]]
        warm = answer_of(argv, vault, environ) if vault else None
        code, out, err = warm or _in_process(argv, stdin, environ)
        if code not in (OK, NOTHING_FOUND):
            raise ToolError(_in_parameters(without_surrogates(err.strip())) or f"brain ended with {code}")
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
        screen=lambda: Terminal(False, False, 0),
    )
    with using_context(context):
        code, _ = run_command(argv)
    return code, b"".join(out), "".join(err)


def _add_reading_tools(mcp: MCPServer[Any], run: Run) -> None:
    @mcp.tool(annotations=READ_ONLY)
    def remember(
        query: Annotated[str, Field(min_length=1, description="A question in plain words.")],
        more: Annotated[list[str] | None, Field(max_length=7, description="More questions.")] = None,
        limit: Limit = 5,
        project: Project = "",
        kind: Kind = "",
        tag: Annotated[list[str] | None, Field(description="Only with these tags; -tag leaves one out.")] = None,
        path: Annotated[str, Field(description="Only paths that match this glob.")] = "",
        where: Annotated[list[str] | None, Field(description="Only with key=value in the frontmatter.")] = None,
        since: Since = "",
        min_score: Annotated[float, Field(ge=0, le=1)] = 0,
        archived: Annotated[bool, Field(description="Search the archive instead.")] = False,
        sure: Annotated[bool, Field(description="Only a strong match, or nothing.")] = False,
        record: Annotated[bool, Field(description="Count this as a use of the notes.")] = False,
        budget_chars: Budget = DEFAULT_BUDGET_CHARS,
    ) -> results.Recalled:
        """Answer a question from the notes: quoted passages with their locations, and the ranking behind them."""
        options = _options(project=project, type=kind, path=path, since=since)
        options += [word for each in tag or [] for word in (f"--tag={each}",)]
        options += [word for each in where or [] for word in ("--where", each)]
        flags = {"--archived": archived, "--sure": sure, "--no-touch": not record}
        options += [name for name, is_set in flags.items() if is_set]
        options += ["--min-score", str(min_score)] if min_score else []
        options += ["-n", str(limit), "--fields", FIELDS]
        questions = [query, *(more or [])]
        first, *others = [_answer(run, options, each, budget_chars // len(questions)) for each in questions]
        return results.Recalled(**first, more=others)

    @mcp.tool(annotations=READ_ONLY)
    def context(
        project: Project = "",
        prompt: Annotated[str, Field(description="The user's words, if there are any.")] = "",
        profile: Annotated[Literal["speed", "balanced", "deep"], Field(description="How much.")] = "balanced",
        budget_chars: Annotated[int, Field(ge=0, le=100_000, description="0: that of the profile.")] = 0,
    ) -> results.ContextResult:
        """Return what to know on starting work in the current folder, or on a prompt."""
        budget = str(budget_chars) if budget_chars else ""
        options = _options(project=project, prompt=prompt, profile=profile, budget=budget)
        return results.known(run("context", *options))

    @mcp.tool(annotations=READ_ONLY)
    def recent(limit: Limit = 10, since: Since = "", project: Project = "") -> results.RecentResult:
        """List the newest notes of this project, then of the vault."""
        return results.recent(run("recent", "-n", str(limit), *_options(since=since, project=project)))

    @mcp.tool(annotations=READ_ONLY)
    def show(note: NoteName) -> results.ShownResult:
        """Return a note's text, or one section of it."""
        return results.shown(run("show", "--", note))

    @mcp.tool(annotations=READ_ONLY)
    def related(note: NoteName) -> results.AllRelated:
        """Return the notes that a note is linked with, directly or through one other, most activated first."""
        return results.related(run("related", "--", note))


def _answer(run: Run, options: list[str], question: str, budget_chars: int) -> results.OneAnswer:
    """Return the answer to one question, within a budget of characters."""
    found = results.answer(run("remember", *options, "--budget", str(budget_chars), "--", question))
    if found["passages"] or found["results"] or budget_chars >= DEFAULT_BUDGET_CHARS:
        return found
    # The budget has no space for one note: the best passage is cut to it.
    whole = results.answer(run("remember", *options, "--budget", str(DEFAULT_BUDGET_CHARS), "--", question))
    return results.cut(whole, budget_chars)


def _add_writing_tools(mcp: MCPServer[Any], run: Run) -> None:
    @mcp.tool(annotations=ADDS)
    def add(
        title: Annotated[str, Field(min_length=1)],
        text: Annotated[str, Field(description="Markdown.")],
        kind: Annotated[str, Field(description="E.g. decision, preference, learning.")] = "",
        project: str = "",
        tags: list[str] | None = None,
        topics: list[str] | None = None,
        files: Annotated[list[str] | None, Field(description="Files that it is about.")] = None,
        supersedes: Annotated[list[NoteName] | None, Field(description="Notes that it replaces.")] = None,
    ) -> results.Added:
        """Write a new note. A note of the last hour that says the same is returned instead.

        Ask the user whether it replaces one of `may_replace`.
        """
        lists = {"tag": tags, "topic": topics, "file": files, "supersedes": supersedes}
        options = [word for name, each in lists.items() for value in each or () for word in (f"--{name}", value)]
        document = run("add", *_options(type=kind, project=project), *options, "--", title, stdin=text)
        return results.Added(
            path=document["path"], changed=bool(document["stored"]), may_replace=document["may_replace"]
        )

    @mcp.tool(annotations=ADDS)
    def append(note: NoteName, text: str) -> results.Changed:
        """Add a dated section to the end of a note."""
        document = run("add", "--append", note, stdin=text)
        return results.Changed(path=document["path"], changed=True)

    @mcp.tool(annotations=MOVES)
    def archive(note: NoteName) -> results.Changed:
        """Take a note out of ordinary recall. It moves to the archive; nothing is deleted."""
        document = run("archive", "--", note)
        return results.Changed(path=document["path"], changed=document["changed"])

    @mcp.tool(annotations=ADDS)
    def restore(note: NoteName) -> results.Changed:
        """Bring an archived note back."""
        document = run("restore", "--", note)
        return results.Changed(path=document["path"], changed=document["changed"])


def _add_feedback(mcp: MCPServer[Any], run: Run) -> None:
    @mcp.tool(annotations=ADDS)
    def feedback(note: NoteName, useful: bool) -> results.Changed:
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

    @mcp.prompt()
    def brief_me() -> str:
        """Brief me on what is known here, and on what was left open."""
        notes = results.known(run("context"))["notes"]
        known = (f"- {each['title']} ({each['path']}): {each['passage'] or ''}" for each in notes)
        return "Brief me on the work in this folder from these notes of our memory:\n\n" + "\n".join(known)

    @mcp.resource(f"{NOTE_ADDRESS}{{+path}}", mime_type="text/markdown")
    def note(path: str) -> str:
        """A note of the vault, by its path."""
        try:
            return str(run("show", "--", unquote(path))["text"])
        except ToolError as error:
            raise ResourceNotFoundError(str(error)) from None


def _in_parameters(message: str) -> str:
    """Return a message that names the tool's parameters instead of options."""
    named = {"type": "kind", "budget": "budget_chars"}
    return re.sub(r"--([a-z][a-z-]*)", lambda found: f"`{named.get(found[1], found[1].replace('-', '_'))}`", message)


def _options(**values: str) -> list[str]:
    """Return the options that have a value."""
    return [word for name, value in values.items() if value for word in (f"--{name}", value)]
