"""`brain context`: what to know on starting work in a folder, as Markdown for a prompt or a shell login."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from brain_cli.commands import completing
from brain_cli.commands.options import JsonOption, NowOption, ScorerOption, VaultOption, shared
from brain_cli.commands.request import Request
from brain_cli.commands.setting import Setting, library, setting, write
from brain_cli.commands.touch import past_of
from brain_cli.errors import NOTHING_FOUND, OK, UsageError, did_you_mean
from brain_cli.index.snapshot import Snapshot
from brain_cli.recall.surfacing import Surfaced, surface
from brain_cli.render.phrases import days_ago, one_line
from brain_cli.scoring import load_scorer
from brain_cli.scoring.threshold import THRESHOLDS

DEFAULT_PROFILE = "balanced"
# Without a query there is little relevance to go by: the formula whose thresholds these are knows what lasts.
CONTEXT_SCORER = "clawmem"


def command(
    context: typer.Context,
    profile: Annotated[
        str,
        typer.Option("--profile", metavar="NAME", help="speed, balanced or deep.", click_type=completing.PROFILE),
    ] = "",
    limit: Annotated[int | None, typer.Option("-n", "--limit", metavar="N", help="Show at most this many.")] = None,
    scorer: ScorerOption = None,
    project: Annotated[
        str | None,
        typer.Option("--project", metavar="NAME", help="Where you work.", click_type=completing.PROJECT),
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option("--topics", metavar="A,B", help="What you work on.", click_type=completing.TOPICS),
    ] = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Show what to know on starting work in this folder."""
    request = Request(
        words=(),
        vault=shared(context, "vault", vault),
        now=shared(context, "now", now),
        limit=limit,
        scorer=scorer,
        profile=profile or None,
        project=project,
        topics=topics,
    )
    return run(request, as_json=shared(context, "json", json))


def run(request: Request, *, as_json: bool) -> int:
    """Print what surfaces; exit 1 when nothing does."""
    here = setting(request.vault, request.now, request.flags)
    found = library(here).ask(lambda snapshot: _surfaced(request, here, snapshot))
    if as_json:
        write(json_text.dumps({"version": 1, "results": [_plain(each) for each in found]}, indent=2) + "\n")
    else:
        write("".join(f"{line}\n" for line in _lines(found)))
    return OK if found else NOTHING_FOUND


def _surfaced(request: Request, here: Setting, snapshot: Snapshot) -> list[Surfaced]:
    name = here.config.profile or DEFAULT_PROFILE
    if name not in THRESHOLDS:
        raise UsageError(f"The profile “{name}” has no threshold for context.", did_you_mean(name, THRESHOLDS))
    scorer = request.scorer or CONTEXT_SCORER
    return surface(
        session=request.session(here, snapshot),
        snapshot=snapshot,
        scorer=load_scorer(scorer, here.config.constants.get(scorer, {})),
        past=past_of(here, snapshot),
        threshold=THRESHOLDS[name],
        limit=here.config.limit,
    )


def _lines(found: Iterable[Surfaced]) -> Iterator[str]:
    for each in found:
        facts = each.facts
        origin = f" [from: {facts.project}]" if facts.project and not each.same_project else ""
        yield f"- **{one_line(facts.title)}**{origin} ({facts.kind}, {days_ago(each.age_days)}): {one_line(facts.path)}"


def _plain(each: Surfaced) -> dict[str, Any]:
    facts = each.facts
    return {
        "path": facts.path,
        "title": facts.title,
        "kind": facts.kind,
        "project": facts.project,
        "score": each.score.share,
        "total": each.score.total,
        "age_days": each.age_days,
        "tags": list(facts.tags),
    }
