"""The patterns of dates in a question, in digits and in the words of each language, with functions for their matches.

The words are a table (search/time_words.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from brain_cli.search.calendar_days import (
    Days,
    Reader,
    WithMonth,
    calendar_day,
    calendar_month,
    calendar_week,
    calendar_year,
    days_ago,
    last_units,
    number_words,
    quarter,
    unit,
    units_ago,
    weekday,
)
from brain_cli.search.time_words import TIME_WORDS, TimeWords
from brain_cli.vault.month_names import is_written_out, month_numbers

# Not inside a word, a path or a field such as `tag:2024`, and not after an operator.
_START = r"(?<![\w:/+*.#-])(?<!\w')"
_END = r"(?![\w/*]|[-.]\w|['’]s\b)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|o|\.)?"
_OF = r"(?:\s+(?:of|de|del|van))?"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(f"{_START}(?:{pattern}){_END}".replace(" ", r"\s+"), re.IGNORECASE)


@cache
def numeric_dates() -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """Return the patterns of dates in digits, which are the same in every language."""
    month = r"(?P<month>0[1-9]|1[0-2])"
    return (
        (_compiled(rf"{_YEAR}[-/]{month}[-/](?P<day>0[1-9]|[12]\d|3[01])"), calendar_day),
        (_compiled(rf"{_DAY}\.(?P<month>0?[1-9]|1[0-2])\.{_YEAR}"), calendar_day),
        (_compiled(rf"{_YEAR}-{month}"), calendar_month),
        (_compiled(rf"{_YEAR}-?W(?P<week>0[1-9]|[1-4]\d|5[0-3])"), calendar_week),
        (_compiled(rf"{_YEAR}[- ]?Q(?P<quarter>[1-4])"), quarter),
        (_compiled(rf"Q(?P<quarter>[1-4]) {_YEAR}"), quarter),
    )


@cache
def dates_in_words(language: str) -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """Return the patterns of one language, each with the function for its matches."""
    words = TIME_WORDS[language]
    return tuple((_compiled(pattern), read) for pattern, read in (*_absolute(language, words), *_relative(words)))


def _absolute(language: str, words: TimeWords) -> Iterator[tuple[str, Reader]]:
    numbers = month_numbers(list(TIME_WORDS).index(language))

    def named(read: Reader) -> Reader:
        return lambda match, today: read(WithMonth(match, numbers[match["name"].lower()]), today)  # type: ignore[arg-type]

    name = rf"(?P<name>{'|'.join(sorted(numbers, key=len, reverse=True))})\.?"
    whole = rf"(?P<name>{'|'.join(sorted((each for each in numbers if is_written_out(each)), key=len, reverse=True))})"
    year_after = rf"(?:,?(?:\s+|(?<=,))(?:de |del |van )?{_YEAR}(?: г(?:ода|\.)?)?)?"
    on = r"(?:(?:on|am|the|den|le|el|il|op|de) )?"
    yield rf"{on}{_DAY}{_ORDINAL}{_OF} {name}{year_after}", named(calendar_day)
    yield rf"{on}{name} {_DAY}{_ORDINAL}{year_after}", named(calendar_day)
    yield (
        rf"(?:(?:{_alternatives(words.in_month)}) )?{name}(?: de| del| van)?,? {_YEAR}(?: года?)?",
        named(calendar_month),
    )
    yield rf"(?:{_alternatives(words.in_month)}) {whole}", named(calendar_month)
    yield rf"(?:{_alternatives(words.in_year)}) {_YEAR}(?: году?)?", calendar_year


def _relative(words: TimeWords) -> Iterator[tuple[str, Reader]]:
    simple: tuple[tuple[str, Reader], ...] = (
        (words.today, lambda _, today: Days(today, today)),
        (words.yesterday, lambda _, today: days_ago(1, today)),
        (words.before_yesterday, lambda _, today: days_ago(2, today)),
        (words.this_unit, lambda match, today: unit(match, today, 0)),
        (words.last_unit, lambda match, today: unit(match, today, 1)),
        (words.last_n_units, last_units),
        (words.n_units_ago, units_ago),
        (words.last_weekday, weekday),
    )
    units = "|".join(f"(?P<unit{index}>{unit})" for index, unit in enumerate(words.units))
    weekdays = "|".join(f"(?P<weekday{index}>{weekday})" for index, weekday in enumerate(words.weekdays))
    number = rf"(?P<number>\d{{1,3}}|{'|'.join(number_words())})"
    for phrases, read in simple:
        for phrase in phrases.split(", "):
            pattern = phrase.replace("{unit}", f"(?:{units})").replace("{weekday}", f"(?:{weekdays})")
            yield pattern.replace("{n}", number), read


def _alternatives(phrases: str) -> str:
    return "|".join(phrases.split(", "))
