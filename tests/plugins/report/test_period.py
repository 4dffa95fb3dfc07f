"""Recalls and ratings of a period count for the notes under their present paths."""

from __future__ import annotations

from brain_cli.history.log import (
    FEEDBACK,
    FEEDBACK_UNDONE,
    MOVED,
    SHOWN,
    USEFUL,
    WRONG,
    Event,
    Mention,
)
from brain_cli.plugins.report.report import period_of


def event(at: float, kind: str, path: str, value: str = "") -> Event:
    return Event(at, kind, [Mention(path, "hash", 0.0)], value)


def test_recalls_and_ratings_follow_a_moved_note() -> None:
    events = [
        event(1.0, SHOWN, "old.md"),
        event(2.0, FEEDBACK, "old.md", WRONG),
        event(3.0, MOVED, "new.md", "old.md"),
        event(4.0, SHOWN, "new.md"),
    ]
    recalled, wrong = period_of(events, 0.0, 10.0)
    assert (dict(recalled), dict(wrong)) == ({"new.md": 2}, {"new.md": 1})


def test_only_the_period_counts_and_a_rating_that_was_taken_back_does_not() -> None:
    events = [
        event(1.0, SHOWN, "a.md"),
        event(5.0, FEEDBACK, "a.md", WRONG),
        event(6.0, FEEDBACK_UNDONE, "a.md", WRONG),
        event(7.0, FEEDBACK, "a.md", USEFUL),
        event(9.0, SHOWN, "a.md"),
    ]
    recalled, wrong = period_of(events, 2.0, 8.0)
    assert (dict(recalled), dict(wrong)) == ({}, {})
