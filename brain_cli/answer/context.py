"""Answer "what should I know here?" without a question: the words of the place stand in for one.

A place is a folder in a repository, its branch, the files changed lately and, if there is one, the user's prompt. Each
of these clues is looked up like a query of its own; a note is as relevant as the best of them says. Notes of all
projects compete. Then the adaptive threshold of ClawMem keeps the notes that come near enough to the best, and
co-activation counts only among those that were kept, so that it cannot rescue a weak note. Where no clue matches
anything, only the project's own handoff, pinned and project notes come up; in a strange project, nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from brain_cli.answer.working_files import overlap_in
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.diversity import repeats_in
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.ranking.scorers import Score, Scorer
from brain_cli.ranking.signals import SignalExtractor
from brain_cli.ranking.threshold import Threshold, surfaced
from brain_cli.search.relevance import matches
from brain_cli.types import Intent, NoteMetadata, Session
from brain_cli.vault.analyzer import Word, query_words
from brain_cli.vault.bigrams import bigrams

# A clue of which fewer of the words are known to a note says nothing about it.
CLUE_FLOOR = 0.35
# A file that a note names and that was just changed is as clear as a clue can be.
NAMED_FILE = 0.9
HANDOFF_DAYS = 14.0
MOST_NEWEST = 3
MOST_FILES = 6
MOST_FOLDERS = 2
# Names that say nothing about what is done in them.
_ROUTINE_NAMES = """
main master develop dev trunk head feature feat fix bugfix hotfix chore release src lib libs app apps cmd pkg internal
test tests docs doc index init mod build dist bin scripts tmp add remove delete update change use make new improve
cleanup wip the a of and to for in on with
"""
_ROUTINE = frozenset(_ROUTINE_NAMES.split())
_WORD = re.compile(r"[^\W\d_]{2,}|\d{3,}")


class Place(NamedTuple):
    """The situation in which work begins. Paths of `files` are relative to the repository's root, newest first.

    `is_neutral`: the folder lies in the vault or outside any repository, so that it speaks for no project.
    Without `cross_project` only notes of the session's project, and of none, come up.
    """

    folders: tuple[str, ...] = ()
    branch: str = ""
    files: tuple[str, ...] = ()
    prompt: str = ""
    readme_title: str = ""
    is_neutral: bool = False
    cross_project: bool = True


class Surfaced(NamedTuple):
    """A note worth knowing here: its score, its age, and `standing` for one that comes up whatever the clues say."""

    note_id: int
    content_hash: str
    metadata: NoteMetadata
    score: Score
    age_days: float
    same_project: bool
    relevance: float
    standing: bool


class Surfacing(NamedTuple):
    """The notes that come up, standing ones first, then best first; and the idf of the words that brought them up."""

    notes: list[Surfaced]
    worths: Mapping[str, float]


def surface(
    place: Place,
    session: Session,
    snapshot: Snapshot,
    scorer: Scorer,
    note_history: NoteHistory,
    threshold: Threshold,
    limit: int,
) -> Surfacing:
    """Return the notes to surface at a place; none is an answer too."""
    return _Surfacing(place, session, snapshot, scorer, note_history).surface(threshold, limit)


class _Surfacing:
    def __init__(
        self, place: Place, session: Session, snapshot: Snapshot, scorer: Scorer, note_history: NoteHistory
    ) -> None:
        self._place = place
        self._session = session
        self._snapshot = snapshot
        self._scorer = scorer
        self._note_history = note_history
        self._worths: dict[str, float] = {}
        table = snapshot.note_table
        rows = table.rows.items()
        home = {"", (session.project or "").casefold()}
        self._active = [
            each
            for each, row in rows
            if not row.archived and row.snoozed_until <= session.now and (place.cross_project or row.project in home)
        ]

    def surface(self, threshold: Threshold, limit: int) -> Surfacing:
        relevances = self._relevances()
        standing = self._standing()
        matched = [note_id for note_id in relevances if note_id not in standing]
        signals = self._extractor(relevances, standing)
        alone = {each: self._scorer.score(signals.signals(each)._replace(co_recalls=0)).share for each in matched}
        kept = [matched[number] for number in surfaced([*alone.values()], threshold)]
        best = sorted((self._note(each, signals, kept, relevances) for each in kept), key=_best_first)
        first = [self._note(each, signals, [*standing, *kept], relevances, standing=True) for each in standing]
        notes = [*first, *best][:limit]
        repeats = set(repeats_in([bigrams(self._snapshot.body(each.note_id)) for each in notes]))
        return Surfacing([each for number, each in enumerate(notes) if number not in repeats], self._worths)

    def _relevances(self) -> dict[int, float]:
        """Return the relevance of every active note that some clue brings up: the best of its clues."""
        found: dict[int, float] = {}
        for words, is_prompt in self._clues():
            match = matches(self._snapshot, "", words)
            self._worths.update(match.worths)
            # One word of a name is often used elsewhere for something else.
            is_clear = is_prompt or len(words) > 1
            for note_id, relevance in match.relevances.items():
                if relevance >= CLUE_FLOOR and note_id not in match.fuzzy and (is_clear or self._is_own(note_id)):
                    found[note_id] = max(relevance, found.get(note_id, 0.0))
        for note_id in self._active if self._place.files else ():
            if _names_one_of(self._snapshot.note_table.metadata(note_id).files, self._place.files):
                found[note_id] = max(NAMED_FILE, found.get(note_id, 0.0))
        return {note_id: found[note_id] for note_id in self._active if note_id in found}

    def _clues(self) -> Iterator[tuple[list[Word], bool]]:
        """Yield the words of each clue, and whether they are the user's own: a prompt. Names keep their known words."""
        place, project = self._place, (self._session.project or "").casefold()
        languages = self._snapshot.note_table.languages
        paths = [os.path.splitext(file)[0] for file in place.files[:MOST_FILES]]
        names = [place.branch, " ".join(place.folders[-MOST_FOLDERS:]), *paths, " ".join(self._session.topics)]
        told = [*names, place.readme_title if not self._session.project else ""]
        for text in filter(None, map(_telling, told)):
            words = [word for word in query_words(text, languages) if not _is_project(word, project)]
            known = [word for word in words if any(self._is_known(variant) for variant in word.variants)]
            if known and len(known) * 2 >= len(words):
                yield known, False
        if place.prompt:
            yield list(query_words(place.prompt, languages)), True

    def _is_own(self, note_id: int) -> bool:
        project = self._snapshot.note_table.metadata(note_id).project
        return project is not None and project.casefold() == (self._session.project or "").casefold()

    def _is_known(self, term: str) -> bool:
        index = self._snapshot.index
        return any(next(iter(index.postings(field, term)), None) is not None for field in ("body", "about"))

    def _standing(self) -> list[int]:
        """Return the project's last handoff, its pinned notes and its project note, in this order."""
        if self._place.prompt or not (self._session.project or self._place.is_neutral):
            return []
        table = self._snapshot.note_table
        own = [each for each in self._active if self._is_own(each)] if self._session.project else self._active
        handoffs = sorted(
            (each for each in own if self._is_fresh_handoff(each)), key=lambda each: -table.metadata(each).timestamp
        )
        pinned = [each for each in own if table.metadata(each).pinned]
        return list(dict.fromkeys([*handoffs[:1], *pinned, *([] if any(self._clues()) else self._overview(own))]))

    def _overview(self, own: list[int]) -> list[int]:
        """Return the notes on a project as a whole: those of the kind `project`, else its newest ones."""
        table = self._snapshot.note_table
        projects = [each for each in own if table.metadata(each).kind == "project"]
        return projects or self._newest(own)[:MOST_NEWEST]

    def _newest(self, notes: Iterable[int]) -> list[int]:
        table = self._snapshot.note_table
        return sorted(notes, key=lambda each: -table.metadata(each).timestamp)

    def _is_fresh_handoff(self, note_id: int) -> bool:
        metadata = self._snapshot.note_table.metadata(note_id)
        return metadata.kind == "handoff" and self._session.now - metadata.timestamp <= HANDOFF_DAYS * 86_400

    def _extractor(self, relevances: Mapping[int, float], standing: Iterable[int]) -> SignalExtractor:
        every = {**dict.fromkeys(standing, 0.0), **relevances}
        table = self._snapshot.note_table
        return SignalExtractor(
            table, self._session, Intent.NORMAL, (), every, self._note_history, file_overlap=overlap_in(self._session)
        )

    def _note(
        self,
        note_id: int,
        signals: SignalExtractor,
        kept: Collection[int],
        relevances: Mapping[int, float],
        *,
        standing: bool = False,
    ) -> Surfaced:
        found = signals.signals(note_id)._replace(co_recalls=self._note_history.co_recalls(note_id, kept))
        metadata = self._snapshot.note_table.metadata(note_id)
        relevance = relevances.get(note_id, 0.0)
        score = self._scorer.score(found)
        content_hash = self._snapshot.note_table.rows[note_id].content_hash
        return Surfaced(note_id, content_hash, metadata, score, found.age_days, found.same_project, relevance, standing)


def _best_first(each: Surfaced) -> tuple[float, float, str]:
    return -each.score.total, each.age_days, each.metadata.path


def _telling(text: str) -> str:
    """Return the words of a name that say something: `feature/refund-timeouts` → `refund timeouts`."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(word for word in _WORD.findall(apart) if word.casefold() not in _ROUTINE)


def _is_project(word: Word, project: str) -> bool:
    return project in {variant.casefold() for variant in word.variants}


def _names_one_of(named: Collection[str], changed: Collection[str]) -> bool:
    """Return True when a note names one of the changed files, from the repository's root or from above it."""
    return any(
        one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}") for one in named for other in changed
    )
