"""The questions that found nothing, and the answers that feedback is about."""

from __future__ import annotations

from collections import Counter, defaultdict
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
    open_verdicts = defaultdict[str, list[Event]](list)
    for event in without_undone(newest_first):
        if event.event == FEEDBACK and event.notes:
            open_verdicts[event.notes[0][0]].append(event)
        for path in judged_notes(event) if event.event == SHOWN else ():
            for verdict in open_verdicts.pop(path, ()):
                if verdict.at - event.at <= FEEDBACK_SECONDS:
                    yield event, path, verdict.value
