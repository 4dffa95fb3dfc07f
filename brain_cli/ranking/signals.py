"""Measure the signals of a candidate for the scorers: its times, use, links and context.

Context match: how much of the session's context a note shares.

    match = 0.5 * [same project] + 0.3 * Jaccard(topics) + 0.2 * [same task]

over the known parts of the session, rescaled to them; 0..1. A session without known parts matches
nothing.

Publication: the `brain` scoring formula, "Context Match"; the weights of the three parts are ours.

Spreading activation: each note receives activation from the matching notes near it.

    received(note) = min(1, Σ activation(source) * 0.5 ** hops), over the other sources, hops 1 or 2

activation  0..1, a source's relevance
hops        length of the shortest path; a source counts once
A note with more than 64 links neither sends nor relays (it may receive); otherwise one page that
links to everything would lift the whole vault.

Publication: the `brain` scoring formula, "Spreading Bonus"; the limit on links is ours.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from itertools import chain
from math import fsum
from types import MappingProxyType

from brain_cli.history.usage import (
    Kinds,
    base_strength,
    decayed_strength,
    reinforced_rate,
    reinforced_strength,
)
from brain_cli.index.note_table import NoteTable
from brain_cli.ranking.note_history import NoteHistory, linked
from brain_cli.record import Record
from brain_cli.search.relevance import weight_of
from brain_cli.types import (
    HEADING,
    MAX_LINKS,
    SECONDS_PER_DAY,
    Intent,
    NoteMetadata,
    Session,
    Signals,
    Usage,
    unit,
)
from brain_cli.vault.analyzer import Word

SAME_PROJECT = 0.5
SHARED_TOPICS = 0.3
SAME_TASK = 0.2


class Context(Record):
    """The context in which a note was written or a session works; empty parts are unknown. Build it
    with `of`.
    """

    project: str = ""
    topics: frozenset[str] = frozenset()
    task: str = ""

    @classmethod
    def of(
        cls, project: str | None = None, topics: Iterable[str] = (), task: str | None = None
    ) -> "Context":
        """Return a context of names as they are written, in the form in which names are
        compared.
        """
        return cls(
            (project or "").casefold(),
            frozenset(map(str.casefold, topics)),
            (task or "").casefold(),
        )


def context_match(note: Context, session: Context) -> float:
    known = matched = 0.0
    if session.project:
        known += SAME_PROJECT
        matched += SAME_PROJECT * (note.project == session.project)
    if session.topics:
        known += SHARED_TOPICS
        matched += (
            SHARED_TOPICS
            * len(note.topics & session.topics)
            / len(note.topics | session.topics)
        )
    if session.task:
        known += SAME_TASK
        matched += SAME_TASK * (note.task == session.task)
    return matched / known if known else 0.0


PER_HOP = 0.5
NONE: frozenset[int] = frozenset()
Neighbours = Callable[[int], Iterable[int]]


def spread(activations: Mapping[int, float], neighbours: Neighbours) -> dict[int, float]:
    """Return the activation that each note within two hops receives, given the activations of the
    sources.
    """
    activation = Activation(activations, neighbours)
    return {note: amount for note in activation.reach() if (amount := activation.get(note))}


class Activation:
    """The activation that notes receive from the sources near them, computed on demand.

    `neighbours` is called once for each note, and must return links in both directions. Links are
    followed from the receiving end, so that a sum can stop at its cap, which bounds the work in
    densely linked vaults.
    """

    def __init__(self, activations: Mapping[int, float], neighbours: Neighbours) -> None:
        self._activations = activations
        self._links = cache(lambda note: frozenset(neighbours(note)) - {note})
        self._sent = cache(self._sends)
        self._senders = cache(self._sending_to)
        self.get = cache(self._received)

    def reach(self) -> set[int]:
        """Return the notes within two hops of a source."""
        near = NONE.union(*map(self._links, filter(self._relays, self._activations)))
        return {
            *near,
            *chain.from_iterable(self._links(note) for note in near if self._relayed(note)),
        }

    def _received(self, note: int) -> float:
        """Return the activation that a note receives from the others, 0..1."""
        near = self._senders(note)
        total = from_near = PER_HOP * self._sum(near)
        counted = {note, *near}
        for relay in self._links(note):
            if total >= 1.0:
                return 1.0
            if farther := self._relayed(relay) - counted:
                total += PER_HOP**2 * self._sum(farther)
                counted |= farther
        # Sum again with fsum, so that the result does not depend on the order in which relays were
        # visited.
        return min(1.0, from_near + PER_HOP**2 * self._sum(counted.difference(near, (note,))))

    def _sum(self, sources: Iterable[int]) -> float:
        return fsum(map(self._sent, sources))

    def _sends(self, note: int) -> float:
        """Return the activation that a note sends: 0 unless it is a source, and 0 with too many
        links.
        """
        is_source = note in self._activations and self._relays(note)
        return unit(self._activations[note]) if is_source else 0.0

    def _sending_to(self, note: int) -> frozenset[int]:
        return frozenset(filter(self._sent, self._activations.keys() & self._links(note)))

    def _relayed(self, note: int) -> frozenset[int]:
        return self._senders(note) if self._relays(note) else NONE

    def _relays(self, note: int) -> bool:
        return len(self._links(note)) <= MAX_LINKS


class SignalExtractor:
    """Measures the signals of candidates, with the parts they share: activation, context, tags in
    the query.

    `section_date` returns the date in the heading of a note's matching section, if there is one.
    `file_overlap` returns the share of a note's files that exist; only the caller reads the disk.
    `weights` are those of folders and kinds, already applied to the relevances.
    """

    def __init__(
        self,
        note_table: NoteTable,
        session: Session,
        intent: Intent,
        words: Iterable[Word],
        relevances: Mapping[int, float],
        note_history: NoteHistory,
        section_date: Callable[[int], float | None] = lambda _: None,
        file_overlap: Callable[[NoteMetadata], float] = lambda _: 0.0,
        weights: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self._note_table = note_table
        self._weights = weights
        self._section_date = section_date
        self._session = session
        self._file_overlap = file_overlap
        self._intent = intent
        self._concepts = _concepts(note_table, words) | {
            topic.casefold() for topic in session.topics
        }
        self._any_pinned = not relevances.keys().isdisjoint(note_table.pinned)
        self._session_context = Context.of(session.project, session.topics, session.task)
        self.history = note_history
        self.relevances = relevances
        self.activation = Activation(
            relevances, lambda note_id: linked(note_table, note_history, note_id)
        )
        self.in_order = sorted(relevances, key=relevances.__getitem__, reverse=True)
        self._best, self._second = _best_two(note_table, relevances, self.in_order)
        # Spreading is left out of the whole recall if no candidate has any (docs/scoring.md).
        self._linked = any(self.activation.get(note_id) for note_id in relevances)
        self._has_context = self._any_context(relevances)

    def at_best(self, note_id: int, upper_bound: Signals) -> Signals:
        """Return the best signals that a candidate of at most the relevance of this one can have,
        from a formula's upper bound.
        """
        relevance = self.relevances[note_id]
        return upper_bound._replace(
            relevance=relevance,
            spreading=upper_bound.spreading if self._linked else None,
            context=upper_bound.context if self._has_context else None,
            recent_intent=self._intent is Intent.RECENCY,
            runner_up=self._runner_up(relevance),
            pinned=upper_bound.pinned and self._any_pinned,
        )

    def metadata(self, note_id: int) -> NoteMetadata:
        """Return the metadata of a candidate, with the date of its matching section if that has
        one.
        """
        metadata = self._note_table.metadata(note_id)
        date = self._section_date(note_id)
        return (
            metadata
            if date is None
            else metadata._replace(timestamp=date, dated_by=HEADING, offset=0.0)
        )

    def _age_days(self, note_id: int, timestamp: float) -> float:
        """Return a note's age; for a query for the newest, a note with only the file time of a
        clone is the oldest.
        """
        if self._intent is Intent.RECENCY and self._note_table.stated_date(note_id) is None:
            timestamp = min(timestamp, self._note_table.oldest_date)
        return days_between(timestamp, self._session.now)

    def signals(self, note_id: int) -> Signals:
        """Return the signals of one candidate."""
        relevance = self.relevances[note_id]
        metadata = self.metadata(note_id)
        usage = self.history.usage(note_id)
        strength, decay_rate = _reinforced(metadata, usage, self.history.kinds)
        last_access = max(metadata.timestamp, usage.last_access or metadata.timestamp)
        return Signals(
            relevance=relevance,
            age_days=self._age_days(note_id, metadata.timestamp),
            idle_days=days_between(last_access, self._session.now),
            accesses=usage.accesses,
            kind=metadata.kind,
            quality=metadata.quality,
            confidence=metadata.confidence,
            useful=usage.useful,
            wrong=usage.wrong,
            superseded=metadata.superseded,
            strength=strength,
            decay_rate=decay_rate,
            salience=metadata.salience,
            spreading=self.activation.get(note_id) if self._linked else None,
            context=self._context(note_id) if self._has_context else None,
            body_chars=metadata.body_chars,
            revisions=metadata.revisions or 1 + usage.revisions,
            duplicates=max(
                1, self._note_table.duplicates[self._note_table.value("content_hash", note_id)]
            ),
            co_recalls=self.history.co_recalls(note_id, self.relevances),
            pinned=metadata.pinned,
            same_project=is_same_project(metadata.project, self._session.project),
            file_overlap=self._file_overlap(metadata),
            concept_overlap=_overlap(self._concepts, metadata),
            recent_intent=self._intent is Intent.RECENCY,
            runner_up=self._runner_up(relevance),
            weight=weight_of(note_id, relevance, self._weights, self._note_table),
            form=metadata.form,
        )

    def _runner_up(self, relevance: float) -> float:
        return self._second if relevance >= self._best else self._best

    def _any_context(self, note_ids: Iterable[int]) -> bool:
        """Return whether the context of any of the notes matches the session's."""
        session = self._session_context
        if session == Context(session.project):
            # A working folder gives only the project, and a column has those of all notes, so no
            # record is read.
            projects = self._note_table.column("project")
            return bool(session.project) and session.project in map(projects.get, note_ids)
        return any(map(self._context, note_ids))

    def _context(self, note_id: int) -> float:
        metadata = self._note_table.metadata(note_id)
        return context_match(
            Context.of(metadata.project, (*metadata.tags, *metadata.topics), metadata.task),
            self._session_context,
        )


def _best_two(
    note_table: NoteTable, relevances: Mapping[int, float], in_order: Iterable[int]
) -> tuple[float, float]:
    """Return the best relevance, and the best one of a note that does not repeat it and is not
    superseded.
    """
    superseded = note_table.superseded
    present = (note_id for note_id in in_order if note_id not in superseded)
    first = next(present, None)
    if first is None:
        return 1.0, max(relevances.values(), default=0.0)
    content = note_table.value("content_hash", first)
    for other in present:
        if note_table.value("content_hash", other) != content:
            return relevances[first], relevances[other]
    return relevances[first], 0.0


def _reinforced(
    metadata: NoteMetadata, usage: Usage, kinds: Kinds
) -> tuple[float | None, float | None]:
    """Return strength and decay rate, reinforced by recalls; None for the published values of the
    kind.
    """
    configured = kinds.get(metadata.kind.lower())
    if not usage.accesses and not configured:
        return metadata.strength, metadata.decay_rate
    strength, rate = configured or base_strength(metadata.kind)
    if metadata.strength is not None:
        strength = metadata.strength
    if metadata.decay_rate is not None:
        rate = metadata.decay_rate
    return reinforced_strength(strength, usage.boost), reinforced_rate(rate, usage.accesses)


def present_strength(metadata: NoteMetadata, usage: Usage, now: float, kinds: Kinds) -> float:
    """Return a note's strength at a time, 0..1: its kind's or its own, reinforced and decayed."""
    strength, decay_rate = _reinforced(metadata, usage, kinds)
    idle_days = days_between(
        max(metadata.timestamp, usage.last_access or metadata.timestamp), now
    )
    return decayed_strength(
        Signals(
            kind=metadata.kind,
            strength=strength,
            decay_rate=decay_rate,
            idle_days=idle_days,
            pinned=metadata.pinned,
        )
    )


def days_between(earlier: float, later: float) -> float:
    """Return the days between two times, at least 0: a date in the future counts as today."""
    return max(0.0, (later - earlier) / SECONDS_PER_DAY)


def _concepts(note_table: NoteTable, words: Iterable[Word]) -> set[str]:
    """Return the tags of the vault all of whose words are in the query."""
    query_terms = {variant for word in words for variant in word.variants}
    if not query_terms:
        return set()
    return {
        tag
        for tag, parts in note_table.tag_terms.items()
        if parts and query_terms.issuperset(parts)
    }


def _overlap(concepts: Collection[str], metadata: NoteMetadata) -> float:
    if not concepts:
        return 0.0
    return len({tag.casefold() for tag in metadata.tags} & set(concepts)) / len(concepts)


def is_same_project(project: str | None, other: str | None) -> bool:
    return bool(project and other) and str(project).casefold() == str(other).casefold()
