"""What a recall was asked for on the command line, and what the recall itself needs of it."""

from __future__ import annotations

import os
from typing import NamedTuple

from brain_cli.commands.setting import Setting
from brain_cli.commands.surroundings import surroundings
from brain_cli.context import project_of
from brain_cli.errors import UsageError
from brain_cli.index.snapshot import Snapshot
from brain_cli.recall.contest import Options
from brain_cli.recall.filters import Filters, pairs
from brain_cli.recall.recall import Query
from brain_cli.render import AUTO
from brain_cli.scoring import load_scorer
from brain_cli.types import Session


class Request(NamedTuple):
    """The options as typed; None where one was not given."""

    words: tuple[str, ...]
    vault: str | None = None
    now: str | None = None
    format: str = AUTO
    limit: int | None = None
    scorer: str | None = None
    profile: str | None = None
    min_score: float | None = None
    mmr: bool | None = None
    project: str | None = None
    topics: str | None = None
    task: str | None = None
    recent: bool | None = None
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since: str | None = None
    before: str | None = None
    where: tuple[str, ...] = ()
    archived: bool = False
    literal: bool = False
    explain: bool = False
    null: bool = False
    batch: str | None = None
    no_touch: bool = False

    @property
    def flags(self) -> dict[str, object]:
        """What overrides the configuration."""
        return {name: getattr(self, name) for name in ("scorer", "limit", "profile", "min_score", "mmr")}

    @property
    def touches(self) -> bool:
        """Whether this recall counts: as one, and for the history."""
        return not self.no_touch and surroundings().environ.get("BRAIN_NO_TOUCH", "") in ("", "0")

    def query(self) -> Query:
        """Return what is asked; UsageError when that is nothing at all."""
        return Query(_text(self.words, self.filters()), self.filters(), self.recent, self.literal)

    def filters(self) -> Filters:
        return Filters(
            kinds=self.kinds,
            tags=self.tags,
            paths=self.paths,
            since=self.since,
            before=self.before,
            where=pairs(self.where),
            archived=self.archived,
        )

    def session(self, here: Setting, snapshot: Snapshot) -> Session:
        """Return the moment and the place of asking."""
        topics = frozenset(topic.strip() for topic in (self.topics or "").split(",") if topic.strip())
        project = self.project if self.project is not None else _project(here.folder, snapshot)
        return Session(here.now, project or None, topics, self.task, here.folder)


def options(here: Setting) -> Options:
    """Return how to answer, as configured."""
    config = here.config
    # All that is configured is read, so that a mistake shows also where it does not matter yet.
    configured = {name: load_scorer(name, constants) for name, constants in config.constants.items()}
    return Options(
        scorer=configured.get(config.scorer) or load_scorer(config.scorer),
        limit=config.limit,
        minimum=config.minimum_relevance,
        min_share=config.min_score,
        diverse=config.mmr,
    )


def _text(words: tuple[str, ...], filters: Filters) -> str:
    # Whatever the locale, words are UTF-8: they are compared with notes, which are.
    raw = surroundings().stdin() if words == ("-",) else os.fsencode(" ".join(words))
    text = raw.decode("utf-8", "replace")
    if not text.strip() and filters == Filters():
        raise UsageError("There is nothing to recall.", "Say what you are looking for: brain remember “why grpc”.")
    return text.strip()


def _project(folder: str, snapshot: Snapshot) -> str | None:
    """The working folder's repository, else the folder's own name if some note carries it."""
    repository = project_of(folder)
    if repository:
        return repository
    name = os.path.basename(folder)
    return name if name.casefold() in snapshot.catalogue.projects else None
