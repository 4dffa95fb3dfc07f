"""What to know on starting work somewhere: no query, only where the work is done.

Every active note competes, whatever its project; its relevance is to the words of the place (project and
folder names, topics). Kept is what comes near enough to the best, and nothing if even that is too weak
(ClawMem, "Score distribution and adaptive thresholds"). Having been shown together with others counts only
among those that were kept, so that it cannot rescue a weak note.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.ranking.scorers import Score, Scorer
from brain_cli.ranking.signals import SignalExtractor
from brain_cli.ranking.threshold import Threshold, surfaced
from brain_cli.search.relevance import matches
from brain_cli.types import Intent, NoteMetadata, Session
from brain_cli.vault.analyzer import query_words

MOST_FOLDER_NAMES = 3


class Surfaced(NamedTuple):
    """A note worth knowing here, and why: its facts, its score, and how old it is in days."""

    metadata: NoteMetadata
    score: Score
    age_days: float
    same_project: bool


def surface(
    session: Session, snapshot: Snapshot, scorer: Scorer, note_history: NoteHistory, threshold: Threshold, limit: int
) -> list[Surfaced]:
    """Return the notes to surface for a session, best first; none is an answer too."""
    note_table = snapshot.note_table
    words = query_words(place_words(session), note_table.languages)
    found = matches(snapshot, "", words).relevances
    active = {note_id: found.get(note_id, 0.0) for note_id, row in note_table.rows.items() if not row.archived}
    measure = SignalExtractor(note_table, session, Intent.NORMAL, words, active, note_history)
    signals = {note_id: measure.signals(note_id) for note_id in active}
    alone = [scorer.score(each._replace(co_recalls=0)).share for each in signals.values()]
    note_ids = list(signals)
    kept = [note_ids[index_directory] for index_directory in surfaced(alone, threshold)]
    ranked = [
        Surfaced(
            metadata=note_table.metadata(note_id),
            score=scorer.score(signals[note_id]._replace(co_recalls=note_history.co_recalls(note_id, kept))),
            age_days=signals[note_id].age_days,
            same_project=signals[note_id].same_project,
        )
        for note_id in kept
    ]
    ranked.sort(key=lambda each: (-each.score.total, each.age_days, each.metadata.path))
    return ranked[:limit]


def place_words(session: Session) -> str:
    """Return what a place is called: its project, its topics, and the folders that lead to it."""
    folders = [name for name in (session.folder or "").split(os.sep) if name][-MOST_FOLDER_NAMES:]
    if session.project in folders:
        folders = folders[folders.index(session.project) + 1 :]
    elif session.project:
        folders = folders[-1:]
    return " ".join((session.project or "", *sorted(session.topics), session.task or "", *folders))
