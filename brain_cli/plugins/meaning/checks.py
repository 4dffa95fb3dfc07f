"""The check of `brain doctor` for the model and its vectors. It changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from brain_cli.cli._checks import FINE, LOOK, Finding
from brain_cli.cli._workspace import Workspace
from brain_cli.index.note_table import NoteTable
from brain_cli.plugins.meaning.search import state_of


def checks(workspace: Workspace, note_table: NoteTable | None) -> Iterator[Finding]:
    """Check the model of meaning, if one is used. A recall ignores a broken one."""
    if note_table and (state := state_of(workspace, note_table, thorough=True)):
        is_complete = not state.problem and state.embedded == state.notes
        yield Finding("meaning", FINE if is_complete else LOOK, str(state), int(bool(state.problem)))
