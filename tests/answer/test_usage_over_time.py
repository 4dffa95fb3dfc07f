"""Recalls and feedback by week, and the answers that feedback is about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain_cli.answer.usage_over_time import (
    FEEDBACK_SECONDS,
    feedback_on_answers,
)
from brain_cli.history.log import (
    FEEDBACK,
    FEEDBACK_UNDONE,
    SHOWN,
    USEFUL,
    WRONG,
    Event,
    Mention,
    from_line,
    to_line,
)
from brain_cli.vault.dates import timestamp_of

MONDAY = timestamp_of("2026-11-16") or 0.0
HOUR = 3600.0
WEEK_SECONDS = 7 * 24 * HOUR


def shown(at: float, *paths: str, certainty: float | None = None) -> Event:
    return Event(at, SHOWN, [Mention(path, "") for path in paths], certainty=certainty)


def feedback(at: float, path: str, value: str, event: str = FEEDBACK) -> Event:
    return Event(at, event, [Mention(path, "")], value)


def test_feedback_long_after_the_answer_is_not_about_it() -> None:
    late = MONDAY + FEEDBACK_SECONDS + 1
    events = [shown(MONDAY, "a.md", certainty=1.0), feedback(late, "a.md", USEFUL)]
    assert not [
        *feedback_on_answers(
            events[::-1], lambda answer: [note[0] for note in answer.notes[:1]]
        )
    ]


PATHS = st.sampled_from(["a.md", "b.md"])
TIMES = st.integers(0, 60).map(lambda hours: MONDAY + hours * HOUR)
EVENTS = st.one_of(
    st.builds(
        lambda at, paths: shown(at, *paths, certainty=0.5),
        TIMES,
        st.lists(PATHS, min_size=1, max_size=2),
    ),
    st.builds(
        feedback,
        TIMES,
        PATHS,
        st.sampled_from([USEFUL, WRONG]),
        st.sampled_from([FEEDBACK, FEEDBACK_UNDONE]),
    ),
)


@given(
    st.lists(EVENTS, max_size=30).map(lambda events: sorted(events, key=lambda event: event.at))
)
def test_each_verdict_is_about_the_last_answer_that_showed_its_note(
    events: list[Event],
) -> None:
    kept: list[Event] = []
    for event in events:
        if event.event == FEEDBACK_UNDONE:
            given_before = [
                each
                for each in kept
                if each[1:] == feedback(0, event.notes[0][0], event.value)[1:]
            ]
            kept = [each for each in kept if not given_before or each is not given_before[-1]]
        else:
            kept.append(event)
    expected = []
    for place, verdict in enumerate(kept):
        path = verdict.notes[0][0]
        answers = [
            each for each in kept[:place] if each.event == SHOWN and each.notes[0][0] == path
        ]
        if (
            verdict.event == FEEDBACK
            and answers
            and verdict.at - answers[-1].at <= FEEDBACK_SECONDS
        ):
            expected.append((answers[-1], path, verdict.value))
    found = feedback_on_answers(
        reversed(events), lambda answer: [note[0] for note in answer.notes[:1]]
    )
    assert sorted(map(str, found)) == sorted(map(str, expected))


@given(certainty=st.floats(0, 1), at=st.floats(-1e9, 1e10))
def test_the_certainty_of_an_answer_is_read_as_written(certainty: float, at: float) -> None:
    read = from_line(to_line(shown(at, "a.md", certainty=certainty)).encode())
    assert read is not None
    assert read.certainty is not None
    assert abs(read.certainty - certainty) <= 0.0005


def test_a_certainty_that_is_not_a_share_makes_a_line_unsound() -> None:
    line = to_line(shown(MONDAY, "a.md", certainty=0.5))
    broken = [
        line.replace("0.5}", value).encode() for value in ("1.5}", '"high"}', "NaN}", "-1}")
    ]
    assert [*map(from_line, broken)] == [None] * 4
