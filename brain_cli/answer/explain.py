"""Explain one note: why a query finds it or not, with the steps of a recall; and how its strength
went over time.
"""

from __future__ import annotations

from typing import NamedTuple

from brain_cli.answer.find import Found, find_asked
from brain_cli.answer.recall import recall
from brain_cli.answer.results import Ranked
from brain_cli.answer.retriever import Retriever
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.search.filters import NoteMatcher
from brain_cli.search.query import Query
from brain_cli.types import Session

# Ranks beyond this one are not distinguished.
MAX_RANKS = 200


class Why(NamedTuple):
    """Why a recall shows one note or not: `shown` is true if it is among the results, else `reason`
    says why it is not.

    `matched`, `lacks` and `unknown` are the words of the query that the note has, that it lacks,
    and that no note has.
    """

    shown: bool
    reason: str
    matched: tuple[str, ...]
    lacks: tuple[str, ...]
    unknown: tuple[str, ...]
    relevance: float
    ranked: Ranked | None = None
    best: Ranked | None = None


def why(
    query: Query,
    note_id: int,
    session: Session,
    snapshot: Snapshot,
    options: RankingOptions,
    history: NoteHistory,
    meaning: Retriever | None = None,
) -> Why:
    """Return why a note is or is not found by a query."""
    found = find_asked(query, session, snapshot, options.weights, meaning)
    answer = recall(
        query, session, snapshot, options._replace(limit=MAX_RANKS), history, meaning=meaning
    )
    results = [each for each in answer.results if each.note_id not in snapshot.not_found]
    ranked = next((each for each in results if each.note_id == note_id), None)
    relevance = (
        ranked.candidate.signals.relevance
        if ranked
        else found.matches.relevances.get(note_id, 0.0)
    )
    shown = ranked is not None and ranked.rank <= options.limit
    matched, lacking = found.words_of(note_id)
    return Why(
        shown=shown,
        reason="" if shown else _reason(ranked, note_id, found, options, relevance),
        matched=matched,
        lacks=tuple(word for word in lacking if word not in answer.unknown),
        unknown=answer.unknown,
        relevance=relevance,
        ranked=ranked,
        best=results[0] if results else None,
    )


def _reason(
    ranked: Ranked | None, note_id: int, found: Found, options: RankingOptions, relevance: float
) -> str:
    """Return the first cause that keeps a note out of the results."""
    row = found.snapshot.note_table.rows[note_id]
    if ranked:
        return (
            f"its rank is {ranked.rank}, and the limit is {options.limit}; -n {ranked.rank} "
            "shows it"
        )
    if row.archived:
        return "it is archived, so it is shown with --archived, or where no other note answers"
    if row.snoozed_until > found.local:
        return "it is snoozed"
    if not found.query.condition.holds(NoteMatcher(found.snapshot).of(note_id)):
        return "the conditions of the query leave it out"
    if relevance <= 0:
        return "it has no word of the query"
    if relevance < options.minimum:
        return f"its relevance {relevance:.3f} is below the minimum {options.minimum:.3f}"
    return f"other notes fit better: it is not among the first {MAX_RANKS}"
