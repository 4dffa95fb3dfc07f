"""Context match: how much of the session's context a note shares.

    match = 0.5 * [same project] + 0.3 * Jaccard(topics) + 0.2 * [same task]

over the known parts of the session, rescaled to them; 0..1. A session without known parts matches nothing.

Publication: the `brain` scoring formula, "Context Match"; the weights of the three parts are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SAME_PROJECT = 0.5
SHARED_TOPICS = 0.3
SAME_TASK = 0.2


@dataclass(frozen=True, slots=True)
class Context:
    """The context in which a note was written or a session works; empty parts are unknown. Build it with `of`."""

    project: str = ""
    topics: frozenset[str] = frozenset()
    task: str = ""

    @classmethod
    def of(cls, project: str | None = None, topics: Iterable[str] = (), task: str | None = None) -> Context:
        """Return a context of names as they are written, in the form in which names are compared."""
        return cls((project or "").casefold(), frozenset(map(str.casefold, topics)), (task or "").casefold())


def context_match(note: Context, session: Context) -> float:
    known = matched = 0.0
    if session.project:
        known += SAME_PROJECT
        matched += SAME_PROJECT * (note.project == session.project)
    if session.topics:
        known += SHARED_TOPICS
        matched += SHARED_TOPICS * len(note.topics & session.topics) / len(note.topics | session.topics)
    if session.task:
        known += SAME_TASK
        matched += SAME_TASK * (note.task == session.task)
    return matched / known if known else 0.0
