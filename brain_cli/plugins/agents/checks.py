"""The check of `brain doctor` for captured observations. It changes nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator

from brain_cli.cli._checks import LOOK, Finding
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import Workspace
from brain_cli.index.note_table import NoteTable
from brain_cli.plugins.agents.intake import aside, spool_of
from brain_cli.plugins.agents.observation import NOTE_SECONDS, wants_note
from brain_cli.render.phrases import counted, one_line
from brain_cli.vault.git import lacks_files


def checks(workspace: Workspace, note_table: NoteTable | None) -> Iterator[Finding]:
    """Report observations that wait for a vault, payloads that could not be read, and notes whose files are gone."""
    environ = command_context().environ
    waits = spool_of(environ).observations().values()
    unread = len(aside(environ))
    # Uses of tools wait for the end of their session.
    waiting = sum(wants_note(each) or each.at < time.time() - 2 * NOTE_SECONDS for each in waits)
    if waiting:
        text = f"{counted(waiting, 'observation')} could not become notes; brain capture --flush says why"
        yield Finding("capture", LOOK, text, waiting)
    if unread:
        text = f"{counted(unread, 'payload')} could not be read; brain capture --retry reads them again"
        yield Finding("capture", LOOK, text, unread)
    rows = note_table.rows.items() if note_table else ()
    found = (note_table.metadata(each) for each, row in rows if note_table and not row.archived)
    if gone := [one_line(each.path) for each in found if lacks_files(each, workspace.folder)]:
        text = f"{counted(len(gone), 'note')} to check: the files that they name are gone from this repository"
        yield Finding("files", LOOK, text, len(gone), tuple(gone))
