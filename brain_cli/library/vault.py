"""Recall from a vault in a program of one's own: the same settings, index and answers as on the
command line.
"""

from __future__ import annotations

from os import PathLike, fspath

from brain_cli.answer.results import Recall
from brain_cli.library.recalling import SessionOptions, as_it_was, recalling
from brain_cli.library.workspace import Workspace, index_session, open_workspace, shown
from brain_cli.search.query import Query
from brain_cli.types import NoteMetadata


class Vault:
    """A vault and its settings at one time. Every method brings the index up to date first."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def folder(self) -> str:
        """The folder of notes."""
        return self._workspace.vault

    def recall(
        self, query: Query | str, work: SessionOptions | None = None, *, touch: bool = False
    ) -> Recall:
        """Answer a query; with `touch`, the history records which notes were shown, as `brain
        remember` does.
        """
        asked = Query(query) if isinstance(query, str) else query
        session = self._workspace.session(touch=touch)
        found = session.ask(recalling(self._workspace, asked, work or SessionOptions()))
        if touch and found.presented:
            self._workspace.record([shown(found, self._workspace.config)])
        return found._replace(behind=session.behind)

    def notes(self) -> list[NoteMetadata]:
        """Return the metadata of every note, archived ones too."""
        return index_session(self._workspace).ask(
            lambda snapshot: [
                snapshot.note_table.metadata(note_id) for note_id in snapshot.note_table.rows
            ]
        )


def open_vault(
    folder: str | PathLike[str] | None = None,
    *,
    now: str | None = None,
    as_of: str | None = None,
    **settings: object,
) -> Vault:
    """Open a vault: this folder, else the one that `brain` finds from the working folder.

    `now` is an ISO date and time, by default the clock; with `as_of`, a date or a commit, the vault
    answers as it would have then; `settings` override the configuration, such
    as `limit=5`. Raise BrainError for a missing folder, and UsageError for a wrong setting.
    """
    workspace = open_workspace(None if folder is None else fspath(folder), now, settings)
    return Vault(as_it_was(workspace, as_of))


def recall(
    query: Query | str, folder: str | PathLike[str] | None = None, *, now: str | None = None
) -> Recall:
    """Answer one query from a vault; to ask several, open it once."""
    return open_vault(folder, now=now).recall(query)
