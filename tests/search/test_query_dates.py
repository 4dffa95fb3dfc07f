"""Dates said in a question, as spans of days; the questions are asked on Sunday, 2026-11-22."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import any_text

from brain_cli.search import dates
from brain_cli.search.asked_time import recency_intent
from brain_cli.search.dates import Span, dated_relevance, dates_in
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.analyzer import fold
from brain_cli.vault.clock import Clock, iso
from brain_cli.vault.dates import timestamp_of
from brain_cli.vault.languages import TIME_WORDS

NOW = timestamp_of("2026-11-22T10:00:00Z") or 0.0


def spans(text: str) -> list[tuple[str, str]]:
    """The first and the last day of each span."""
    found = dates_in(fold(text), TIME_WORDS, Clock(NOW)).spans
    return [(iso(each.since)[:10], iso(each.before - 1)[:10]) for each in found]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what happened in June 2021", "2021-06-01", "2021-06-30"),
        ("on 6 October", "2026-10-06", "2026-10-06"),
        ("on 6 December", "2025-12-06", "2025-12-06"),
        ("October 6, 2022", "2022-10-06", "2022-10-06"),
        ("on 8th December, 2023", "2023-12-08", "2023-12-08"),
        ("December 1,2023", "2023-12-01", "2023-12-01"),
        ("in may", "2026-05-01", "2026-05-31"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("2024-03", "2024-03-01", "2024-03-31"),
        ("2024-03-05", "2024-03-05", "2024-03-05"),
        ("2024-W12", "2024-03-18", "2024-03-24"),
        ("Q2 2024", "2024-04-01", "2024-06-30"),
        ("03.05.2024", "2024-05-03", "2024-05-03"),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-15"),
        ("between march and may 2023", "2023-03-01", "2023-05-31"),
        ("between december and may 2023", "2022-12-01", "2023-05-31"),
        ("what happened from march to may", "2026-03-01", "2026-05-31"),
        ("from 2021 to 2023", "2021-01-01", "2023-12-31"),
        ("the 2nd of march", "2026-03-02", "2026-03-02"),
        ("2 of March 2024", "2024-03-02", "2024-03-02"),
        ("since monday", "2026-11-16", "2026-11-22"),
        ("since last week", "2026-11-09", "2026-11-22"),
        ("kafka since march", "2026-03-01", "2026-11-22"),
        ("seit Montag", "2026-11-16", "2026-11-22"),
        ("dal 2024", "2024-01-01", "2026-11-22"),
        ("с понедельника", "2026-11-16", "2026-11-22"),
        ("today", "2026-11-22", "2026-11-22"),
        ("yesterday", "2026-11-21", "2026-11-21"),
        ("the day before yesterday", "2026-11-20", "2026-11-20"),
        ("this week", "2026-11-16", "2026-11-22"),
        ("last week", "2026-11-09", "2026-11-15"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("this month", "2026-11-01", "2026-11-30"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("last 3 days", "2026-11-19", "2026-11-22"),
        ("the last few days", "2026-11-18", "2026-11-22"),
        ("two weeks ago", "2026-11-05", "2026-11-11"),
        ("a week ago", "2026-11-12", "2026-11-18"),
        ("a couple of weeks ago", "2026-11-05", "2026-11-11"),
        ("last Friday", "2026-11-20", "2026-11-20"),
        ("im Juni 2021", "2021-06-01", "2021-06-30"),
        ("am 6. Oktober", "2026-10-06", "2026-10-06"),
        ("vor drei Wochen", "2026-10-29", "2026-11-04"),
        ("letzte Woche", "2026-11-09", "2026-11-15"),
        ("le 6 octobre", "2026-10-06", "2026-10-06"),
        ("la semaine dernière", "2026-11-09", "2026-11-15"),
        ("les 3 derniers jours", "2026-11-19", "2026-11-22"),
        ("en junio de 2021", "2021-06-01", "2021-06-30"),
        ("la semana pasada", "2026-11-09", "2026-11-15"),
        ("a giugno 2021", "2021-06-01", "2021-06-30"),
        ("la settimana scorsa", "2026-11-09", "2026-11-15"),
        ("che cosa è successo quest'anno", "2026-01-01", "2026-12-31"),
        ("em junho de 2021", "2021-06-01", "2021-06-30"),
        ("na semana passada", "2026-11-09", "2026-11-15"),
        ("op 6 oktober", "2026-10-06", "2026-10-06"),
        ("vorige week", "2026-11-09", "2026-11-15"),
        ("в июне 2021", "2021-06-01", "2021-06-30"),
        ("на прошлой неделе", "2026-11-09", "2026-11-15"),
        ("6 октября 2023 года", "2023-10-06", "2023-10-06"),
    ],
)
def test_a_date_is_a_span_of_days(text: str, first: str, last: str) -> None:
    assert spans(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "tag:2024-03",
        "v2.0.2021",
        "x-2024-03-01",
        "march on",
        "version 2 of march app",
        '"in June 2021"',
        "-2024-03",
    ],
)
def test_words_that_only_look_like_a_date_stay_in_the_text(text: str) -> None:
    found = dates_in(text, TIME_WORDS, Clock(NOW))
    assert (found.spans, found.rest) == ((), text)


def test_the_dates_of_a_list_are_no_span() -> None:
    days = [("2026-05-03", "2026-05-03"), ("2026-05-05", "2026-05-05")]
    assert spans("- 3 May 2026\n- 5 May 2026") == days
    assert spans("3 May 2026 – 5 May 2026") == [("2026-05-03", "2026-05-05")]


def test_the_words_of_a_date_are_taken_out_of_the_text() -> None:
    rest = dates_in("what broke in June 2021 on the roof", TIME_WORDS, Clock(NOW)).rest
    assert rest.split() == ["what", "broke", "on", "the", "roof"]


def test_the_fit_falls_with_the_distance_from_the_span() -> None:
    day = Span(0.0, SECONDS_PER_DAY, "that day")
    assert [day.fit(days * SECONDS_PER_DAY) for days in (0.5, -2, 3, 10, 30)] == [
        1.0,
        0.6,
        0.6,
        0.35,
        0.0,
    ]
    month = Span(0.0, 30 * SECONDS_PER_DAY, "that month")
    assert month.fit(5 * SECONDS_PER_DAY) == 0.8


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1))
def test_a_fit_raises_the_relevance_another_time_lowers_it_and_both_keep_the_order(
    low: float, high: float, fit: float
) -> None:
    low, high = sorted((low, high))
    raised = dated_relevance(low, fit)
    assert 0 <= raised <= 1.0 + 1e-12
    assert (raised >= low - 1e-12) if fit >= 0 else (raised <= low + 1e-12)
    assert dated_relevance(low, fit) <= dated_relevance(high, fit) + 1e-12


@given(any_text(60))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(dates_in(text, TIME_WORDS, Clock(NOW)).rest, str)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("deciso quest’anno", "deciso"),
        ("fait aujourd’hui", "fait"),
        ("l’anno scorso", ""),
        ("kafka l’altro ieri", "kafka"),
    ],
)
def test_a_typographic_apostrophe_is_an_apostrophe(text: str, topic: str) -> None:
    asked = recency_intent(text, clock=Clock(NOW))
    assert len(asked.spans) == 1
    assert asked.topic.strip() == topic


@pytest.mark.parametrize(
    "text",
    [
        *("2024", "in 2024", "3 days ago", "l'anno scorso", "quest'anno", "il 3 maggio"),
        *("3 de mayo de 2021", "12. marz 2020", "vor drei wochen", "avant-hier", "aujourd'hui"),
        *("l'altro ieri", "за последнюю неделю", "в прошлую среду", "9 августа 2021 г."),
        *("na segunda-feira passada", "ultimi 3 giorni", "the coming month", "op maandag"),
        *("le mois prochain", "hace dos semanas", "am sonnabend", "de komende week", "mar 5"),
    ],
)
def test_a_pattern_that_matches_is_never_left_uncompiled(text: str) -> None:
    words = text.replace("'", " ").replace("-", " ").split()
    matching = [
        rule
        for language in TIME_WORDS
        for rule in dates.dates_in_words(language)
        if dates.compiled(rule.pattern).search(text)
    ]
    assert matching
    has_digit = any(map(str.isdecimal, text))
    assert all(rule.may_match(words, has_digit=has_digit) for rule in matching)
