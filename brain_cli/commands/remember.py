"""`brain remember`: options → one recall → the format asked for → exit code."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from brain_cli.commands import batch as batches
from brain_cli.commands import completing
from brain_cli.commands.options import JsonOption, NowOption, ScorerOption, VaultOption, shared
from brain_cli.commands.request import Request, options
from brain_cli.commands.setting import library, say, setting, write
from brain_cli.commands.touch import past_of, record, shown
from brain_cli.commands.view import format_name, view
from brain_cli.errors import NOTHING_FOUND, OK, UsageError
from brain_cli.recall.recall import remember
from brain_cli.recall.results import Recall
from brain_cli.render import load_format


def command(
    context: typer.Context,
    query: Annotated[list[str] | None, typer.Argument(click_type=completing.QUERY)] = None,
    limit: Annotated[int | None, typer.Option("-n", "--limit", metavar="N", help="Show at most this many.")] = None,
    scorer: ScorerOption = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="Named settings.", click_type=completing.PROFILE),
    ] = None,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            metavar="NAME",
            help="Where you work; default: this repository.",
            click_type=completing.PROJECT,
        ),
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option("--topics", metavar="A,B", help="What you work on.", click_type=completing.TOPICS),
    ] = None,
    task: Annotated[str | None, typer.Option("--task", metavar="NAME", help="What kind of work it is.")] = None,
    type_: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="KIND",
            help="Only notes of this kind; may be repeated.",
            click_type=completing.KIND,
        ),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag",
            metavar="TAG",
            help="Only with this tag; -TAG leaves it out.",
            click_type=completing.TAG,
        ),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option("--path", metavar="GLOB", help="Only notes whose path matches.", click_type=completing.PATH),
    ] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="DATE", help="From then on: a date, or 2w.")] = None,
    before: Annotated[str | None, typer.Option("--before", metavar="DATE", help="Before: a date, or 3 months.")] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", metavar="KEY=VALUE", help="Only with this in the frontmatter.")
    ] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Search the archive instead.")] = False,
    words: Annotated[bool, typer.Option("--words", help="Take the query literally, without operators.")] = False,
    recent: Annotated[
        bool | None, typer.Option("--recent/--no-recent", help="Ask for the newest, whatever the words say.")
    ] = None,
    min_score: Annotated[
        float | None, typer.Option("--min-score", metavar="SHARE", help="Leave out what scores less, 0 to 1.")
    ] = None,
    mmr: Annotated[bool | None, typer.Option("--mmr/--no-mmr", help="Show near-duplicates behind the others.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score came about.")] = False,
    no_touch: Annotated[bool, typer.Option("--no-touch", help="Record nothing of this recall.")] = False,
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="FILE", help="Answer JSON lines; - reads stdin.", click_type=completing.FILE),
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            show_default=False,
            help="auto, rich, plain, json, jsonl, paths, markdown.",
            click_type=completing.FORMAT,
        ),
    ] = "auto",
    null: Annotated[bool, typer.Option("-0", help="With --format paths: end each with NUL.")] = False,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Recall what your notes know.

    QUERY is a question or a few words; - reads it from stdin.
    """
    return run(
        Request(
            words=tuple(query or ()),
            vault=shared(context, "vault", vault),
            now=shared(context, "now", now),
            format="json" if shared(context, "json", json) else format,
            limit=limit,
            scorer=scorer,
            profile=profile,
            min_score=min_score,
            mmr=mmr,
            project=project,
            topics=topics,
            task=task,
            recent=recent,
            kinds=tuple(type_ or ()),
            tags=tuple(tag or ()),
            paths=tuple(path or ()),
            since=since,
            before=before,
            where=tuple(where or ()),
            archived=archived,
            literal=words,
            explain=explain,
            null=null,
            batch=batch,
            no_touch=no_touch,
        )
    )


def run(request: Request) -> int:
    """Answer on stdout; return the exit code."""
    here = setting(request.vault, request.now, request.flags)
    if request.batch is not None:
        if request.words:
            raise UsageError("A batch has its queries in its lines.", "Leave out the words, or --batch.")
        return batches.run(request, here)
    query, how = request.query(), options(here)
    name = format_name(request.format)
    form = load_format(name)
    started = time.perf_counter()
    recall = library(here, touch=request.touches).ask(
        lambda snapshot: remember(query, request.session(here, snapshot), snapshot, how, past_of(here, snapshot))
    )
    write(form.render(recall, view(request, here, (time.perf_counter() - started) * 1_000)))
    _hint(recall, name)
    if request.touches and recall.presented:
        record(here, [shown(recall, here.config)])
    return OK if recall.found else NOTHING_FOUND


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
