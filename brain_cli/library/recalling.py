"""Answer a query from a vault with its settings."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from brain_cli.answer.recall import recall
from brain_cli.answer.results import Recall
from brain_cli.extension import hooks
from brain_cli.history.log import SHOWN, Event, Mention
from brain_cli.history.usage import configured_kinds
from brain_cli.index.snapshot import Snapshot
from brain_cli.process import command_context
from brain_cli.ranking.certainty import is_of_another_version, load_certainty
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.record import Record
from brain_cli.search.query import Query
from brain_cli.streams import say
from brain_cli.types import USUAL_SCREEN, Quotes, Screen, Session
from brain_cli.vault.clock import Clock
from brain_cli.vault.git import project_of, repository_root

if TYPE_CHECKING:
    from brain_cli.answer.retriever import Retriever
    from brain_cli.config import Config
    from brain_cli.library.vault import Vault


# What sees the notes that may answer a query, and the answer.
OnAnswer = Callable[[Snapshot, Recall], object]
# A batch may ask as of many times.
MAX_TIMES = 64


class SessionOptions(Record):
    """The options --project, --topics (separated by commas) and --task; without --project the
    folder decides.
    """

    project: str | None = None
    topics: str | None = None
    task: str | None = None

    def session(self, vault: Vault, snapshot: Snapshot) -> Session:
        """Return the time of the recall and the user's current work."""
        project = _project(vault, snapshot) if self.project is None else self.project
        topics = frozenset(
            topic.strip() for topic in (self.topics or "").split(",") if topic.strip()
        )
        return Session(
            vault.now, project or None, topics, self.task, vault.working_folder, vault.zone
        )


def ranking_options(vault: Vault) -> RankingOptions:
    """Return the scorer and the limits that the configuration sets; warn if a fitted table is for
    another version.
    """
    config = vault.config
    if is_of_another_version(config.certainty):
        say(
            "The settings' table [certainty] was fitted for another version of brain, so it is "
            "left out;"
            " `brain tune --apply` fits it again."
        )
    # Check every configured scorer, so that a mistake is reported even while another one is in use.
    configured = {
        name: load_scorer(name, constants) for name, constants in config.scorers.items()
    }
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


def _project(vault: Vault, snapshot: Snapshot) -> str | None:
    """Return the name of the working folder's repository, unless that is the vault itself, else the
    folder's own name if a note has it as its project.
    """
    folder = vault.working_folder
    repository = project_of(folder)
    if repository and repository_root(folder) != vault.folder:
        return repository
    name = os.path.basename(folder)
    return name if name.casefold() in snapshot.note_table.projects else None


def retriever_of(vault: Vault) -> Retriever | None:
    """Return what finds more notes than the words of a query do; None if no plugin has such a
    search in this vault.
    """
    return next(filter(None, (hook(vault) for hook in hooks("retriever", vault.config))), None)


class Recalling:
    """Answers queries from states of a vault's notes, with its settings and the asker's work."""

    def __init__(self, vault: Vault, work: SessionOptions | None = None) -> None:
        self._vault = vault
        self._work = work or SessionOptions()
        self._ranking = ranking_options(vault)
        self._retriever = retriever_of(vault)
        self._history_at: Callable[[float], NoteHistory] | None = None

    def answer(
        self,
        snapshot: Snapshot,
        query: Query | str,
        quotes: Quotes = Quotes.EVERY,
        screen: Screen = USUAL_SCREEN,
        *,
        now: float | None = None,
        project: str | None = None,
        on_answer: OnAnswer | None = None,
    ) -> Recall:
        """Answer a query; `on_answer` gets the notes that may answer it, and the answer."""
        now = self._vault.now if now is None else now
        asked = Query(query) if isinstance(query, str) else query
        asked = asked._replace(synonyms=self._ranking.synonyms)
        found = snapshot.about(asked, Clock(now, self._vault.zone))
        session = self._work.session(self._vault, found)
        session = session._replace(now=now, project=project or session.project)
        if self._history_at is None:
            self._history_at = lru_cache(MAX_TIMES)(note_histories_of(self._vault, found))
        history = self._history_at(now).of(found.note_table)
        answer = recall(
            asked, session, found, self._ranking, history, quotes, self._retriever, screen
        )
        if on_answer:
            on_answer(found, answer)
        return answer._replace(behind=snapshot.behind)


def note_history_of(vault: Vault, snapshot: Snapshot) -> NoteHistory:
    """Return the history of the present notes, up to the time of this command."""
    return note_histories_of(vault, snapshot)(vault.now)


def note_histories_of(vault: Vault, snapshot: Snapshot) -> Callable[[float], NoteHistory]:
    """Return a function from a time to the history up to it; all calls share one reading of the
    history.
    """
    kinds = configured_kinds(vault.config.kinds)
    history_at = vault.histories()
    return lambda now: NoteHistory(history_at(now), snapshot.note_table, kinds)


def shown(recall: Recall, config: Config) -> Event:
    """Return the event of a recall that presented notes; its query is included only if
    configured.
    """
    presented = recall.presented
    certainty = presented[0].certainty if presented else None
    return Event(
        recall.now,
        SHOWN,
        [
            Mention(each.path, each.candidate.content_hash, each.metadata.timestamp)
            for each in presented
        ],
        recall.query if config.record_queries else "",
        certainty.probability if certainty else None,
        session_name(command_context().environ.get("BRAIN_SESSION", "")),
    )


def session_name(session_id: str) -> str:
    """Return the name of a session in the history: a short hash, because an agent's id may be
    sensitive.
    """
    if not session_id:
        return ""
    # Imported here because it loads OpenSSL.
    from hashlib import sha256

    return sha256(session_id.encode("utf-8", "surrogateescape")).hexdigest()[:12]
