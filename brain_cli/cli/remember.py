"""`brain remember`: options → one recall → the format asked for → exit code."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from brain_cli.answer.quoting import Quotes
from brain_cli.answer.recall import remember
from brain_cli.answer.results import Recall
from brain_cli.cli import _batch as batches
from brain_cli.cli._context import command_context
from brain_cli.cli._history import note_history_of, record, shown
from brain_cli.cli._meaning import meaning_of
from brain_cli.cli._output import format_name, say, view, write
from brain_cli.cli._request import RecallRequest, SessionOptions, ranking_options
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session
from brain_cli.errors import NOTHING_FOUND, OK, UsageError
from brain_cli.render import AUTO, load_format
from brain_cli.search.filters import Filters
from brain_cli.types import BY_SCORE

if TYPE_CHECKING:
    from brain_cli.cli._options import (
        ArchivedOption,
        BatchOption,
        BeforeOption,
        ExplainOption,
        FormatOption,
        JsonOption,
        KindsOption,
        LimitOption,
        MinScoreOption,
        MmrOption,
        NoTouchOption,
        NowOption,
        NulOption,
        PathsOption,
        ProfileOption,
        ProjectOption,
        QueryArgument,
        RecentOption,
        ScorerOption,
        SinceOption,
        SortOption,
        TagsOption,
        TaskOption,
        TopicsOption,
        VaultOption,
        WhereOption,
        WordsOption,
    )

# These formats say within the answer that it may be stale; the others leave it to a line on stderr.
TELLING_STALENESS = ("json", "markdown", "rich")
# What a format shows of the notes' text; those that are not named show a passage of every result.
QUOTES = {
    "plain": Quotes.NOTHING,
    "paths": Quotes.NOTHING,
    "rich": Quotes.SHOWN,
    "markdown": Quotes.SHOWN,
}


def command(
    query: QueryArgument = None,
    limit: LimitOption = None,
    scorer: ScorerOption = None,
    profile: ProfileOption = None,
    project: ProjectOption = None,
    topics: TopicsOption = None,
    task: TaskOption = None,
    kinds: KindsOption = None,
    tags: TagsOption = None,
    paths: PathsOption = None,
    since: SinceOption = None,
    before: BeforeOption = None,
    where: WhereOption = None,
    archived: ArchivedOption = False,
    words: WordsOption = False,
    recent: RecentOption = None,
    sort: SortOption = BY_SCORE,
    min_score: MinScoreOption = None,
    mmr: MmrOption = None,
    explain: ExplainOption = False,
    no_touch: NoTouchOption = False,
    batch: BatchOption = None,
    format: FormatOption = AUTO,  # noqa: A002 - the option's name
    nul: NulOption = False,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Recall what your notes know.

    QUERY is a question or a few words; - reads it from stdin.
    """
    filters = Filters.of(type=kinds, tag=tags, path=paths, since=since, before=before, where=where, archived=archived)
    return run(
        RecallRequest(
            options=CommonOptions(vault, now, json),
            words=tuple(query or ()),
            flags={"limit": limit, "scorer": scorer, "profile": profile, "min_score": min_score, "mmr": mmr},
            session_options=SessionOptions(project, topics, task),
            filters=filters,
            recent=recent,
            literal=words,
            order=sort,
            format="json" if json else format,
            explain=explain,
            nul=nul,
            batch=batch,
            no_touch=no_touch,
        )
    )


def run(request: RecallRequest) -> int:
    """Answer on stdout; return the exit code."""
    workspace = request.options.open_workspace(request.flags)
    if request.batch is None:
        return _answer(request, workspace)
    if request.words:
        raise UsageError("A batch has its queries in its lines.", "Leave out the words, or --batch.")
    return batches.run(request, workspace, request.batch)


def _answer(request: RecallRequest, workspace: Workspace) -> int:
    query, ranking = request.query(), ranking_options(workspace)
    name = format_name(request.format)
    form = load_format(name)
    meaning = meaning_of(workspace)
    started = time.perf_counter()
    index = index_session(workspace, touch=request.touches)
    recall = index.ask(
        lambda snapshot: remember(
            query,
            request.session_options.session(workspace, snapshot),
            snapshot,
            ranking,
            note_history_of(workspace, snapshot),
            QUOTES.get(name, Quotes.EVERY),
            meaning,
            answer_space(shown_in) if name == "rich" else USUAL_SPACE,
        ),
        tells_staleness=name in TELLING_STALENESS,
    )
    recall = recall._replace(behind=index.behind)
    elapsed_ms = (time.perf_counter() - started) * 1_000
    separator = "\0" if request.nul else "\n"
    write(
        form.render(recall, view(workspace.vault, explain=request.explain, elapsed_ms=elapsed_ms, separator=separator))
    )
    _hint(recall, name)
    if request.touches and recall.presented:
        record(workspace, [shown(recall, workspace.config)])
    if workspace.config.daemon == "auto" and command_context().warm_index is None:
        from brain_cli.cli._daemons import leave_daemon

        leave_daemon(workspace)
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
