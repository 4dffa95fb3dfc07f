"""Explain one note: why a query finds it or not, with the steps of a recall; and how its strength
went over time.
"""

from __future__ import annotations

from typing import NamedTuple

from brain_cli.answer.recall import recall
from brain_cli.answer.results import Ranked
from brain_cli.answer.retriever import Retriever
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.search.bm25 import look_up
from brain_cli.search.filters import NoteMatcher
from brain_cli.search.query import Query, parse
from brain_cli.search.relevance import matches_of_known_words
from brain_cli.search.words import ranking_words
from brain_cli.types import Session
from brain_cli.vault.clock import Clock

# Ranks beyond this one are not distinguished.
MAX_RANKS = 200


class Why(NamedTuple):
    """Tells if a recall shows one note: `shown` is true if it is among the results, else `reason`
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
    clock = Clock(session.now, session.zone)
    parsed = parse(query, clock, snapshot.note_table.languages)
    words = ranking_words(snapshot, parsed.words)
    found = {word.text: look_up(snapshot, word).scores for word in words if not word.optional}
    answer = recall(
        query, session, snapshot, options._replace(limit=MAX_RANKS), history, meaning=meaning
    )
    results = [each for each in answer.results if each.note_id not in snapshot.not_found]
    ranked = next((each for each in results if each.note_id == note_id), None)
    matches = matches_of_known_words(snapshot, words, parsed.name, parsed.paths)
    relevance = (
        ranked.candidate.signals.relevance if ranked else matches.relevances.get(note_id, 0.0)
    )
    shown = ranked is not None and ranked.rank <= options.limit
    holds = parsed.condition.holds(NoteMatcher(snapshot).of(note_id))
    lacking = (
        text for text, scores in found.items() if scores.frequency and note_id not in scores.notes
    )
    return Why(
        shown=shown,
        reason=""
        if shown
        else _reason(ranked, note_id, snapshot, clock.local, options, relevance, holds=holds),
        matched=parsed.as_typed(text for text, scores in found.items() if note_id in scores.notes),
        lacks=parsed.as_typed(lacking),
        unknown=answer.unknown,
        relevance=relevance,
        ranked=ranked,
        best=results[0] if results else None,
    )


def _reason(
    ranked: Ranked | None,
    note_id: int,
    snapshot: Snapshot,
    local: float,
    options: RankingOptions,
    relevance: float,
    *,
    holds: bool,
) -> str:
    """Return the first cause that keeps a note out of the results."""
    row = snapshot.note_table.rows[note_id]
    if ranked:
        return (
            f"its rank is {ranked.rank}, and the limit is {options.limit}; -n {ranked.rank} "
            "shows it"
        )
    if row.archived:
        return "it is archived, so it is shown with --archived, or where no other note answers"
    if row.snoozed_until > local:
        return "it is snoozed"
    if not holds:
        return "the conditions of the query leave it out"
    if relevance <= 0:
        return "it has no word of the query"
    if relevance < options.minimum:
        return f"its relevance {relevance:.3f} is below the minimum {options.minimum:.3f}"
    return f"other notes fit better: it is not among the first {MAX_RANKS}"
