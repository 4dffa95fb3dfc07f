"""Find the dates in a question, as spans of time: “in June 2021”, “yesterday”, “vor drei Wochen”,
“2024-03”.

The words are a table (vault/time_words.py). Days are those of UTC, as everywhere; a week begins on
Monday. A date without a year is the last such date before the question.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache
from math import exp
from typing import NamedTuple

from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.dates import day_of, seconds_of
from brain_cli.vault.time_words import TIME_WORDS, TimeWords, is_written_out, month_numbers

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
    one_to_four = {
        word: n
        for n, words in enumerate(_NUMBERS.split(", ")[:4], start=1)
        for word in words.split()
    }
    few = dict.fromkeys(_NUMBERS.split(", ")[4].split(), FEW)
    return {**one_to_four, **few, "couple of": 2}


class WithMonth:
    """A match of a named month, with an added group `month` for its number."""

    def __init__(self, match: Found, month: int) -> None:
        self._groups = {**match.groupdict(), "month": str(month)}

    def groupdict(self) -> dict[str, str | None]:
        return self._groups


def _parts(match: Found) -> dict[str, int]:
    return {
        name: int(value) for name, value in match.groupdict().items() if value and value.isdigit()
    }


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
        int(name.removeprefix(kind))
        for name, text in match.groupdict().items()
        if text and name.startswith(kind)
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


# Not inside a word, a path or a field such as `tag:2024`, and not after an operator.
_START = r"(?<![\w:/+*.#-])(?<!\w')"
_END = r"(?![\w/*]|[-.]\w|['’]s\b)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|o|\.)?"
_OF = r"(?:\s+(?:de|del|van))?"


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
    return tuple(
        (_compiled(pattern), read)
        for pattern, read in (*_absolute(language, words), *_relative(words))
    )


def _absolute(language: str, words: TimeWords) -> Iterator[tuple[str, Reader]]:
    numbers = month_numbers(language)

    def named(read: Reader) -> Reader:
        return lambda match, today: read(WithMonth(match, numbers[match["name"].lower()]), today)  # type: ignore[arg-type]

    name = rf"(?P<name>{'|'.join(sorted(numbers, key=len, reverse=True))})\.?"
    whole = rf"(?P<name>{'|'.join(sorted((each for each in numbers if is_written_out(each)), key=len, reverse=True))})"
    year_after = rf"(?:,?(?:\s+|(?<=,))(?:de |del |van )?{_YEAR}(?: г(?:ода|\.)?)?)?"
    on = r"(?:(?:on|am|the|den|le|el|il|op|de) )?"
    yield rf"{on}{_DAY}{_ORDINAL}{_OF} {name}{year_after}", named(calendar_day)
    # “2 of March 2024” and “the 2nd of March” are days; “version 2 of March” is not.
    yield rf"{on}{_DAY}(?:st|nd|rd|th) of {name}{year_after}", named(calendar_day)
    yield rf"{on}{_DAY} of {name},? {_YEAR}", named(calendar_day)
    yield rf"{on}{name} {_DAY}{_ORDINAL}{year_after}", named(calendar_day)
    yield (
        rf"(?:(?:{_alternatives(words.in_month)}) )?{name}(?: de| del| van)?,? {_YEAR}(?: года?)?",
        named(calendar_month),
    )
    yield rf"(?:{_alternatives(words.in_month)}) {whole}", named(calendar_month)
    yield rf"(?P<bare>{whole})", named(calendar_month)
    yield rf"(?P<bare>{_YEAR})", calendar_year
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
    weekdays = "|".join(
        f"(?P<weekday{index}>{weekday})" for index, weekday in enumerate(words.weekdays)
    )
    number = rf"(?P<number>\d{{1,3}}|{'|'.join(number_words())})"
    for phrases, read in simple:
        for phrase in phrases.split(", "):
            pattern = phrase.replace("{unit}", f"(?:{units})").replace(
                "{weekday}", f"(?:{weekdays})"
            )
            yield pattern.replace("{n}", number), read
    yield f"(?P<bare>{weekdays})", weekday


def _alternatives(phrases: str) -> str:
    return "|".join(phrases.split(", "))


# The fit of a note: inside a short span, inside a long one, and at most some days away from one.
# ELSEWHEN is the fit of a note that states another time, if notes of the time asked for match.
INSIDE = 1.0
INSIDE_LONG = 0.8
ELSEWHEN = -0.4
LONG_DAYS = 15
NEAR = ((3, 0.6), (14, 0.35))
_JOINED = re.compile(
    r"\s*(?:and|to|till|until|through|bis|und|et|au|y|al|e|a|ate|en|tot|по|и|до|-|–)\s*(?:le |el |il )?",
    re.I,
)
_FROM = re.compile(
    r"\b(?:between|from|zwischen|vo[nm]|entre|du|des?|desde|del|da|dal|tra|fra|tussen|van|между|с)"
    r"\s+(?:the |le |el |il )?$",
    re.I,
)
# What introduces a date stands in so many characters before it.
MAX_BEFORE = 60
_FIRST_WORD = re.compile(r"[^\W\d_]+\s+(?=\w)")


class Span(NamedTuple):
    """A span of time that a question names (`text`), in seconds: from `since` up to but excluding
    `before`.
    """

    since: float
    before: float
    text: str

    def has(self, seconds: float) -> bool:
        """Return whether a time is in the span."""
        return self.since <= seconds < self.before

    @property
    def is_short(self) -> bool:
        return self.before - self.since <= LONG_DAYS * SECONDS_PER_DAY

    def fit(self, seconds: float) -> float:
        """Return how well a time fits the span, 0..1."""
        if self.has(seconds):
            return INSIDE if self.is_short else INSIDE_LONG
        distance = self.since - seconds if seconds < self.since else seconds - self.before
        return next((fit for days, fit in NEAR if distance <= days * SECONDS_PER_DAY), 0.0)


class DatesFound(NamedTuple):
    """The spans that a text names, and the text without the words that name them."""

    spans: tuple[Span, ...]
    rest: str


def dates_in(text: str, languages: Iterable[str], now: float, *, alone: bool = False) -> DatesFound:
    """Find the dates in a folded text, in some languages of the table. Of overlapping dates the
    longest one counts.

    A month, weekday or year without a preposition is a date after “since”, in a range, and in a
    text that is a date `alone`.
    """
    known = tuple(languages)
    today = day_of(now)
    found = sorted(_matches(text, known, today), key=lambda each: (each[0].start(), -each[0].end()))
    starts = {match.start() for match, _ in found}
    since = re.compile(
        rf"(?<!\w)(?:{_alternatives(', '.join(TIME_WORDS[name].since for name in known) or '$^')})\s+$"
    )
    spans: list[Span] = []
    rest = ""
    end = 0
    opens = False
    for match, days in found:
        if match.start() < end or text.count('"', 0, match.start()) % 2:
            continue
        between = text[end : match.start()]
        joins = opens and bool(_JOINED.fullmatch(between))
        is_since, is_from = (_introduced(match, pattern) for pattern in (since, _FROM))
        following = _JOINED.match(text, match.end())
        begins = is_from is not None and following is not None and following.end() in starts
        if match.groupdict().get("bare") and not (alone or joins or begins or is_since):
            continue
        span = _span(days, match.group())
        if joins:
            spans[-1] = _joined(spans[-1], span, between)
        elif is_since and not begins:
            between = text[end : is_since.start()]
            tomorrow = seconds_of(today) + SECONDS_PER_DAY
            spans.append(
                Span(span.since, max(span.before, tomorrow), text[is_since.start() : match.end()])
            )
        else:
            spans.append(span)
        rest += between + " "
        end = match.end()
        opens = is_from is not None
    return DatesFound(tuple(spans), rest + text[end:])


def _introduced(match: Found, pattern: re.Pattern[str]) -> Found | None:
    """Return the match of a pattern that ends where a date begins, or after its first word: “from
    2021”.
    """
    text = match.string
    word = _FIRST_WORD.match(match.group())
    ends = (match.start(), match.start() + word.end()) if word else (match.start(),)
    return next(
        filter(None, (pattern.search(text, max(0, end - MAX_BEFORE), end) for end in ends)), None
    )


def _matches(text: str, languages: Iterable[str], today: date) -> Iterator[tuple[Found, Days]]:
    for pattern, read in (
        *numeric_dates(),
        *(rule for name in languages for rule in dates_in_words(name)),
    ):
        for match in pattern.finditer(text):
            try:
                yield match, read(match, today)
            except (ValueError, OverflowError):  # there is no such day
                continue


def _joined(first: Span, last: Span, between: str) -> Span:
    """Return “between A and B” as one span, in which A has the year of B unless it names its own."""
    day = day_of(first.since)
    while seconds_of(day) >= last.before and day.year > 1:
        day = date(day.year - 1, day.month, min(day.day, monthrange(day.year - 1, day.month)[1]))
    return Span(seconds_of(day), last.before, f"{first.text}{between}{last.text}")


def _span(days: Days, text: str) -> Span:
    return Span(
        seconds_of(days.first), seconds_of(days.last) + SECONDS_PER_DAY, " ".join(text.split())
    )


# A perfect fit adds this to the log odds of a relevance (docs/decisions/dates-of-notes.md).
DATE_LOG_ODDS = 2.5


def dated_relevance(relevance: float, fit: float) -> float:
    """Return a note's relevance (0..1), raised by the fit of its date (-1..1) or lowered; it stays
    within 0..1.
    """
    odds = exp(DATE_LOG_ODDS * fit)
    return odds * relevance / (1 + (odds - 1) * relevance)


def best_fit(spans: Sequence[Span], seconds: float) -> float:
    """Return how well a time fits the nearest of some spans, 0..1."""
    return max((span.fit(seconds) for span in spans), default=0.0)
