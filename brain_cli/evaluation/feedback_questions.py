"""Make judged questions of the history's feedback: a note was rated useful or wrong for the query that showed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from brain_cli.answer.usage_over_time import ABOUT_THE_ANSWER_SECONDS
from brain_cli.evaluation.judged import Judged, Question
from brain_cli.memory.events import FEEDBACK, SHOWN, USEFUL, Event


def judged_by_feedback(events: Iterable[Event]) -> Judged:
    """Return the recorded queries whose notes got feedback; a query needs a useful note to make a question."""
    last_shown: dict[str, Event] = {}
    questions: dict[str, Question] = {}
    grades: dict[str, dict[str, int]] = {}
    for event in sorted(events, key=lambda each: each.at):
        for path, *_ in event.notes:
            if event.event == SHOWN and event.value:
                last_shown[path] = event
            elif event.event == FEEDBACK and path in last_shown:
                answer = last_shown[path]
                if event.at - answer.at <= ABOUT_THE_ANSWER_SECONDS:
                    questions.setdefault(answer.value, Question(answer.value, answer.value, answer.at))
                    grades.setdefault(answer.value, {})[path] = int(event.value == USEFUL)
    return Judged(tuple(each for qid, each in questions.items() if _has_right_note(grades[qid])), grades)


def _has_right_note(grades: Mapping[str, int]) -> bool:
    return any(grade > 0 for grade in grades.values())
