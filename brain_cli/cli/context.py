"""`brain context`: what to know on starting work in a folder, as Markdown for a prompt or a shell login."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from brain_cli.answer.context import Surfaced, surface
from brain_cli.cli import _completion as completing
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
from brain_cli.cli._request import SessionOptions
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session
from brain_cli.errors import NOTHING_FOUND, OK, UsageError, did_you_mean
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.threshold import THRESHOLDS
from brain_cli.render.phrases import days_ago, one_line

DEFAULT_PROFILE = "balanced"
# Without a query there is little relevance to go by: the formula whose thresholds these are knows what lasts.
CONTEXT_SCORER = "clawmem"


def command(
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="speed, balanced or deep.", click_type=completing.PROFILE),
    ] = None,
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
    return run(CommonOptions(vault, now, json), flags, scorer or CONTEXT_SCORER, SessionOptions(project, topics))


def run(options: CommonOptions, flags: Mapping[str, object], scorer: str, session_options: SessionOptions) -> int:
    """Print what surfaces; exit 1 when nothing does."""
    workspace = options.open_workspace(flags)
    found = index_session(workspace).ask(lambda snapshot: _surfaced(workspace, snapshot, scorer, session_options))
    if options.json:
        write_json({"results": [_result(each) for each in found]})
    else:
        write_lines(map(_line, found))
    return OK if found else NOTHING_FOUND


def _surfaced(workspace: Workspace, snapshot: Snapshot, scorer: str, session_options: SessionOptions) -> list[Surfaced]:
    name = workspace.config.profile or DEFAULT_PROFILE
    if name not in THRESHOLDS:
        raise UsageError(f"The profile “{name}” has no threshold for context.", did_you_mean(name, THRESHOLDS))
    # Elsewhere nothing is said of nothing: this runs whenever a shell starts.
    if not snapshot.note_table.rows:
        say("There are no notes in this vault yet.")
    return surface(
        session=session_options.session(workspace, snapshot),
        snapshot=snapshot,
        scorer=load_scorer(scorer, workspace.config.scorers.get(scorer, {})),
        note_history=note_history_of(workspace, snapshot),
        threshold=THRESHOLDS[name],
        limit=workspace.config.limit,
    )


def _line(each: Surfaced) -> str:
    metadata = each.metadata
    origin = f" [from: {metadata.project}]" if metadata.project and not each.same_project else ""
    return one_line(f"- **{metadata.title}**{origin} ({metadata.kind}, {days_ago(each.age_days)}): {metadata.path}")


def _result(each: Surfaced) -> dict[str, object]:
    metadata = each.metadata
    return {
        "path": metadata.path,
        "title": metadata.title,
        "kind": metadata.kind,
        "project": metadata.project,
        "score": each.score.share,
        "total": each.score.total,
        "age_days": each.age_days,
        "tags": list(metadata.tags),
    }
