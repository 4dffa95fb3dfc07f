"""A match → the signals a scorer may look at: times, use, links and context of each candidate."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from brain_cli.index.note_table import Catalogue
from brain_cli.memory.strength import reinforced_rate, reinforced_strength
from brain_cli.vault.analyzer import Word
from brain_cli.ranking.note_history import Past, linked
from brain_cli.ranking.scorers.brain import base_strength, decayed_strength
from brain_cli.ranking.context_match import Context, context_match
from brain_cli.ranking.spreading import Activation
from brain_cli.types import SECONDS_PER_DAY, Facts, Intent, Session, Signals, Usage


class Measure:
    """What holds for a whole recall: activation over links, context, the tags that the query names."""

    def __init__(
        self,
        catalogue: Catalogue,
        session: Session,
        intent: Intent,
        words: Iterable[Word],
        relevances: Mapping[int, float],
        past: Past,
    ) -> None:
        self._catalogue = catalogue
        self._session = session
        self._intent = intent
        self._concepts = _concepts(catalogue, words) | {topic.casefold() for topic in session.topics}
        self._place = Context.of(session.project, session.topics, session.task)
        self.activation = Activation(relevances, lambda note_id: linked(catalogue, past, note_id))
        self._past = past
        self._relevances = relevances
        self._best, self._second = _rivals(catalogue, relevances)
        # Left out for the whole recall when no candidate has any (scoring.md, section 1).
        self._linked = any(self.activation.get(note_id) for note_id in relevances)
        self._placed = self._place != Context() and any(self._context(note_id) for note_id in relevances)

    def at_best(self, relevance: float, ideal: Signals) -> Signals:
        """Return signals that no candidate of at most this relevance can better, from a formula's ideal ones."""
        return ideal._replace(
            relevance=relevance,
            spreading=ideal.spreading if self._linked else None,
            context=ideal.context if self._placed else None,
            recent_intent=self._intent is Intent.RECENCY,
            rival=self._rival(relevance),
        )

    def signals(self, note_id: int) -> Signals:
        """Return the signals of one candidate."""
        relevance = self._relevances[note_id]
        facts, usage = self._catalogue.facts(note_id), self._past.usage(note_id)
        strength, decay_rate = _reinforced(facts, usage)
        last_access = max(facts.timestamp, usage.last_access or facts.timestamp)
        return Signals(
            relevance=relevance,
            age_days=days_between(facts.timestamp, self._session.now),
            idle_days=days_between(last_access, self._session.now),
            accesses=usage.accesses,
            kind=facts.kind,
            quality=facts.quality,
            confidence=facts.confidence,
            useful=usage.useful,
            wrong=usage.wrong,
            superseded=facts.superseded,
            strength=strength,
            decay_rate=decay_rate,
            salience=facts.salience,
            spreading=self.activation.get(note_id) if self._linked else None,
            context=self._context(note_id) if self._placed else None,
            body_chars=facts.body_chars,
            revisions=facts.revisions or 1 + usage.revisions,
            duplicates=max(1, self._catalogue.duplicates[self._catalogue.rows[note_id].content_hash]),
            co_recalls=self._past.co_recalls(note_id, self._relevances),
            pinned=facts.pinned,
            same_project=_same(facts.project, self._session.project),
            file_overlap=file_overlap(facts.files, self._session.folder),
            concept_overlap=_overlap(self._concepts, facts),
            recent_intent=self._intent is Intent.RECENCY,
            rival=self._rival(relevance),
        )

    def _rival(self, relevance: float) -> float:
        return self._second if relevance >= self._best else self._best

    def _context(self, note_id: int) -> float:
        facts = self._catalogue.facts(note_id)
        return context_match(Context.of(facts.project, (*facts.tags, *facts.topics), facts.task), self._place)


def _rivals(catalogue: Catalogue, relevances: Mapping[int, float]) -> tuple[float, float]:
    """Return the best relevance, and the best of what says something else and has not been superseded."""
    rows = catalogue.rows
    present = {note_id: relevance for note_id, relevance in relevances.items() if not rows[note_id].successors}
    if not present:
        return 1.0, max(relevances.values(), default=0.0)
    first = max(present, key=present.__getitem__)
    others = (each for note_id, each in present.items() if rows[note_id].content_hash != rows[first].content_hash)
    return present[first], max(others, default=0.0)


def _reinforced(facts: Facts, usage: Usage) -> tuple[float | None, float | None]:
    """Return strength and decay rate with what recalls have added; None where only the kind decides."""
    if not usage.accesses:
        return facts.strength, facts.decay_rate
    strength, rate = base_strength(facts.kind)
    strength = strength if facts.strength is None else facts.strength
    rate = rate if facts.decay_rate is None else facts.decay_rate
    return reinforced_strength(strength, usage.boost), reinforced_rate(rate, usage.accesses)


def present_strength(facts: Facts, usage: Usage, now: float) -> float:
    """Return what is left of a note's strength at a moment, 0..1: its kind's or its own, reinforced and decayed."""
    strength, decay_rate = _reinforced(facts, usage)
    idle_days = days_between(max(facts.timestamp, usage.last_access or facts.timestamp), now)
    return decayed_strength(
        Signals(kind=facts.kind, strength=strength, decay_rate=decay_rate, idle_days=idle_days, pinned=facts.pinned)
    )


def days_between(earlier: float, later: float) -> float:
    """Return fractional days, never negative: a date in the future counts as today."""
    return max(0.0, (later - earlier) / SECONDS_PER_DAY)


def file_overlap(files: Collection[str], folder: str | None) -> float:
    """Return the share of a note's files that exist under a folder; a path that leaves it counts as absent."""
    if not files or not folder:
        return 0.0
    root = os.path.realpath(folder)
    inside = (os.path.realpath(os.path.join(root, file)) for file in files)
    return sum(path.startswith(root + os.sep) and os.path.exists(path) for path in inside) / len(files)


def _concepts(catalogue: Catalogue, words: Iterable[Word]) -> set[str]:
    """Return the tags of the vault that the query names: all of a tag's words are words of the query."""
    asked = {variant for word in words for variant in word.variants}
    if not asked:
        return set()
    return {tag for tag, parts in catalogue.tag_terms.items() if parts and asked.issuperset(parts)}


def _overlap(concepts: Collection[str], facts: Facts) -> float:
    if not concepts:
        return 0.0
    return len({tag.casefold() for tag in facts.tags} & set(concepts)) / len(concepts)


def _same(project: str | None, other: str | None) -> bool:
    return bool(project and other) and str(project).casefold() == str(other).casefold()
