"""Answer a query with the settings, the history and the retriever of a vault, for commands and the library."""

from __future__ import annotations

from collections.abc import Callable

from brain_cli.answer.matching import Query
from brain_cli.answer.quotes import USUAL_SCREEN, Quotes, Screen
from brain_cli.answer.recall import remember
from brain_cli.answer.results import Recall
from brain_cli.cli._history import note_history_of
from brain_cli.cli._request import SessionOptions, ranking_options, retriever_of
from brain_cli.cli._workspace import Workspace
from brain_cli.index.snapshot import Snapshot


def recalling(
    workspace: Workspace,
    query: Query,
    work: SessionOptions,
    quotes: Quotes = Quotes.EVERY,
    screen: Screen = USUAL_SCREEN,
) -> Callable[[Snapshot], Recall]:
    """Return the function that answers a query from one state of the notes, with the settings of a workspace."""
    ranking, retriever = ranking_options(workspace), retriever_of(workspace)

    def answer(snapshot: Snapshot) -> Recall:
        session, history = work.session(workspace, snapshot), note_history_of(workspace, snapshot)
        return remember(query, session, snapshot, ranking, history, quotes, retriever, screen)

    return answer
