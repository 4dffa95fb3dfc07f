"""`brain recent`: list the newest notes without a question, those of this project first."""

from __future__ import annotations

from brain_cli.answer.matching import Query
from brain_cli.answer.recall import remember
from brain_cli.answer.results import Ranked, Recall
from brain_cli.cli._history import note_history_of
from brain_cli.cli._options import (
    JsonOption,
    KindsOption,
    LimitOption,
    MemoryOption,
    NowOption,
    ProjectOption,
    SinceOption,
    VaultOption,
)
from brain_cli.cli._output import say, view, write, write_lines
from brain_cli.cli._request import SessionOptions, ranking_options, recall_session
from brain_cli.cli._workspace import CommonOptions, Workspace, answered
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.render import View, load_format
from brain_cli.render.phrases import one_line
from brain_cli.search.filters import Filters
from brain_cli.vault.iso_dates import iso


def command(
    limit: LimitOption = None,
    since: SinceOption = None,
    kinds: KindsOption = None,
    project: ProjectOption = None,
    memory: MemoryOption = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """List the newest notes: this project's handoffs, its other notes, then those of the vault.

    With --project only that project's notes are listed.
    """
    filters = Filters.of(type=kinds, since=since, where=project and f"project={project}")
    flags = {"limit": limit, "memory": memory}
    return answered(
        CommonOptions(vault, now, json), flags, lambda workspace: _list(workspace, filters, project, as_json=json)
    )


def _list(workspace: Workspace, filters: Filters, project: str | None, *, as_json: bool) -> int:
    recall = _newest(workspace, Query("", filters, recent=True), SessionOptions(project))
    shown = view(workspace)
    if as_json:
        write(load_format("json").render(recall, shown))
    else:
        write_lines(_line(ranked, shown) for ranked in recall.results)
    if not recall.results:
        say("No notes match." if filters else "There are no notes in this vault yet.")
    return OK if recall.results else NOTHING_FOUND


def _newest(workspace: Workspace, query: Query, options: SessionOptions) -> Recall:
    # A listed note does not count as recalled, so nothing is recorded.
    return recall_session(workspace, touch=True).ask(
        lambda snapshot: remember(
            query,
            options.session(workspace, snapshot),
            snapshot,
            ranking_options(workspace),
            note_history_of(workspace, snapshot),
        )
    )


def _line(ranked: Ranked, shown: View) -> str:
    metadata = ranked.metadata
    day = iso(metadata.timestamp)[:10]
    return "\t".join(map(one_line, (day, metadata.dated_by, shown.path_from_here(metadata.path), metadata.title)))
