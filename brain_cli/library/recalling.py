"""Answer a query from a vault with its settings."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from brain_cli.answer.recall import recall
from brain_cli.answer.results import Recall
from brain_cli.answer.retriever import Retriever
from brain_cli.extension import hooks
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.workspace import Workspace, note_history_of
from brain_cli.ranking.certainty import is_of_another_version, load_certainty
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.search.query import Query
from brain_cli.streams import say
from brain_cli.types import USUAL_SCREEN, Quotes, Screen, Session
from brain_cli.vault.git import project_of


class SessionOptions(NamedTuple):
    """The options --project, --topics (separated by commas) and --task; without --project the
    folder decides.
    """

    project: str | None = None
    topics: str | None = None
    task: str | None = None

    def session(self, workspace: Workspace, snapshot: Snapshot) -> Session:
        """Return the time of the recall and the user's current work."""
        project = _project(workspace.folder, snapshot) if self.project is None else self.project
        topics = frozenset(
            topic.strip() for topic in (self.topics or "").split(",") if topic.strip()
        )
        return Session(
            workspace.now, project or None, topics, self.task, workspace.folder, workspace.zone
        )


def ranking_options(workspace: Workspace) -> RankingOptions:
    """Return the scorer and the limits that the configuration sets; warn if a fitted table is for
    another version.
    """
    config = workspace.config
    if is_of_another_version(config.certainty):
        say(
            "The settings' table [certainty] was fitted for another version of brain, so it is "
            "left out;"
            " `brain tune --apply` fits it again."
        )
    # Check every configured scorer, so that a mistake is reported even while another one is in use.
    configured = {name: load_scorer(name, constants) for name, constants in config.scorers.items()}
    return RankingOptions(
        scorer=configured.get(config.scorer) or load_scorer(config.scorer),
        limit=config.limit,
        minimum=config.minimum_relevance,
        min_share=config.min_score,
        diverse=config.mmr,
        weights=config.weights,
        synonyms=config.synonym_pairs,
        certainty=load_certainty(config.certainty),
    )


def _project(folder: str, snapshot: Snapshot) -> str | None:
    """Return the name of the folder's repository, else the folder's own name if a note has it as
    its project.
    """
    repository = project_of(folder)
    if repository:
        return repository
    name = os.path.basename(folder)
    return name if name.casefold() in snapshot.note_table.projects else None


def retriever_of(workspace: Workspace) -> Retriever | None:
    """Return what finds more notes than the words of a query do; None if no plugin has such a
    search in this vault.
    """
    return next(
        filter(None, (hook(workspace) for hook in hooks("retriever", workspace.config))), None
    )


def recalling(
    workspace: Workspace,
    query: Query,
    work: SessionOptions,
    quotes: Quotes = Quotes.EVERY,
    screen: Screen = USUAL_SCREEN,
) -> Callable[[Snapshot], Recall]:
    """Return the function that answers a query from one state of the notes, with the settings of a
    workspace.
    """
    ranking = ranking_options(workspace)
    retriever = retriever_of(workspace)

    def answer(snapshot: Snapshot) -> Recall:
        session = work.session(workspace, snapshot)
        history = note_history_of(workspace, snapshot)
        return recall(query, session, snapshot, ranking, history, quotes, retriever, screen)

    return answer


def as_it_was(workspace: Workspace, as_of: str | None) -> Workspace:
    """Return the workspace of a vault as it was on a day or at a commit, if one is named."""
    if not as_of:
        return workspace
    # Imported here, because few questions are about the past.
    from brain_cli.library.past import workspace_at

    return workspace_at(workspace, as_of)
