"""`brain recent`: list the newest notes, those of this project first."""

from __future__ import annotations

from brain_cli.answer.recall import recall
from brain_cli.answer.results import Ranked, Recall
from brain_cli.cli._options import KindsOption, LimitOption, ProjectOption, SinceOption
from brain_cli.cli._output import format_name, say, view, write
from brain_cli.cli._recall import SessionOptions, ranking_options
from brain_cli.cli._workspace import CommonOptions, Workspace, answered, note_history_of
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.index.snapshot import Snapshot
from brain_cli.render import AUTO, View, load_format
from brain_cli.render.phrases import one_line
from brain_cli.search.filters import Filters
from brain_cli.search.query import Query
from brain_cli.vault.dates import iso


def command(
    options: CommonOptions,
    limit: LimitOption = None,
    since: SinceOption = None,
    kinds: KindsOption = None,
    project: ProjectOption = None,
) -> int:
    """List the newest notes: this project's handoffs, its other notes, then those of the vault.

    With --project only that project's notes are listed.

    Examples:
      brain recent --since 2w
      brain recent --type decision -n 5
    """
    filters = Filters.of(type=kinds, since=since, where=project and f"project={project}")
    flags = {"limit": limit}
    return answered(options, flags, lambda workspace: _list(workspace, filters, project, as_json=options.json))


def _list(workspace: Workspace, filters: Filters, project: str | None, *, as_json: bool) -> int:
    recall = _newest(workspace, Query("", filters, recent=True), SessionOptions(project))
    shown = view(workspace)
    if as_json:
        write(load_format("json").render(recall, shown))
    else:
        write(_rich(recall, shown) if format_name(AUTO) == "rich" else _plain(recall, shown))
    if not recall.results:
        say("No notes match." if filters else "There are no notes in this vault yet.")
    return OK if recall.results else NOTHING_FOUND


def _newest(workspace: Workspace, query: Query, options: SessionOptions) -> Recall:
    # A listed note does not count as recalled, so nothing is recorded.
    def newest(snapshot: Snapshot) -> Recall:
        session = options.session(workspace, snapshot)
        found = snapshot.about(query, session.now)
        return recall(query, session, found, ranking_options(workspace), note_history_of(workspace, found))

    return workspace.session(touch=True).ask(newest)


def _plain(recall: Recall, shown: View) -> str:
    """Return a line of four columns for each note."""
    return "".join(f"{_columns(ranked, shown)}\n" for ranked in recall.results)


def _columns(ranked: Ranked, shown: View) -> str:
    metadata = ranked.metadata
    return "\t".join(
        map(one_line, (_day(ranked), metadata.dated_by, shown.path_from_here(metadata.path), metadata.title))
    )


def _rich(recall: Recall, shown: View) -> str:
    from brain_cli.render.terminal import ListedNote, note_list

    notes = (
        ListedNote(each.metadata.title, each.metadata.path, mark=_day(each), remark=_remark(each))
        for each in recall.results
    )
    return note_list(notes, shown) if recall.results else ""


def _remark(ranked: Ranked) -> str:
    return f"({ranked.metadata.kind})" if ranked.metadata.kind else ""


def _day(ranked: Ranked) -> str:
    return iso(ranked.metadata.timestamp)[:10]
