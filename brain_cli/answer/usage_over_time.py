"""Count recalls and feedback by week, and find the answers that feedback is about."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from brain_cli.history.log import FEEDBACK, SHOWN, USEFUL, WRONG, Event
from brain_cli.history.log_reader import without_undone
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.clock import on_calendar
from brain_cli.vault.dates import day_of

# Feedback within this time of an answer is about that answer.
FEEDBACK_SECONDS = SECONDS_PER_DAY
# Ten years: a wrong date in the history must not make a page of a million bars.
MAX_WEEKS = 522


class Week(NamedTuple):
    """One week of use; `start` is its Monday."""

    start: date
    recalls: int = 0
    useful: int = 0
    wrong: int = 0


def weeks_of_use(newest_first: Iterable[Event], zone: str) -> list[Week]:
    """Count recalls and feedback by week of the calendar of a zone, without undone feedback.

    The weeks are those from the first use to the last, at most ten years.
    """
    weeks: dict[date, Week] = {}
    for event in without_undone(newest_first):
        day = day_of(on_calendar(event.at, zone))
        start = day - timedelta(days=day.weekday())
        if event.event in (SHOWN, FEEDBACK):
            if (next(iter(weeks), start) - start).days >= 7 * MAX_WEEKS:
                break
            weeks[start] = _counted(weeks.get(start, Week(start)), event)
    if not weeks:
        return []
    number_of_weeks = (max(weeks) - min(weeks)).days // 7 + 1
    starts = (min(weeks) + timedelta(weeks=number) for number in range(number_of_weeks))
    return [weeks.get(start, Week(start)) for start in starts]


def failed_questions(newest_first: Iterable[Event]) -> list[tuple[str, int]]:
    """Return the recorded questions that found nothing, with how often they were asked, most often
    first.
    """
    asked = Counter(
        event.value
        for event in newest_first
        if event.event == SHOWN and event.value and not event.notes
    )
    return asked.most_common()


def feedback_on_answers(
    newest_first: Iterable[Event], judged_notes: Callable[[Event], Iterable[str]]
) -> Iterator[tuple[Event, str, str]]:
    """Yield (answer, path, verdict) for each verdict; the answer is the last one within a day that
    showed the note.

    `judged_notes` gives the paths by which an answer is judged. The newest answers and verdicts
    come first.
    """
    open_verdicts: dict[str, list[Event]] = {}
    latest: deque[Event] = deque()
    for event in without_undone(newest_first):
        while latest and latest[0].at - event.at > FEEDBACK_SECONDS:
            _drop(open_verdicts, latest.popleft())
        if event.event == FEEDBACK and event.notes:
            open_verdicts.setdefault(event.notes[0][0], []).append(event)
            latest.append(event)
        for path in judged_notes(event) if event.event == SHOWN else ():
            yield from ((event, path, each.value) for each in open_verdicts.pop(path, ()))


def _drop(open_verdicts: dict[str, list[Event]], verdict: Event) -> None:
    """Drop a verdict whose answer is too old, unless the answer was found."""
    path = verdict.notes[0][0]
    if open_verdicts.get(path, [None])[0] is verdict:
        del open_verdicts[path][0]
    if not open_verdicts.get(path):
        open_verdicts.pop(path, None)


def _counted(week: Week, event: Event) -> Week:
    if event.event == SHOWN:
        return week._replace(recalls=week.recalls + bool(event.notes))
    return week._replace(
        useful=week.useful + (event.value == USEFUL),
        wrong=week.wrong + (event.value == WRONG),
    )
