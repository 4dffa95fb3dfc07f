"""`brain context`: what to know on starting work in a folder, as Markdown for a prompt or a shell login."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple

import typer

from brain_cli.answer.context import Surfaced, Surfacing, surface
from brain_cli.answer.passages.selection import Source, passages
from brain_cli.cli import _completion as completing
from brain_cli.cli._context import command_context
from brain_cli.cli._history import note_history_of
from brain_cli.cli._options import (
    JsonOption,
    LimitOption,
    NowOption,
    ProjectOption,
    ScorerOption,
    TopicsOption,
    VaultOption,
)
from brain_cli.cli._output import say, write_json, write_lines
from brain_cli.cli._place import read_place
from brain_cli.cli._request import SessionOptions
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session
from brain_cli.config import read_layers
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.index.snapshot import Snapshot
from brain_cli.memory.events import SHOWN, Event, Mention
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.threshold import THRESHOLDS, Threshold
from brain_cli.render.phrases import one_line
from brain_cli.types import KeyPoint
from brain_cli.vault.dates import iso

DEFAULT_PROFILE = "balanced"
PROFILE_TOKENS = {"speed": 400, "balanced": 800, "deep": 1_200}
CHARS_PER_TOKEN = 4
# Without a query there is little relevance to go by: the formula whose thresholds these are knows what lasts.
CONTEXT_SCORER = "clawmem"


class ContextRequest(NamedTuple):
    """One `brain context` as typed; `flags` override the configuration where they are not None."""

    options: CommonOptions
    flags: Mapping[str, object]
    session: SessionOptions
    prompt: str = ""
    budget_chars: int | None = None
    folder: str | None = None


class ShownNote(NamedTuple):
    """A note with the passage that is shown of it."""

    note: Surfaced
    passage: KeyPoint | None


def command(
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="speed, balanced or deep.", click_type=completing.PROFILE),
    ] = None,
    prompt: Annotated[
        str | None, typer.Option("--prompt", metavar="TEXT", help="The words of the user's prompt; - reads stdin.")
    ] = None,
    budget: Annotated[int | None, typer.Option("--budget", metavar="CHARS", help="Say at most this much.")] = None,
    hook: Annotated[bool, typer.Option("--hook", help="Read a coding agent's hook payload from stdin.")] = False,
    limit: LimitOption = None,
    scorer: ScorerOption = None,
    project: ProjectOption = None,
    topics: TopicsOption = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Show what to know on starting work in this folder."""
    flags = {"limit": limit, "scorer": scorer, "profile": profile or None}
    request = ContextRequest(
        CommonOptions(vault, now, json), flags, SessionOptions(project, topics), budget_chars=budget
    )
    if hook:
        found = run(_with_payload(request, command_context().stdin()))
        # Silence is an answer, and a hook that fails would be shown to the user.
        return OK if found == NOTHING_FOUND else found
    if prompt == "-":
        prompt = command_context().stdin().decode("utf-8", "replace")
    return run(request._replace(prompt=prompt or ""))


def run(request: ContextRequest) -> int:
    """Print what comes up; exit 1 when nothing does."""
    workspace = request.options.open_workspace(request.flags)
    if request.folder:
        workspace = workspace._replace(folder=request.folder)
    shown = index_session(workspace).ask(lambda snapshot: _shown_notes(request, workspace, snapshot))
    kept = _within(shown, _budget_chars(request, workspace))
    if request.options.json:
        write_json({"results": [_result(each) for each in kept]})
    else:
        write_lines([line for each in kept for line in _lines(each)])
    if workspace.config.record_context and kept:
        _record(workspace, kept)
    return OK if kept else NOTHING_FOUND


def _with_payload(request: ContextRequest, raw: bytes) -> ContextRequest:
    """Return the request that a hook's payload makes: its prompt and its folder; a broken payload changes nothing."""
    try:
        payload = json_module.loads(raw or b"{}")
    except ValueError:
        return request
    if not isinstance(payload, dict):
        return request
    return request._replace(prompt=str(payload.get("prompt") or ""), folder=str(payload.get("cwd") or "") or None)


def _shown_notes(request: ContextRequest, workspace: Workspace, snapshot: Snapshot) -> list[ShownNote]:
    # Nothing else is said when there is nothing to show: this runs whenever a shell starts.
    if not snapshot.note_table.rows:
        say("There are no notes in this vault yet.")
    scorer = _scorer_name(request, workspace)
    place = read_place(workspace.folder, workspace.vault, request.prompt, workspace.now)
    surfacing = surface(
        place=place._replace(cross_project=workspace.config.cross_project),
        session=request.session.session(workspace, snapshot),
        snapshot=snapshot,
        scorer=load_scorer(scorer, workspace.config.scorers.get(scorer, {})),
        note_history=note_history_of(workspace, snapshot),
        threshold=_threshold(workspace),
        limit=workspace.config.limit,
    )
    return [ShownNote(each, _passage(each, surfacing, snapshot)) for each in surfacing.notes]


def _scorer_name(request: ContextRequest, workspace: Workspace) -> str:
    """Return the scorer that an option, a profile or a file names; else the one made for context."""
    layers = read_layers(workspace.vault, request.flags, command_context().environ)
    named = [layer.values[("scorer",)] for layer in layers if ("scorer",) in layer.values and layer.origin != "default"]
    return str(named[-1]) if named else CONTEXT_SCORER


def _threshold(workspace: Workspace) -> Threshold:
    config = workspace.config
    usual = THRESHOLDS.get(config.profile or DEFAULT_PROFILE, THRESHOLDS[DEFAULT_PROFILE])
    ratio = usual.ratio if config.context_ratio is None else config.context_ratio
    return Threshold(ratio, usual.floor if config.context_floor is None else config.context_floor)


def _budget_chars(request: ContextRequest, workspace: Workspace) -> int:
    if request.budget_chars is not None:
        return request.budget_chars
    usual = PROFILE_TOKENS.get(workspace.config.profile or DEFAULT_PROFILE, PROFILE_TOKENS[DEFAULT_PROFILE])
    return CHARS_PER_TOKEN * (workspace.config.context_tokens or usual)


def _passage(each: Surfaced, surfacing: Surfacing, snapshot: Snapshot) -> KeyPoint | None:
    """Return the passage of a note that says most about the place, else the first one."""
    fragments = [snapshot.index.fragment(number) for number in snapshot.numbers_of(each.note_id)]
    language, boilerplate = snapshot.language(each.note_id), snapshot.note_table.boilerplate
    sources = [Source(each.metadata.path, each.metadata.title, language, one, boilerplate) for one in fragments]
    found = passages(sources, surfacing.worths)
    return found[0].key_point if found else None


def _within(shown: list[ShownNote], budget_chars: int) -> list[ShownNote]:
    """Return the notes that fit the budget, in order; one that does not fit whole is shown without its passage."""
    kept: list[ShownNote] = []
    for each in shown:
        for form in (each, ShownNote(each.note, None)):
            size = sum(len(line) + 1 for line in _lines(form))
            if size <= budget_chars:
                kept.append(form)
                budget_chars -= size
                break
    return kept


def _lines(each: ShownNote) -> Iterator[str]:
    metadata = each.note.metadata
    line = f":{each.passage.line}" if each.passage else ""
    told = f"- **{metadata.title}**{_origin(each.note)} ({metadata.kind}, {_date(each)}) {metadata.path}{line}"
    yield one_line(told)
    if each.passage:
        yield f"  > {one_line(each.passage.text)}"


def _origin(note: Surfaced) -> str:
    project = note.metadata.project
    return f" [from: {project}]" if project and not note.same_project else ""


def _date(each: ShownNote) -> str:
    return iso(each.note.metadata.timestamp)[:10]


def _result(each: ShownNote) -> dict[str, object]:
    metadata, passage = each.note.metadata, each.passage
    return {
        "path": metadata.path,
        "line": passage.line if passage else None,
        "title": metadata.title,
        "kind": metadata.kind,
        "project": metadata.project,
        "from": metadata.project if _origin(each.note) else None,
        "date": iso(metadata.timestamp),
        "dated_by": metadata.dated_by,
        "passage": passage.text if passage else None,
        "score": each.note.score.share,
        "total": each.note.score.total,
        "relevance": each.note.relevance,
        "age_days": each.note.age_days,
        "tags": list(metadata.tags),
    }


def _record(workspace: Workspace, kept: list[ShownNote]) -> None:
    mentions = [Mention(each.note.metadata.path, each.note.content_hash, each.note.metadata.timestamp) for each in kept]
    workspace.record([Event(workspace.now, SHOWN, mentions)])
