"""The questions that found nothing, and the answers that feedback is about."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator

from brain_cli.history.log import FEEDBACK, SHOWN, Event
from brain_cli.history.log_reader import without_undone
from brain_cli.types import SECONDS_PER_DAY

# Feedback within this time of an answer is about that answer.
FEEDBACK_SECONDS = SECONDS_PER_DAY


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
