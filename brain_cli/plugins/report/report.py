"""`brain report`: draw the vault as one HTML page, or summarize a period."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from brain_cli.cli._options import NowOption, OutOption, VaultOption
from brain_cli.cli._output import STANDARD_OUTPUT, write
from brain_cli.cli._workspace import CommonOptions, Workspace, events_until, index_session, note_history_of
from brain_cli.errors import OK, BrainError, UsageError
from brain_cli.history.log import Event


def command(
    out: Annotated[str, OutOption(help="The page to write; - is stdout.")] = "brain-report.html",
    browse: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Draw the HTML page; the default.")] = False,
    week: Annotated[bool, typer.Option("--week", help="Summarize the last seven days as Markdown.")] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Summarize from then on: a date, 2w, 3 months."),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Summarize up to this date, or a time ago.")
    ] = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the path of the page, or the summary, as JSON.", show_default=False)
    ] = False,
) -> int:
    """Draw the vault: notes over time, fading notes, recalls and feedback, the graph of links, notes to review.

    The page needs no network. An older report is replaced; no other file is. With a period: a summary of it as
    Markdown, with its new, recalled, fading and contradicting notes, and open tasks.

    Examples:
      brain report --out report.html
      brain report --week
      brain report --since 2026-11-01 --until 2026-11-15
    """
    options = CommonOptions(vault, now, json)
    if html + week + (since is not None) > 1:
        raise UsageError("Name one period.", "brain report --week, or --since and --until.")
    if week or since is not None or until is not None:
        from brain_cli.plugins.report.digest import summarize

        return summarize(options, since, until)
    workspace = options.open_workspace()
    page = _page(workspace)
    if out == STANDARD_OUTPUT:
        write(page)
        return OK
    path = os.path.join(workspace.folder, os.path.expanduser(out))
    _save(path, page)
    options.report(path, {"path": path})
    if browse:
        import webbrowser

        webbrowser.open(f"file://{path}")
    return OK


def _page(workspace: Workspace) -> str:
    from brain_cli.plugins.report.page import ReportView, render

    def events() -> Iterator[Event]:
        return events_until(workspace, workspace.now, newest_first=True)

    view = ReportView(workspace.vault, workspace.now, workspace.config.editor_uri)
    return index_session(workspace).ask(
        lambda snapshot: render(snapshot, note_history_of(workspace, snapshot), events, view)
    )


def _save(path: str, page: str) -> None:
    """Write the page; raise BrainError if the path has another file, or the folder cannot be written."""
    from pathlib import Path

    from brain_cli.vault.atomic_write import replace_file

    try:
        if os.path.lexists(path) and not _is_report(path):
            raise BrainError(f"{path} is not a report of brain.", "Name another file with --out.")
        replace_file(Path(path), page.encode("utf-8", "replace"))
    except OSError as error:
        raise BrainError(f"{path} cannot be written: {error.strerror}.", "Name another file with --out.") from None


def _is_report(path: str) -> bool:
    from brain_cli.files import read_beginning
    from brain_cli.plugins.report.page import FIRST_LINE

    return read_beginning(path, len(FIRST_LINE), os.O_NOFOLLOW) == FIRST_LINE.encode()
