"""The events in time order → what they come to for each note. Pure: the fold of a prefix, folded on, is the whole's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from brain_cli.memory.events import FEEDBACK, MOVED, REVISED, SHOWN, USEFUL, Event, Mention
from brain_cli.memory.reinforcement import boost
from brain_cli.types import SECONDS_PER_DAY

# Each note remembers its last joint recalls: enough for links, and twice what fills the co-activation bonus.
MOST_JOINT = 8


class Entry:
    """One note's history: recalls, last recall (seconds, 0 for never), strength gained, feedback, revisions.

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
        last = self.last_recall if self.last_recall > timestamp else timestamp
        self.boost = min(1.0, self.boost + boost((at - last) / SECONDS_PER_DAY, self.accesses))
        self.accesses += 1
        self.last_recall = max(self.last_recall, at)


class Fold:
    """Entries by path, and the notes of each joint recall that still remember it, by the recall's number."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.joint: dict[int, list[str]] = {}
        self.joint_recalls = 0
        self.last_at = 0.0
        self.last_shown_at = 0.0

    def after(self, events: Iterable[Event]) -> Fold:
        """Return the fold of these events too; this one stays as it is, for whoever else reads it."""
        events = list(events)
        if not events:
            return self
        following = Fold()
        vars(following).update(vars(self), entries=dict(self.entries), joint=dict(self.joint))
        touched = {note[0] for event in events for note in event.notes}.union(event.value for event in events)
        for path in touched.intersection(self.entries):
            entry = following.entries[path] = copy(self.entries[path])
            entry.joint = list(entry.joint)
            following.joint.update((number, list(self.joint[number])) for number in entry.joint)
        return following.add(events)

    def add(self, events: Iterable[Event]) -> Fold:
        """Fold events in the order of their times; the earlier ones must have been folded before."""
        for event in sorted(events, key=_at):
            self.last_at = max(self.last_at, event.at)
            if event.event == SHOWN:
                self.last_shown_at = max(self.last_shown_at, event.at)
                self._shown(event)
            elif event.event == MOVED and event.notes:
                self._moved(event.value, event.notes[0])
            elif event.event in (FEEDBACK, REVISED) and event.notes:
                self._noted(event)
        return self

    def _shown(self, event: Event) -> None:
        for path, content_hash, timestamp in event.notes:
            self._entry(path, content_hash).recall(timestamp, event.at)
        if len(event.notes) > 1:
            self._joined(list(dict.fromkeys(note[0] for note in event.notes)))

    def _joined(self, paths: list[str]) -> None:
        self.joint_recalls += 1
        self.joint[self.joint_recalls] = paths
        for path in list(paths):
            remembered = self.entries[path].joint
            remembered.append(self.joint_recalls)
            if len(remembered) > MOST_JOINT:
                self._forget(path, remembered.pop(0))

    def _forget(self, path: str, number: int) -> None:
        paths = self.joint[number]
        paths.remove(path)
        if not paths:
            del self.joint[number]

    def _noted(self, event: Event) -> None:
        path, content_hash, _ = event.notes[0]
        entry = self._entry(path, content_hash)
        if event.event == REVISED:
            entry.revisions += 1
        elif event.value == USEFUL:
            entry.useful += 1
        else:
            entry.wrong += 1

    def _moved(self, old: str, note: Mention) -> None:
        if old == note[0] or old not in self.entries:
            return
        if note[0] in self.entries:
            self._replaced(note[0])
        entry = self.entries[note[0]] = self.entries.pop(old)
        entry.content_hash = note[1]
        for number in entry.joint:
            paths = self.joint[number]
            paths[paths.index(old)] = note[0]

    def _replaced(self, path: str) -> None:
        """A note that another one was moved onto is gone, and its history with it."""
        for number in self.entries.pop(path).joint:
            self._forget(path, number)

    def _entry(self, path: str, content_hash: str) -> Entry:
        entry = self.entries.get(path)
        if entry is None:
            entry = self.entries[path] = Entry()
        entry.content_hash = content_hash
        return entry


def _at(event: Event) -> float:
    return event.at


def to_json(fold: Fold) -> dict[str, Any]:
    """Return a fold as plain values."""
    entries = {path: [getattr(entry, name) for name in Entry.__slots__] for path, entry in fold.entries.items()}
    return {
        "entries": entries,
        "joint": list(fold.joint.items()),
        "joint_recalls": fold.joint_recalls,
        "last_at": fold.last_at,
        "last_shown_at": fold.last_shown_at,
    }


def from_json(document: Mapping[str, Any]) -> Fold:
    """Return a fold from plain values; KeyError, TypeError or ValueError when they are none."""
    fold = Fold()
    for path, values in document["entries"].items():
        entry = fold.entries[path] = Entry()
        for name, value in zip(Entry.__slots__, values, strict=True):
            setattr(entry, name, value)
    fold.joint = dict(document["joint"])
    fold.joint_recalls = document["joint_recalls"]
    fold.last_at = document["last_at"]
    fold.last_shown_at = document["last_shown_at"]
    return fold
