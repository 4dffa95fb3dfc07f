"""Convert the history's feedback to judged questions: a note was rated useful or wrong for the query that showed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from brain_cli.answer.usage_over_time import feedback_on_answers
from brain_cli.history.log import USEFUL, Event
from brain_cli.plugins.evaluation.judged import Judged, JudgedQuestion


def judged_by_feedback(newest_first: Iterable[Event]) -> Judged:
    """Return the recorded queries whose notes got feedback, leaving out queries without a useful note."""
    questions: dict[str, JudgedQuestion] = {}
    grades: dict[str, dict[str, int]] = {}
    for answer, path, verdict in feedback_on_answers(newest_first, _notes_of_known_query):
        # Events are newest first: this keeps the first time of a query, and the last verdict on a note.
        questions[answer.value] = JudgedQuestion(answer.value, answer.value, answer.at)
        grades.setdefault(answer.value, {}).setdefault(path, int(verdict == USEFUL))
    in_order = sorted(questions.values(), key=lambda question: question.now or 0.0)
    return Judged(tuple(each for each in in_order if _has_right_note(grades[each.qid])), grades)


def _notes_of_known_query(answer: Event) -> list[str]:
    return [note[0] for note in answer.notes] if answer.value else []


def _has_right_note(grades: Mapping[str, int]) -> bool:
    return any(grade > 0 for grade in grades.values())
