"""Dates said in a question → spans of time: “in June 2021”, “yesterday”, “vor drei Wochen”, “2024-03”.

The words are a table (search/time_words.py). A date without a year is the last such date before the question; a week
begins on Monday; days are those of UTC, as everywhere.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache
from math import exp
from typing import NamedTuple

from brain_cli.search.time_words import TIME_WORDS, TimeWords
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.dates import day_of, seconds_of
from brain_cli.vault.month_names import is_written_out, month_numbers

Found = re.Match[str]
# How well a note fits a span: inside a short one, inside a long one, and so many days beside it.
INSIDE, INSIDE_LONG = 1.0, 0.8
LONG_DAYS = 15
BESIDE = ((3, 0.6), (14, 0.35))
A_FEW_DAYS = 4
_NUMBERS = (
    "one ein eine einem un une uno una um uma een одну один, two zwei deux dos due dois duas twee два две,"
    " three drei trois tres tre drie три, four vier quatre cuatro quattro quatro четыре,"
    " few paar quelques pocos poche несколько, couple of"
)
# Not inside a word, a path, a field such as `tag:2024`, or behind an operator.
_START = r"(?<![\w:/+*.#-])(?<!\w')"
_END = r"(?![\w/*]|[-.]\w|['’]s\b)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|o|\.)?"
_OF = r"(?:\s+(?:of|de|del|van))?"
_JOINED = re.compile(
    r"\s*(?:and|to|till|until|through|bis|und|et|au|y|al|e|a|ate|en|tot|по|и|до|-|–)\s*(?:le |el |il )?", re.I
)
_FROM = re.compile(
    r"\b(?:between|from|zwischen|vo[nm]|entre|du|de|del|tra|fra|dal|tussen|van|между|с)\s+(?:the |le |el |il )?$", re.I
)


class Span(NamedTuple):
    """A span of time that a question names, in seconds: from `since` up to, but not including, `before`."""

    since: float
    before: float
    said: str

    def has(self, seconds: float) -> bool:
        """Return whether a moment lies in the span."""
        return self.since <= seconds < self.before

    def fit(self, seconds: float) -> float:
        """Return how well a moment fits the span, 0..1."""
        if self.has(seconds):
            return INSIDE_LONG if self.before - self.since > LONG_DAYS * SECONDS_PER_DAY else INSIDE
        distance = self.since - seconds if seconds < self.since else seconds - self.before
        return next((fit for days, fit in BESIDE if distance <= days * SECONDS_PER_DAY), 0.0)


class SaidDates(NamedTuple):
    """The spans that a text names, and the text without the words that name them."""

    spans: tuple[Span, ...]
    rest: str


class _Day(NamedTuple):
    """A span of whole days, from `first` to `last`."""

    first: date
    last: date


Reader = Callable[[Found, date], _Day]


def dates_in(text: str, languages: Iterable[str], now: float) -> SaidDates:
    """Find the dates in a folded text, read in some languages of the table; the longest reading of a place counts."""
    found = sorted(_matches(text, languages, day_of(now)), key=lambda each: (each[0].start(), -each[0].end()))
    spans: list[Span] = []
    rest, end = "", 0
    for match, days in found:
        if match.start() < end or text.count('"', 0, match.start()) % 2:
            continue
        between = text[end : match.start()]
        spans = _joined(spans, _span(days, match.group()), between, rest)
        rest += between + " "
        end = match.end()
    return SaidDates(tuple(spans), rest + text[end:])


def _matches(text: str, languages: Iterable[str], today: date) -> Iterator[tuple[Found, _Day]]:
    for pattern, read in (*_numeric(), *(rule for name in languages for rule in _rules(name))):
        for match in pattern.finditer(text):
            try:
                yield match, read(match, today)
            except (ValueError, OverflowError):  # no calendar has this day
                continue


def _joined(spans: list[Span], span: Span, between: str, before: str) -> list[Span]:
    """Add a span; “between A and B” is one, and A has the year of B where it names none itself."""
    if not (spans and _JOINED.fullmatch(between) and _FROM.search(before.removesuffix(" "))):
        return [*spans, span]
    first = day_of(spans[-1].since)
    while seconds_of(first) >= span.before and first.year > 1:
        first = date(first.year - 1, first.month, min(first.day, monthrange(first.year - 1, first.month)[1]))
    return [*spans[:-1], Span(seconds_of(first), span.before, f"{spans[-1].said}{between}{span.said}")]


def _span(days: _Day, said: str) -> Span:
    return Span(seconds_of(days.first), seconds_of(days.last) + SECONDS_PER_DAY, " ".join(said.split()))


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(f"{_START}(?:{pattern}){_END}".replace(" ", r"\s+"), re.IGNORECASE)


@cache
def _numeric() -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """Return the dates of digits, which no language writes otherwise."""
    month = r"(?P<month>0[1-9]|1[0-2])"
    return (
        (_compiled(rf"{_YEAR}[-/]{month}[-/](?P<day>0[1-9]|[12]\d|3[01])"), _calendar_day),
        (_compiled(rf"{_DAY}\.(?P<month>0?[1-9]|1[0-2])\.{_YEAR}"), _calendar_day),
        (_compiled(rf"{_YEAR}-{month}"), _calendar_month),
        (_compiled(rf"{_YEAR}-?W(?P<week>0[1-9]|[1-4]\d|5[0-3])"), _calendar_week),
        (_compiled(rf"{_YEAR}[- ]?Q(?P<quarter>[1-4])"), _quarter),
        (_compiled(rf"Q(?P<quarter>[1-4]) {_YEAR}"), _quarter),
    )


@cache
def _rules(language: str) -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """Return the patterns of one language, each with what reads its matches."""
    words = TIME_WORDS[language]
    return tuple((_compiled(pattern), read) for pattern, read in (*_absolute(language, words), *_relative(words)))


def _absolute(language: str, words: TimeWords) -> Iterator[tuple[str, Reader]]:
    numbers = month_numbers(list(TIME_WORDS).index(language))

    def named(read: Reader) -> Reader:
        return lambda match, today: read(_WithMonth(match, numbers[match["name"].lower()]), today)  # type: ignore[arg-type]

    name = rf"(?P<name>{'|'.join(sorted(numbers, key=len, reverse=True))})\.?"
    whole = rf"(?P<name>{'|'.join(sorted((each for each in numbers if is_written_out(each)), key=len, reverse=True))})"
    year_after = rf"(?:,?(?:\s+|(?<=,))(?:de |del |van )?{_YEAR}(?: г(?:ода|\.)?)?)?"
    on = r"(?:(?:on|am|the|den|le|el|il|op|de) )?"
    yield rf"{on}{_DAY}{_ORDINAL}{_OF} {name}{year_after}", named(_calendar_day)
    yield rf"{on}{name} {_DAY}{_ORDINAL}{year_after}", named(_calendar_day)
    yield (
        rf"(?:(?:{_alternatives(words.in_month)}) )?{name}(?: de| del| van)?,? {_YEAR}(?: года?)?",
        named(_calendar_month),
    )
    yield rf"(?:{_alternatives(words.in_month)}) {whole}", named(_calendar_month)
    yield rf"(?:{_alternatives(words.in_year)}) {_YEAR}(?: году?)?", _calendar_year


def _relative(words: TimeWords) -> Iterator[tuple[str, Reader]]:
    simple: tuple[tuple[str, Reader], ...] = (
        (words.today, lambda _, today: _Day(today, today)),
        (words.yesterday, lambda _, today: _days_ago(1, today)),
        (words.before_yesterday, lambda _, today: _days_ago(2, today)),
        (words.this_unit, lambda match, today: _unit(match, today, 0)),
        (words.last_unit, lambda match, today: _unit(match, today, 1)),
        (words.last_n_units, _last_units),
        (words.n_units_ago, _units_ago),
        (words.last_weekday, _weekday),
    )
    units = "|".join(f"(?P<unit{place}>{unit})" for place, unit in enumerate(words.units))
    weekdays = "|".join(f"(?P<weekday{place}>{weekday})" for place, weekday in enumerate(words.weekdays))
    number = rf"(?P<number>\d{{1,3}}|{'|'.join(_numbers())})"
    for phrases, read in simple:
        for phrase in phrases.split(", "):
            pattern = phrase.replace("{unit}", f"(?:{units})").replace("{weekday}", f"(?:{weekdays})")
            yield pattern.replace("{n}", number), read


def _alternatives(phrases: str) -> str:
    return "|".join(phrases.split(", "))


@cache
def _numbers() -> dict[str, int]:
    one_to_four = {word: n for n, words in enumerate(_NUMBERS.split(", ")[:4], start=1) for word in words.split()}
    few = dict.fromkeys(_NUMBERS.split(", ")[4].split(), A_FEW_DAYS)
    return {**one_to_four, **few, "couple of": 2}


class _WithMonth:
    """A match whose month was a name."""

    def __init__(self, match: Found, month: int) -> None:
        self._groups = {**match.groupdict(), "month": str(month)}

    def groupdict(self) -> dict[str, str | None]:
        return self._groups


def _parts(match: Found) -> dict[str, int]:
    return {name: int(value) for name, value in match.groupdict().items() if value and value.isdigit()}


def _calendar_day(match: Found, today: date) -> _Day:
    parts = _parts(match)
    year = parts.get("year", today.year)
    day = date(year, parts["month"], parts["day"])
    if "year" not in parts and day > today:
        day = date(year - 1, parts["month"], parts["day"])
    return _Day(day, day)


def _calendar_month(match: Found, today: date) -> _Day:
    parts = _parts(match)
    year = parts.get("year", today.year - (parts["month"] > today.month))
    return _Day(date(year, parts["month"], 1), _last_of_month(year, parts["month"]))


def _calendar_week(match: Found, _: date) -> _Day:
    parts = _parts(match)
    monday = date.fromisocalendar(parts["year"], parts["week"], 1)
    return _Day(monday, monday + timedelta(days=6))


def _quarter(match: Found, _: date) -> _Day:
    parts = _parts(match)
    month = 3 * parts["quarter"]
    return _Day(date(parts["year"], month - 2, 1), _last_of_month(parts["year"], month))


def _calendar_year(match: Found, _: date) -> _Day:
    year = _parts(match)["year"]
    return _Day(date(year, 1, 1), date(year, 12, 31))


def _last_of_month(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _days_ago(days: int, today: date) -> _Day:
    day = today - timedelta(days=days)
    return _Day(day, day)


def _place(match: Found, kind: str) -> int:
    """Return which unit or weekday matched, by its place in the table."""
    return next(
        int(name.removeprefix(kind)) for name, text in match.groupdict().items() if text and name.startswith(kind)
    )


def _unit(match: Found, today: date, before: int) -> _Day:
    """Return this day, week, month or year, or the one before."""
    unit = _place(match, "unit")
    if re.match("past", match.group().removeprefix("the "), re.IGNORECASE):
        return _back(1, unit, today)
    if unit == 0:
        return _days_ago(before, today)
    if unit == 1:
        monday = today - timedelta(days=today.weekday() + 7 * before)
        return _Day(monday, monday + timedelta(days=6))
    if unit == 2:
        year, month = divmod(12 * today.year + today.month - 1 - before, 12)
        return _Day(date(year, month + 1, 1), _last_of_month(year, month + 1))
    return _Day(date(today.year - before, 1, 1), date(today.year - before, 12, 31))


_UNIT_DAYS = (1, 7, 30, 365)


def _count(match: Found) -> int:
    number = (match.groupdict().get("number") or "1").lower()
    return int(number) if number.isdigit() else _numbers()[number]


def _last_units(match: Found, today: date) -> _Day:
    return _back(_count(match), _place(match, "unit"), today)


def _back(count: int, unit: int, today: date) -> _Day:
    return _Day(today - timedelta(days=count * _UNIT_DAYS[unit]), today)


def _units_ago(match: Found, today: date) -> _Day:
    """Return the day so long ago; for weeks and longer, a few days around it count too."""
    unit = _place(match, "unit")
    day = today - timedelta(days=_count(match) * _UNIT_DAYS[unit])
    around = timedelta(days=(0, 3, 15, 182)[unit])
    return _Day(day - around, day + around)


def _weekday(match: Found, today: date) -> _Day:
    """Return the last such day before today."""
    return _days_ago((today.weekday() - _place(match, "weekday") - 1) % 7 + 1, today)


# What a perfect fit adds to the logarithm of a relevance's odds. Dated questions over the LoCoMo conversations have
# nDCG@10 .74 without, .89 with 1, .92 with 2 and .94 with 3, which lifts notes of the time that hardly match.
DATE_LOG_ODDS = 2.0


def dated_relevance(relevance: float, fit: float) -> float:
    """Return a note's relevance (0..1) with what the fit of its date (0..1) says for it, still 0..1."""
    odds = exp(DATE_LOG_ODDS * fit)
    return odds * relevance / (1 + (odds - 1) * relevance)


def best_fit(spans: Sequence[Span], seconds: float) -> float:
    """Return how well a moment fits the span that it fits best, 0..1."""
    return max((span.fit(seconds) for span in spans), default=0.0)
