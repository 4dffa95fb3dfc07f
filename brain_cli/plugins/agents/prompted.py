"""Choose what a prompt in the middle of a session brings up: what `brain remember` finds for it, or nothing.

The ranking is that of a recall, so both agree. Most prompts ask for no memory ("run the tests"), so a note is shown
only if its score is near the best possible one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Container
from typing import TYPE_CHECKING

from brain_cli.answer.passages import Passage
from brain_cli.answer.results import NONE, Ranked, Recall
from brain_cli.paths import make_private_folder
from brain_cli.plugins.agents.surfaced import ShownNote, beginning
from brain_cli.plugins.agents.surfacing import Surfaced
from brain_cli.types import Intent
from brain_cli.vault.atomic_write import replace_file

if TYPE_CHECKING:
    from brain_cli.index.snapshot import Snapshot
    from brain_cli.types import Shown

MOST_NOTES = 3
# The score of a note that answers, 0..1. “Make it faster” has .45 with its best note.
LEAST_SCORE = 0.8
# “Commit this” has one content word, which says too little.
LEAST_WORDS = 2
MAX_SESSIONS = 50


def prompted_notes(
    recall: Recall,
    snapshot: Snapshot,
    content_words: int,
    project: str | None,
    seen: Container[str],
    *,
    cross_project: bool,
) -> list[ShownNote]:
    """Return the notes that surely answer a prompt, best first, without those `seen` in this session."""
    asks_for_time = recall.intent is Intent.RECENCY
    if recall.claim == NONE or not (asks_for_time or content_words >= LEAST_WORDS):
        return []
    home = {None, "", project}
    found = []
    for ranked in recall.results[:MOST_NOTES]:
        is_here = cross_project or ranked.metadata.project in home
        if ranked.candidate.score.share >= LEAST_SCORE and is_here and ranked.metadata.path not in seen:
            passage = _passage(ranked.passage) or beginning(ranked.note_id, ranked.metadata.title, snapshot)
            # A bare title says nothing, and code is hard to read out of context.
            found += [ShownNote(_surfaced(ranked), passage)] if passage else []
    return found


def _surfaced(ranked: Ranked) -> Surfaced:
    each = ranked.candidate
    signals = each.signals
    same = signals.same_project or not each.metadata.project
    return Surfaced(
        each.note_id, each.content_hash, each.metadata, each.score, signals.age_days, same, signals.relevance, False
    )


def _passage(shown: Shown | None) -> Passage | None:
    if shown is None or shown.code or not shown.parts:
        return None
    return Passage(shown.value, shown.line, shown.end_line, shown.heading, shown.parts)


class SessionMemory:
    """The notes that were brought up in one session of an agent, in a file of the state folder."""

    def __init__(self, folder: str, session: str) -> None:
        self._folder = os.path.join(folder, "brought-up")
        name = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:24]
        self._file = os.path.join(self._folder, f"{name}.json") if session else ""

    def seen(self) -> list[str]:
        """Return the paths of the notes brought up before."""
        try:
            with open(self._file, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            return []
        return [str(path) for path in found] if isinstance(found, list) else []

    def add(self, paths: list[str]) -> None:
        """Remember the notes that are brought up now."""
        if not (self._file and paths):
            return
        make_private_folder(self._folder)
        replace_file(self._file, json.dumps([*self.seen(), *paths]).encode(), mode=0o600, durable=False)
        files = sorted((entry.path for entry in os.scandir(self._folder)), key=os.path.getmtime)
        for old in files[:-MAX_SESSIONS]:
            os.unlink(old)

    def forget(self) -> None:
        """Forget all of them, because the agent has lost its context."""
        if self._file and os.path.exists(self._file):
            os.unlink(self._file)
