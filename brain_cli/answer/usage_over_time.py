"""Count recalls and feedback by week, and compare the certainty of answers with the feedback on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from brain_cli.memory.events import FEEDBACK, FEEDBACK_UNDONE, SHOWN, USEFUL, WRONG, Event
from brain_cli.types import SECONDS_PER_DAY

WEEK_SECONDS = 7 * SECONDS_PER_DAY
# 1970-01-05 was a Monday.
FIRST_MONDAY = 4 * SECONDS_PER_DAY
# Feedback within this time is about the answer that showed the note.
ABOUT_THE_ANSWER_SECONDS = SECONDS_PER_DAY
CERTAINTY_BINS = 5


class Week(NamedTuple):
    """One week of use; `start` is its Monday, midnight in UTC (seconds since the epoch)."""

    start: float
    recalls: int = 0
    useful: int = 0
    wrong: int = 0


class CertaintyBin(NamedTuple):
    """Answers of one range of certainty, `low` to `high` (0..1), with the feedback on their first note."""

    low: float
    high: float
    useful: int = 0
    wrong: int = 0

    @property
    def right_share(self) -> float | None:
        """The share (0..1) of the feedback that says useful; None without feedback."""
        return self.useful / (self.useful + self.wrong) if self.useful + self.wrong else None


def weeks_of_use(events: Iterable[Event]) -> list[Week]:
    """Count recalls and feedback by week, from the first to the last week with any; feedback taken back is left out."""
    kept = [event for event in without_undone(events) if event.event in (SHOWN, FEEDBACK)]
    starts = [_monday(event.at) for event in kept]
    if not starts:
        return []
    last = max(starts)
    weeks = {start: Week(start) for start in _mondays(min(starts), last)}
    for start, event in zip(starts, kept, strict=True):
        weeks[start] = _counted(weeks[start], event)
    return list(weeks.values())


def certainty_against_feedback(events: Iterable[Event]) -> list[CertaintyBin]:
    """Compare the certainty of answers with the feedback on their first note, within a day."""
    last_first: dict[str, Event] = {}
    bins = [CertaintyBin(number / CERTAINTY_BINS, (number + 1) / CERTAINTY_BINS) for number in range(CERTAINTY_BINS)]
    for event in without_undone(events):
        if not event.notes:
            continue
        path = event.notes[0][0]
        if event.event == SHOWN and event.certainty is not None:
            last_first[path] = event
        elif event.event == FEEDBACK and path in last_first:
            shown = last_first[path]
            if event.at - shown.at <= ABOUT_THE_ANSWER_SECONDS and shown.certainty is not None:
                number = min(CERTAINTY_BINS - 1, int(shown.certainty * CERTAINTY_BINS))
                bins[number] = _judged(bins[number], event.value)
    return bins


def without_undone(events: Iterable[Event]) -> list[Event]:
    """Return the events in order of time, without feedback that was taken back."""
    kept: list[Event] = []
    for event in sorted(events, key=lambda each: each.at):
        if event.event == FEEDBACK_UNDONE:
            _remove_last_feedback(kept, event)
        else:
            kept.append(event)
    return kept


def _remove_last_feedback(kept: list[Event], undone: Event) -> None:
    paths = _paths(undone.notes)
    for place in range(len(kept) - 1, -1, -1):
        each = kept[place]
        if each.event == FEEDBACK and each.value == undone.value and _paths(each.notes) == paths:
            del kept[place]
            return


def _paths(notes: Sequence[Sequence[object]]) -> list[object]:
    return [note[0] for note in notes]


def _counted(week: Week, event: Event) -> Week:
    if event.event == SHOWN:
        return week._replace(recalls=week.recalls + 1)
    return week._replace(
        useful=week.useful + (event.value == USEFUL),
        wrong=week.wrong + (event.value == WRONG),
    )


def _judged(each: CertaintyBin, value: str) -> CertaintyBin:
    return each._replace(useful=each.useful + (value == USEFUL), wrong=each.wrong + (value == WRONG))


def _monday(seconds: float) -> float:
    return (seconds - FIRST_MONDAY) // WEEK_SECONDS * WEEK_SECONDS + FIRST_MONDAY


def _mondays(first: float, last: float) -> Iterable[float]:
    return (first + number * WEEK_SECONDS for number in range(int((last - first) / WEEK_SECONDS) + 1))
