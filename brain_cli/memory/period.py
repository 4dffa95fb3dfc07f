"""Count the recalls and ratings of a period by note, under the notes' present paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from brain_cli.memory.history import FEEDBACK, FEEDBACK_UNDONE, MOVED, SHOWN, WRONG, Event


class Period(NamedTuple):
    """How often each note was recalled, and how often it was rated wrong, by path."""

    recalled: Counter[str]
    wrong: Counter[str]


def period_of(events: Iterable[Event], since: float, until: float) -> Period:
    """Count the events from `since` up to `until`, in seconds since the epoch; `events` are in time order."""
    recalled, wrong = Counter[str](), Counter[str]()
    for event in events:
        paths = [note[0] for note in event.notes]
        if event.event == MOVED and paths:
            for counts in (recalled, wrong):
                counts[paths[0]] += counts.pop(event.value, 0)
        elif since <= event.at < until and event.event == SHOWN:
            recalled.update(paths)
        elif since <= event.at < until and event.value == WRONG and event.event in (FEEDBACK, FEEDBACK_UNDONE):
            wrong.update(dict.fromkeys(paths, 1 if event.event == FEEDBACK else -1))
    return Period(+recalled, +wrong)
