"""Convert matches of date patterns (search/query_date_patterns.py) to days of the calendar.

A date without a year is the last such date before the question; a week begins on Monday.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

Found = re.Match[str]
FEW = 4
_NUMBERS = (
    "one ein eine einem un une uno una um uma een одну один, two zwei deux dos due dois duas twee два две,"
    " three drei trois tres tre drie три, four vier quatre cuatro quattro quatro четыре,"
    " few paar quelques pocos poche несколько, couple of"
)


class Days(NamedTuple):
    """A span of whole days, from `first` to `last`."""

    first: date
    last: date


Reader = Callable[[Found, date], Days]


@cache
def number_words() -> dict[str, int]:
    """Return the numbers before a unit, by their folded names."""
    one_to_four = {word: n for n, words in enumerate(_NUMBERS.split(", ")[:4], start=1) for word in words.split()}
    few = dict.fromkeys(_NUMBERS.split(", ")[4].split(), FEW)
    return {**one_to_four, **few, "couple of": 2}


class WithMonth:
    """A match of a named month, with an added group `month` for its number."""

    def __init__(self, match: Found, month: int) -> None:
        self._groups = {**match.groupdict(), "month": str(month)}

    def groupdict(self) -> dict[str, str | None]:
        return self._groups


def _parts(match: Found) -> dict[str, int]:
    return {name: int(value) for name, value in match.groupdict().items() if value and value.isdigit()}


def calendar_day(match: Found, today: date) -> Days:
    """Return one day; without a year, the last such day before today."""
    parts = _parts(match)
    year = parts.get("year", today.year)
    day = date(year, parts["month"], parts["day"])
    if "year" not in parts and day > today:
        day = date(year - 1, parts["month"], parts["day"])
    return Days(day, day)


def calendar_month(match: Found, today: date) -> Days:
    """Return one month; without a year, the last such month."""
    parts = _parts(match)
    year = parts.get("year", today.year - (parts["month"] > today.month))
    return Days(date(year, parts["month"], 1), _last_of_month(year, parts["month"]))


def calendar_week(match: Found, _: date) -> Days:
    """Return the days of an ISO week."""
    parts = _parts(match)
    monday = date.fromisocalendar(parts["year"], parts["week"], 1)
    return Days(monday, monday + timedelta(days=6))


def quarter(match: Found, _: date) -> Days:
    """Return the days of a quarter."""
    parts = _parts(match)
    month = 3 * parts["quarter"]
    return Days(date(parts["year"], month - 2, 1), _last_of_month(parts["year"], month))


def calendar_year(match: Found, _: date) -> Days:
    """Return all days of a year."""
    year = _parts(match)["year"]
    return Days(date(year, 1, 1), date(year, 12, 31))


def _last_of_month(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def days_ago(days: int, today: date) -> Days:
    """Return the day `days` days before today."""
    day = today - timedelta(days=days)
    return Days(day, day)


def _index(match: Found, kind: str) -> int:
    """Return the index in the table of the unit or weekday that matched."""
    return next(
        int(name.removeprefix(kind)) for name, text in match.groupdict().items() if text and name.startswith(kind)
    )


def unit(match: Found, today: date, before: int) -> Days:
    """Return this day, week, month or year, or the one before."""
    unit = _index(match, "unit")
    if re.match("past", match.group().removeprefix("the "), re.IGNORECASE):
        return _back(1, unit, today)
    if unit == 0:
        return days_ago(before, today)
    if unit == 1:
        monday = today - timedelta(days=today.weekday() + 7 * before)
        return Days(monday, monday + timedelta(days=6))
    if unit == 2:
        year, month = divmod(12 * today.year + today.month - 1 - before, 12)
        return Days(date(year, month + 1, 1), _last_of_month(year, month + 1))
    return Days(date(today.year - before, 1, 1), date(today.year - before, 12, 31))


_UNIT_DAYS = (1, 7, 30, 365)


def _count(match: Found) -> int:
    number = (match.groupdict().get("number") or "1").lower()
    return int(number) if number.isdigit() else number_words()[number]


def last_units(match: Found, today: date) -> Days:
    """Return the last days, weeks, months or years up to today."""
    return _back(_count(match), _index(match, "unit"), today)


def _back(count: int, unit: int, today: date) -> Days:
    return Days(today - timedelta(days=count * _UNIT_DAYS[unit]), today)


def units_ago(match: Found, today: date) -> Days:
    """Return the day that long ago; for weeks and longer units, with some days around it."""
    unit = _index(match, "unit")
    day = today - timedelta(days=_count(match) * _UNIT_DAYS[unit])
    around = timedelta(days=(0, 3, 15, 182)[unit])
    return Days(day - around, day + around)


def weekday(match: Found, today: date) -> Days:
    """Return the last day of that name before today."""
    return days_ago((today.weekday() - _index(match, "weekday") - 1) % 7 + 1, today)
