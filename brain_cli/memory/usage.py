"""The events in time order → what they come to for each note. Pure: the fold of a prefix, folded on, is the whole's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from math import inf
from operator import attrgetter
from typing import Any

from brain_cli.memory.events import FEEDBACK, FEEDBACK_UNDONE, MOVED, REVISED, SHOWN, USEFUL, Event, Mention
from brain_cli.memory.strength import boost
from brain_cli.types import SECONDS_PER_DAY

# Each note remembers its last joint recalls: enough for links, and twice what fills the co-activation bonus.
MOST_JOINT = 8
# Sessions of work that may still go on; whoever comes back to an older one begins a new one.
MOST_SESSIONS = 16
in_time_order = attrgetter("at")


class Entry:
    """One note's history: recalls, last recall (seconds, 0 for never), strength gained (0..1), feedback, revisions.

    `joint` are the numbers of its last recalls that showed other notes too.
    """

    __slots__ = ("accesses", "boost", "content_hash", "joint", "last_recall", "revisions", "useful", "wrong")

    def __init__(self, content_hash: str = "") -> None:
        self.content_hash = content_hash
        self.accesses = 0
        self.last_recall = 0.0
        self.boost = 0.0
        self.useful = 0
        self.wrong = 0
        self.revisions = 0
        self.joint: list[int] = []

    def recall(self, timestamp: float, at: float) -> None:
        """Reinforce: what was nearly forgotten gains most, what is recalled all the time gains little."""
        if self.boost < 1.0:
            last = self.last_recall if self.last_recall > timestamp else timestamp
            self.boost = min(1.0, self.boost + boost((at - last) / SECONDS_PER_DAY, self.accesses))
        self.accesses += 1
        if at > self.last_recall:
            self.last_recall = at


NO_ENTRY = Entry()


class Fold:
    """Entries by path, and the paths of each joint recall that some note remembers, by the recall's number.

    All recalls of one session count as one joint recall; `sessions` has the numbers of the last sessions.
    `first_at` and `last_at` are the times of the earliest and the latest event folded, in seconds.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.joint: dict[int, list[str]] = {}
        self.joint_recalls = 0
        self.sessions: dict[str, int] = {}
        self.first_at = inf
        self.last_at = -inf

    def shown_together(self, path: str) -> set[str]:
        """Return the notes that were shown together with one, as far as both remember it."""
        return {
            other
            for number in self.entries.get(path, NO_ENTRY).joint
            for other in self.joint[number]
            if other != path and number in self.entries.get(other, NO_ENTRY).joint
        }

    def after(self, events: Sequence[Event]) -> Fold:
        """Return the fold of these events too; this one stays as it is, for whoever else reads it."""
        if not events:
            return self
        following = Fold()
        copied = {"entries": dict(self.entries), "joint": dict(self.joint), "sessions": dict(self.sessions)}
        vars(following).update(vars(self), **copied)
        touched = {note[0] for event in events for note in event.notes}.union(event.value for event in events)
        for path in touched.intersection(self.entries):
            entry = following.entries[path] = copy(self.entries[path])
            entry.joint = list(entry.joint)
        return following.add(events)

    def add(self, events: Iterable[Event]) -> Fold:
        """Fold events in the order of their times; the earlier ones must have been folded before."""
        for event in sorted(events, key=in_time_order):
            self.first_at = min(self.first_at, event.at)
            self.last_at = event.at
            if event.event == SHOWN:
                self._shown(event)
            elif event.event == MOVED and event.notes:
                self._moved(event.value, event.notes[0])
            elif event.event in (FEEDBACK, FEEDBACK_UNDONE, REVISED) and event.notes:
                self._noted(event)
        # Half of them at least are forgotten: no note remembers more than MOST_JOINT.
        if len(self.joint) > 2 * MOST_JOINT * len(self.entries):
            self.joint = self._remembered()
        return self

    def _shown(self, event: Event) -> None:
        shown: dict[str, Entry] = {}
        for path, content_hash, timestamp in event.notes:
            entry = shown[path] = self.entries.get(path) or self._new(path)
            entry.content_hash = content_hash
            entry.recall(timestamp, event.at)
        if event.session:
            self._joined(shown, self._number_of(event.session))
        elif len(shown) > 1:
            self._joined(shown, self._next_number())

    def _joined(self, shown: Mapping[str, Entry], number: int) -> None:
        before = [path for path in self.joint.get(number, ()) if number in self.entries.get(path, NO_ENTRY).joint]
        # A new list: an earlier fold may still hold the old one.
        self.joint[number] = list(dict.fromkeys((*before, *shown)))
        for entry in shown.values():
            if number not in entry.joint:
                entry.joint.append(number)
            if len(entry.joint) > MOST_JOINT:
                del entry.joint[0]

    def _next_number(self) -> int:
        self.joint_recalls += 1
        return self.joint_recalls

    def _number_of(self, session: str) -> int:
        """Return the number of a session's joint recall, and remember the session as the last one."""
        number = self.sessions.pop(session, 0) or self._next_number()
        self.sessions[session] = number
        if len(self.sessions) > MOST_SESSIONS:
            del self.sessions[next(iter(self.sessions))]
        return number

    def _noted(self, event: Event) -> None:
        path, content_hash, _ = event.notes[0]
        entry = self.entries.get(path) or self._new(path)
        entry.content_hash = content_hash
        if event.event == REVISED:
            entry.revisions += 1
        else:
            verdict, step = "useful" if event.value == USEFUL else "wrong", 1 if event.event == FEEDBACK else -1
            setattr(entry, verdict, max(0, getattr(entry, verdict) + step))

    def _moved(self, old: str, note: Mention) -> None:
        """Let a note's history follow it; that of a note which stood at the new place ends there."""
        path, content_hash, _ = note
        if old == path or old not in self.entries:
            return
        entry = self.entries[path] = self.entries.pop(old)
        entry.content_hash = content_hash
        for number in entry.joint:
            self.joint[number] = [path if each == old else each for each in self.joint[number]]

    def _new(self, path: str) -> Entry:
        entry = self.entries[path] = Entry()
        return entry

    def _remembered(self) -> dict[int, list[str]]:
        """Return the joint recalls that some note still remembers."""
        numbers = {number for entry in self.entries.values() for number in entry.joint}
        return {number: self.joint[number] for number in sorted(numbers)}

    def to_json(self) -> dict[str, Any]:
        """Return this fold as plain values."""
        entries = {path: [getattr(entry, name) for name in Entry.__slots__] for path, entry in self.entries.items()}
        return {
            "entries": entries,
            "joint": list(self._remembered().items()),
            "joint_recalls": self.joint_recalls,
            "sessions": list(self.sessions.items()),
            "first_at": self.first_at,
            "last_at": self.last_at,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Fold:
        """Return a fold from plain values; KeyError, TypeError or ValueError when they are none."""
        fold = cls()
        for path, values in document["entries"].items():
            entry = fold.entries[path] = Entry()
            for name, value in zip(Entry.__slots__, values, strict=True):
                setattr(entry, name, value)
        fold.joint = dict(document["joint"])
        fold.joint_recalls = document["joint_recalls"]
        fold.sessions = dict(document["sessions"])
        fold.first_at = document["first_at"]
        fold.last_at = document["last_at"]
        return fold
