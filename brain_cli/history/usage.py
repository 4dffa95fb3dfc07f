"""Fold events, in time order, into numbers for each note, and compute from them how strong its
memory is.

The fold is pure: folding the first events, and then the others on top, gives the fold of all.

The strength of a memory by its kind, its daily decay, and what a recall adds to both.

    decayed   = strength * rate ** idle_days
    strength' = min(1, strength + 0.05 * min(3, 1 + log2(1 + d)) / (1 + 0.1 * n))
    rate'     = max(rate, rate + 0.1 * (0.999 - rate))

d   days since the access before: a recall after a pause teaches more, up to threefold
n   accesses before this one: each further recall teaches less
`strength` and `rate` are 0..1. The gain of a recall does not depend on the present strength, so the
gains can be summed over the history in time order and added to the initial strength of the note's
kind.

Whether a note is a strong match for a query is another question: see `Standing` in
ranking/__init__.py.

Publication: the `brain` scoring formula, "Strength & Decay"; the boost and its bounds are ours, and
so are the kinds marked "ours".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, log2
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from brain_cli.history.log import (
    FEEDBACK,
    FEEDBACK_UNDONE,
    MOVED,
    REVISED,
    SHOWN,
    USEFUL,
    Event,
    Mention,
)
from brain_cli.types import SECONDS_PER_DAY, finite, unit

if TYPE_CHECKING:
    from brain_cli.types import Signals


BOOST = 0.05
SPACING_CAP = 3.0
FATIGUE = 0.1
RATE_GAIN = 0.1
RATE_GOAL = 0.999

# Kind → base strength, daily decay rate. `[kinds.KIND]` of the configuration changes a kind or adds
# one.
Kinds = Mapping[str, tuple[float, float]]
STRENGTHS: Kinds = {
    "insight": (0.90, 0.997),
    "decision": (0.85, 0.995),
    "goal": (0.80, 0.993),
    "experience": (0.75, 0.985),
    "learning": (0.70, 0.990),
    "relationship": (0.70, 0.997),
    "preference": (0.60, 0.998),
    "observation": (0.40, 0.950),
    # ours
    "project": (0.75, 0.993),
    "handoff": (0.55, 0.970),
    "conversation": (0.50, 0.980),
    "progress": (0.50, 0.980),
}
OTHER_KINDS = (0.70, 0.990)


def base_strength(kind: str) -> tuple[float, float]:
    """Return the strength and daily decay rate of a new note of a kind."""
    return STRENGTHS.get(kind.lower(), OTHER_KINDS)


def configured_kinds(tables: Mapping[str, Mapping[str, float]]) -> Kinds:
    """Read the `[kinds.KIND]` tables of the configuration; a missing value keeps its default."""
    kinds: dict[str, tuple[float, float]] = {}
    for kind, table in tables.items():
        strength, decay_rate = base_strength(kind)
        kinds[kind.lower()] = (
            table.get("strength", strength),
            table.get("decay_rate", decay_rate),
        )
    return kinds


# Half-life ∞ in "ClawMem: Composite Scoring".
NEVER_DECAYING = frozenset(("decision", "deductive", "preference", "hub", "antipattern"))


def never_decays(kind: str) -> bool:
    """Return whether notes of a kind are never proposed for the archive."""
    return kind.lower() in NEVER_DECAYING


def decayed_strength(signals: Signals) -> float:
    """Return what is left of a note's strength since its last access; its own numbers win over its
    kind's.
    """
    strength, rate = base_strength(signals.kind)
    strength = unit(strength if signals.strength is None else signals.strength)
    rate = unit(rate if signals.decay_rate is None else signals.decay_rate)
    return strength if signals.pinned else strength * rate ** finite(signals.idle)


def boost(days_since_access: float, accesses_before: float) -> float:
    """Return what one recall adds to a note's strength."""
    spacing = min(SPACING_CAP, 1 + log2(1 + max(0.0, days_since_access)))
    return BOOST * spacing / (1 + FATIGUE * max(0.0, accesses_before))


def reinforced_strength(strength: float, boosts: float) -> float:
    """Return a strength with all that recalls have added to it."""
    return min(1.0, strength + boosts)


def reinforced_rate(rate: float, recalls: int) -> float:
    """Return a decay rate after some recalls: it closes a tenth of the gap to .999 with each, and
    never falls.
    """
    return max(rate, RATE_GOAL - (RATE_GOAL - rate) * (1 - RATE_GAIN) ** recalls)


# Each note keeps its last joint recalls: enough for links, and twice as many as give the full
# co-activation bonus.
MAX_JOINT = 8
# Events of this many sessions may alternate; a later event of an older session begins a new one.
MAX_SESSIONS = 16
# Only the last notes of a session or recall count as recalled together.
MAX_TOGETHER = 200
# Far more notes than a vault has; further ones get no entry.
MAX_ENTRIES = 250_000
in_time_order = attrgetter("at")


class Entry:
    """One note's history: recalls, last recall (seconds, 0 for never), strength gained (0..1),
    feedback, revisions.

    `joint` are the numbers of its last recalls that showed other notes too.
    """

    __slots__ = (
        "accesses",
        "boost",
        "content_hash",
        "joint",
        "last_recall",
        "revisions",
        "useful",
        "wrong",
    )

    def __init__(self) -> None:
        self.content_hash = ""
        self.accesses = 0
        self.last_recall = 0.0
        self.boost = 0.0
        self.useful = 0
        self.wrong = 0
        self.revisions = 0
        self.joint: list[int] = []

    def copied(self) -> Entry:
        """Return an entry with the same values."""
        copied = Entry()
        for name in self.__slots__:
            setattr(copied, name, getattr(self, name))
        copied.joint = list(self.joint)
        return copied

    def recall(self, timestamp: float, at: float) -> None:
        """Reinforce the note: a nearly forgotten one gains most, an often recalled one little."""
        if self.boost < 1.0:
            last = self.last_recall if self.last_recall > timestamp else timestamp
            self.boost = min(
                1.0, self.boost + boost((at - last) / SECONDS_PER_DAY, self.accesses)
            )
        self.accesses += 1
        if at > self.last_recall:
            self.last_recall = at


NO_ENTRY = Entry()


class Fold:
    """Entries by path, and the paths of each joint recall that some entry keeps, by the recall's
    number.

    All recalls of one session count as one joint recall; `sessions` has the numbers of the last
    sessions. `first_at` and `last_at` are the times of the earliest and the latest event folded, in
    seconds.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.joint: dict[int, list[str]] = {}
        self.joint_recalls = 0
        self.sessions: dict[str, int] = {}
        self.first_at = inf
        self.last_at = -inf

    @property
    def began(self) -> float | None:
        """The time at which the history begins (seconds since the epoch); None if it is empty."""
        return self.first_at if self.first_at < inf else None

    def paths(self) -> dict[str, str]:
        """Return every path in the history, with the last known content hash of its note."""
        return {path: entry.content_hash for path, entry in self.entries.items()}

    def shown_together(self, path: str) -> set[str]:
        """Return the notes that were shown together with this one, in recalls that both entries
        still keep.
        """
        return {
            other
            for number in self.entries.get(path, NO_ENTRY).joint
            for other in self.joint[number]
            if other != path and number in self.entries.get(other, NO_ENTRY).joint
        }

    def after(self, events: Sequence[Event]) -> Fold:
        """Return a new fold with these events on top of this one, which does not change."""
        if not events:
            return self
        fold = Fold()
        vars(fold).update(vars(self))
        fold.entries = dict(self.entries)
        fold.joint = dict(self.joint)
        fold.sessions = dict(self.sessions)
        touched = {note[0] for event in events for note in event.notes}.union(
            event.value for event in events
        )
        for path in touched.intersection(self.entries):
            fold.entries[path] = self.entries[path].copied()
        return fold.add(events)

    def add(self, events: Iterable[Event]) -> Fold:
        """Fold events in the order of their times; the earlier ones must have been folded
        before.
        """
        for event in sorted(events, key=in_time_order):
            self.first_at = min(self.first_at, event.at)
            self.last_at = event.at
            if event.event == SHOWN:
                self._apply_recall(event)
            elif event.event == MOVED and event.notes:
                self._apply_move(event.value, event.notes[0])
            elif event.event in (FEEDBACK, FEEDBACK_UNDONE, REVISED) and event.notes:
                self._apply_verdict_or_revision(event)
        # No entry keeps more than MAX_JOINT recalls, so at least half of these are no longer used.
        if len(self.joint) > 2 * MAX_JOINT * len(self.entries):
            self.joint = self._referenced_recalls()
        return self

    def _apply_recall(self, event: Event) -> None:
        shown: dict[str, Entry] = {}
        for path, content_hash, timestamp in event.notes:
            entry = shown[path] = self.entries.get(path) or self._new(path)
            entry.content_hash = content_hash
            entry.recall(timestamp, event.at)
        if event.session or len(shown) > 1:
            self._add_joint_recall(shown, self._number_of(event.session))

    def _add_joint_recall(self, shown: Mapping[str, Entry], number: int) -> None:
        before = [
            path
            for path in self.joint.get(number, ())
            if number in self.entries.get(path, NO_ENTRY).joint
        ]
        # A new list: an earlier fold may still hold the old one.
        self.joint[number] = list(dict.fromkeys((*before, *shown)))[-MAX_TOGETHER:]
        for entry in shown.values():
            if number not in entry.joint:
                entry.joint.append(number)
            if len(entry.joint) > MAX_JOINT:
                del entry.joint[0]

    def _number_of(self, session: str) -> int:
        """Return the number of a session's joint recall, and make the session the latest one; a new
        number without a session.
        """
        number = self.sessions.pop(session, 0)
        if not number:
            number = self.joint_recalls = self.joint_recalls + 1
        if session:
            self.sessions[session] = number
        if len(self.sessions) > MAX_SESSIONS:
            del self.sessions[next(iter(self.sessions))]
        return number

    def _apply_verdict_or_revision(self, event: Event) -> None:
        path, content_hash, _ = event.notes[0]
        entry = self.entries.get(path) or self._new(path)
        entry.content_hash = content_hash
        if event.event == REVISED:
            entry.revisions += 1
        else:
            verdict = "useful" if event.value == USEFUL else "wrong"
            step = 1 if event.event == FEEDBACK else -1
            setattr(entry, verdict, max(0, getattr(entry, verdict) + step))

    def _apply_move(self, old: str, note: Mention) -> None:
        """Move a note's entry to its new path, replacing the entry of any earlier note at that
        path.
        """
        path, content_hash, _ = note
        if old == path or old not in self.entries:
            return
        entry = self.entries[path] = self.entries.pop(old)
        entry.content_hash = content_hash
        for number in entry.joint:
            self.joint[number] = [path if each == old else each for each in self.joint[number]]

    def _new(self, path: str) -> Entry:
        entry = Entry()
        if len(self.entries) < MAX_ENTRIES:
            self.entries[path] = entry
        return entry

    def _referenced_recalls(self) -> dict[int, list[str]]:
        """Return the joint recalls that some entry keeps."""
        numbers = {number for entry in self.entries.values() for number in entry.joint}
        return {number: self.joint[number] for number in sorted(numbers)}

    def to_json(self) -> dict[str, Any]:
        """Return this fold as plain values."""
        entries = {
            path: [getattr(entry, name) for name in Entry.__slots__]
            for path, entry in self.entries.items()
        }
        joint = list(self._referenced_recalls().items())
        return {**vars(self), "entries": entries, "joint": joint}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Fold:
        """Return a fold from plain values; raise KeyError, TypeError or ValueError if they are not
        a fold.
        """
        fold = cls()
        vars(fold).update(document, entries={}, joint=dict(document["joint"]))
        for path, values in document["entries"].items():
            entry = fold.entries[path] = Entry()
            for name, value in zip(Entry.__slots__, values, strict=True):
                setattr(entry, name, value)
        return fold
