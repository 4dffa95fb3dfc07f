"""Find the dates in a question, as spans of time: “in June 2021”, “yesterday”, “vor drei Wochen”,
“2024-03”.

The words are a table (vault/languages.py). Days are those of the asker's calendar; a week begins
on Monday. A date without a year is the last such date before the question, or the next one in a
question for what is due.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from functools import cache
from itertools import chain
from math import exp
from typing import NamedTuple

from brain_cli.errors import UsageError
from brain_cli.record import Record
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.analyzer import fold
from brain_cli.vault.clock import Clock, day_of, on_calendar
from brain_cli.vault.dates import ANY_MONTH, EITHER_ORDER, seconds_of, written_time
from brain_cli.vault.languages import TIME_WORDS, TimeWords, is_written_out, month_numbers

# The named groups of a match, without those that did not take part; `month` is a number.
Groups = Mapping[str, str]


class Days(NamedTuple):
    """A span of whole days, from `first` to `last`."""

    first: date
    last: date


Reader = Callable[[Groups, date], Days]
Match = tuple[re.Match[str], Groups, Reader]


@cache
def number_words() -> dict[str, int]:
    """Return the numbers before a unit, by their folded names."""
    return {
        name: number
        for words in TIME_WORDS.values()
        for number, names in enumerate(words.numbers, start=1)
        for name in names.split("|")
    }


def calendar_day(groups: Groups, today: date) -> Days:
    """Return one day, or the days from `from` or up to `to` in its month; without a year, the last
    such day before today.
    """
    year = int(groups.get("year", today.year))
    # “20.11.26” has a year of two digits.
    day = date(year + 2000 * (year < 100), int(groups["month"]), int(groups["day"]))
    if "year" not in groups and day > today:
        day = day.replace(year=day.year - 1)
    first = day.replace(day=min(day.day, int(groups.get("from", day.day))))
    return Days(first, day.replace(day=max(day.day, int(groups.get("to", day.day)))))


def calendar_month(groups: Groups, today: date) -> Days:
    """Return one month; without a year, the last such month."""
    month = int(groups["month"])
    year = int(groups.get("year", today.year - (month > today.month)))
    return Days(date(year, month, 1), _last_of_month(year, month))


def calendar_week(groups: Groups, today: date) -> Days:
    """Return the days of an ISO week; without a year, the last such week."""
    week = int(groups["week"])
    year = today.isocalendar().year - (week > today.isocalendar().week)
    return _week(date.fromisocalendar(int(groups.get("year", year)), week, 1), 0)


def quarter(groups: Groups, _: date) -> Days:
    """Return the days of a quarter."""
    year = int(groups["year"])
    month = 3 * int(groups["quarter"])
    return Days(date(year, month - 2, 1), _last_of_month(year, month))


def calendar_year(groups: Groups, _: date) -> Days:
    """Return all days of a year."""
    return _year(date(int(groups["year"]), 1, 1), 0)


def _last_of_month(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _day(today: date, before: int) -> Days:
    day = today - timedelta(days=before)
    return Days(day, day)


def _week(today: date, before: int) -> Days:
    monday = today - timedelta(days=today.weekday() + 7 * before)
    return Days(monday, monday + timedelta(days=6))


def _weekend(today: date, before: int) -> Days:
    sunday = _week(today, before).last
    return Days(sunday - timedelta(days=1), sunday)


def _month(today: date, before: int) -> Days:
    year, month = divmod(12 * today.year + today.month - 1 - before, 12)
    return Days(date(year, month + 1, 1), _last_of_month(year, month + 1))


def _year(today: date, before: int) -> Days:
    return Days(date(today.year - before, 1, 1), date(today.year - before, 12, 31))


class Unit(NamedTuple):
    """A unit of time: how many days it has, and how many `around` a day are meant by “two weeks
    ago”. `of` returns the unit that a day is in, or a number of them before; `short` are its short
    forms after a number.
    """

    days: int
    around: int
    of: Callable[[date, int], Days]
    short: str


UNITS = {
    "day": Unit(days=1, around=0, of=_day, short="d"),
    "week": Unit(days=7, around=3, of=_week, short="w wk"),
    "weekend": Unit(days=7, around=3, of=_weekend, short=""),
    "month": Unit(days=30, around=15, of=_month, short="m mo"),
    "year": Unit(days=365, around=182, of=_year, short="y yr"),
}
_DAYS = {
    **{name: each.days for key, each in UNITS.items() for name in (key, *each.short.split())},
    **dict.fromkeys(("h", "hr", "hour"), 1 / 24),
    **dict.fromkeys(("min", "minute"), 1 / 1440),
}
_LENGTH = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*([a-z]+?)s?", re.IGNORECASE)


def days_of(length: str) -> float | None:
    """Return how many days a length of time has (`2w`, `3 months`); None for any other text."""
    found = _LENGTH.fullmatch(length)
    days = _DAYS.get(found[2].lower()) if found else None
    return days * float(found[1]) if found and days else None


def _unit(groups: Groups) -> Unit:
    return next(unit for name, unit in UNITS.items() if name in groups)


def this_unit(groups: Groups, today: date) -> Days:
    """Return this day, week, weekend, month or year."""
    return _unit(groups).of(today, 0)


def unit_before(groups: Groups, today: date) -> Days:
    """Return the day, week, month or year before this one; “the past week” are its days up to
    today.
    """
    if groups["text"].lower().removeprefix("the ").startswith("past"):
        return last_units(groups, today)
    return _unit(groups).of(today, 1)


def _count(groups: Groups) -> int:
    number = groups.get("number", "1").lower()
    return int(number) if number.isdigit() else number_words()[number]


def last_units(groups: Groups, today: date) -> Days:
    """Return the last days, weeks, months or years up to today."""
    return Days(today - timedelta(days=_count(groups) * _unit(groups).days), today)


def units_ago(groups: Groups, today: date) -> Days:
    """Return the day that long ago; for weeks and longer units, with some days around it."""
    unit = _unit(groups)
    day = today - timedelta(days=_count(groups) * unit.days)
    around = timedelta(days=unit.around)
    return Days(day - around, day + around)


def _weekday(groups: Groups) -> int | None:
    return next((number for number in range(7) if f"weekday{number}" in groups), None)


def weekday(groups: Groups, today: date) -> Days:
    """Return the last day of that name before today."""
    number = _weekday(groups) or 0
    return _day(today, (today.weekday() - number - 1) % 7 + 1)


def coming(groups: Groups, read: Reader, today: date) -> Days:
    """Return the next day, week or month that a text names without its year."""
    days = read(groups, today)
    is_weekday = _weekday(groups) is not None
    is_repeated = is_weekday or ("name" in groups and "year" not in groups)
    if days.last >= today or not is_repeated:
        return days
    try:
        return read(groups, today + timedelta(days=7 if is_weekday else 365))
    except ValueError:  # the next year has no 29 February
        return days


# Not inside a word, a path or a field such as `tag:2024`, and not after an operator.
_START = r"(?<![\w:/+*.#-])(?<!\w')"
_END = r"(?![\w/*]|[-.]\w|['’]s\b)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_NUMBER_OF_DAY = r"0?[1-9]|[12]\d|3[01]"
_DAY = rf"(?P<day>{_NUMBER_OF_DAY})"
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|o|\.)?"
_OF = r"(?:\s+(?:de|del|van))?"


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern of a date; its spaces match any white space."""
    return re.compile(f"{_START}(?:{pattern}){_END}".replace(" ", r"\s+"), re.IGNORECASE)


@cache
def numeric_dates() -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """Return the patterns of dates in digits, which are the same in every language."""
    month = r"(?P<month>0[1-9]|1[0-2])"
    # German writes a day without a year after one of these.
    after = r"(?:(?<=\ba[mb]\s)|(?<=\b(?:bis|de[nm]|vom|zum)\s)|(?<=\bseit\s))"
    week = r"(?P<week>0?[1-9]|[1-4]\d|5[0-3])"
    time = r"(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?|\s+\d\d?:\d\d(?::\d\d)?)?"
    cjk = rf"(?<!\d){_YEAR}年(?P<month>1[0-2]|0?[1-9])月"
    return (
        (
            compiled(rf"{_YEAR}[-/.]{month}[-/.](?P<day>0[1-9]|[12]\d|3[01]){time}"),
            calendar_day,
        ),
        (compiled(rf"{_DAY}\.{ANY_MONTH}\.{_YEAR}"), calendar_day),
        (compiled(rf"{after}{_DAY}\.{ANY_MONTH}\.(?P<year>(?:19|20)?\d\d)?"), calendar_day),
        *((compiled(each), calendar_day) for each in EITHER_ORDER),
        (compiled(rf"{_YEAR}-{month}"), calendar_month),
        (compiled(rf"{ANY_MONTH}/{_YEAR}"), calendar_month),
        # Written without spaces before and after it.
        (re.compile(rf"{cjk}{_DAY}[日号]"), calendar_day),
        (re.compile(cjk), calendar_month),
        (compiled(rf"{_YEAR}-?W{week}"), calendar_week),
        (compiled(rf"KW\s?{week}(?:[ /]{_YEAR})?"), calendar_week),
        (compiled(rf"{_YEAR}[- ]?Q(?P<quarter>[1-4])"), quarter),
        (compiled(rf"Q(?P<quarter>[1-4]) {_YEAR}"), quarter),
    )


class Rule(Record):
    """A way to write a date in words: its pattern, and the function for its matches.

    Every such date has a word that begins with one of `begins`, if there are any, and a digit if it
    `has_digit`, so that most patterns need not be compiled.
    """

    pattern: str
    read: Reader
    begins: tuple[str, ...]
    has_digit: bool = False

    def may_match(self, words: Iterable[str], *, has_digit: bool) -> bool:
        """Return whether a text with these words in lower case can have such a date."""
        has_word = not self.begins or any(word.startswith(self.begins) for word in words)
        return has_word and has_digit >= self.has_digit


@cache
def dates_in_words(language: str) -> tuple[Rule, ...]:
    """Return the rules of one language."""
    words = TIME_WORDS[language]
    months = tuple(month_numbers(language))
    return (
        *(
            Rule(pattern, read, months, has_digit=_DAY in pattern or _YEAR in pattern)
            for pattern, read in _with_month(language, words)
        ),
        *(Rule(pattern, read, (), has_digit=True) for pattern, read in _years(words)),
        *_relative(words),
    )


def _with_month(language: str, words: TimeWords) -> Iterator[tuple[str, Reader]]:
    numbers = month_numbers(language)
    name = rf"(?P<name>{'|'.join(sorted(numbers, key=len, reverse=True))})\.?"
    written_out = filter(is_written_out, sorted(numbers, key=len, reverse=True))
    whole = rf"(?P<name>{'|'.join(written_out)})"
    year_after = rf"(?:,?(?:\s+|(?<=,))(?:de |del |van )?{_YEAR}(?: г(?:ода|\.)?)?)?"
    on = r"(?:(?:on|am|the|den|le|el|il|op|de) )?"
    # “3 to 5 March” and “March 3–5” are spans.
    joining = rf"(?:\s*[-–]\s*| (?:{_alternatives(words.joining)}) {on})"
    day = rf"{on}(?:(?P<from>{_NUMBER_OF_DAY}){_ORDINAL}{joining})?{_DAY}"
    yield rf"{day}{_ORDINAL}{_OF} {name}{year_after}", calendar_day
    # “2 of March 2024” and “the 2nd of March” are days; “version 2 of March” is not.
    yield rf"{day}(?:st|nd|rd|th) of {name}{year_after}", calendar_day
    yield rf"{day} of {name},? {_YEAR}", calendar_day
    yield rf"{_DAY}(?P<mark>[-/]){name}(?P=mark){_YEAR}", calendar_day
    to = rf"(?:\s*[-–]\s*(?P<to>{_NUMBER_OF_DAY}){_ORDINAL})?"
    yield rf"{on}{name} {_DAY}{_ORDINAL}{to}{year_after}", calendar_day
    yield (
        rf"(?:(?:{_alternatives(words.in_month)}) )?{name}(?: de| del| van)?,? {_YEAR}(?: года?)?",
        calendar_month,
    )
    yield rf"(?:{_alternatives(words.in_month)}) {whole}(?!\s+\d)", calendar_month
    yield rf"(?P<bare>{whole})", calendar_month


def _years(words: TimeWords) -> Iterator[tuple[str, Reader]]:
    yield rf"(?P<bare>{_YEAR})", calendar_year
    yield rf"(?:{_alternatives(words.in_year)}) {_YEAR}(?: году?)?", calendar_year


def _relative(words: TimeWords) -> Iterator[Rule]:
    simple: tuple[tuple[str, Reader], ...] = (
        (words.today, lambda _, today: Days(today, today)),
        (words.yesterday, lambda _, today: _day(today, 1)),
        (words.before_yesterday, lambda _, today: _day(today, 2)),
        (words.this_unit, this_unit),
        (words.last_unit, unit_before),
        (words.last_n_units, last_units),
        (words.n_units_ago, units_ago),
        (words.last_weekday, weekday),
        ("(?P<bare>{weekday})", weekday),
        (f"(?P<bare>{words.tomorrow})", lambda _, today: _day(today, -1)),
        (
            ", ".join(f"(?P<bare>{phrase})" for phrase in words.next_unit.split(", ")),
            lambda groups, today: _unit(groups).of(today, -1),
        ),
    )
    units = "|".join(f"(?P<{unit}>{word})" for unit, word in words.units._asdict().items())
    weekdays = "|".join(
        f"(?P<weekday{index}>{weekday})" for index, weekday in enumerate(words.weekdays)
    )
    number = rf"(?P<number>\d{{1,3}}|{'|'.join(number_words())})"
    for phrases, read in simple:
        for phrase in phrases.split(", "):
            begins = _beginnings(phrase.removeprefix("(?P<bare>"))
            if "{unit}" in phrase:
                begins = _beginnings("|".join(words.units))
            elif "{weekday}" in phrase:
                begins = _beginnings("|".join(words.weekdays))
            pattern = phrase.replace("{unit}", f"(?:{units})")
            pattern = pattern.replace("{weekday}", f"(?:{weekdays})")
            yield Rule(pattern.replace("{n}", number), read, begins)


def _beginnings(pattern: str) -> tuple[str, ...]:
    """Return the letters with which each alternative of a pattern begins in any case."""
    found = (re.match(r"(\w*)(\??)", each) for each in pattern.split("|"))
    return tuple(each[1][:-1] if each[2] else each[1] for each in found if each)


def _alternatives(phrases: str) -> str:
    return "|".join(phrases.split(", "))


# The fit of a note: inside a short span, inside a long one, and at most some days away from one.
# ELSEWHEN is the fit of a note that states another time, if notes of the time asked for match.
INSIDE = 1.0
INSIDE_LONG = 0.8
ELSEWHEN = -0.4
LONG_DAYS = 15
NEAR = ((3, 0.6), (14, 0.35))
# What introduces a date stands in so many characters before it.
MAX_BEFORE = 60
_WORD = re.compile(r"[^\W\d_]+")
_FIRST_WORD = re.compile(r"[^\W\d_]+\s+(?=\w)")


@cache
def _between() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of what begins and what joins the two dates of a span, in any
    language.
    """
    begins = ", ".join(words.begins for words in TIME_WORDS.values())
    joining = ", ".join(words.joining for words in TIME_WORDS.values())
    return (
        re.compile(rf"\b(?:{_alternatives(begins)})\s+(?:the |le |el |il )?$", re.IGNORECASE),
        re.compile(
            rf"\s*(?:{_alternatives(joining)}|-|–)\s*(?:le |el |il )?",
            re.IGNORECASE,
        ),
    )


class Span(NamedTuple):
    """A span of time that a question names (`text`), in seconds of the calendar (vault/clock.py):
    from `since` up to but excluding `before`.
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


def dates_in(
    text: str, languages: Iterable[str], clock: Clock, *, alone: bool = False
) -> DatesFound:
    """Find the dates in a folded text, in some languages of the table. Of overlapping dates the
    longest one counts.

    A month, weekday or year without a preposition is a date after “since” and “until”, in a range,
    and in a text that is a date `alone`.
    """
    today = day_of(clock.local)
    known = tuple(languages)
    found = _longest(_matches(text, known, today))
    starts = {match.start() for match, _, _ in found}
    introducing = _introducing(known)
    is_due = introducing.due.search(text) is not None
    begin, joined = _between()
    spans: list[Span] = []
    rest = ""
    end = 0
    opens = False
    for match, groups, read in found:
        if text.count('"', 0, match.start()) % 2:
            continue
        between = text[end : match.start()]
        # A dash at the beginning of a line is the mark of an item.
        is_dash = bool(spans) and between.strip(" ") in ("-", "–")
        joins = (opens or is_dash) and joined.fullmatch(between) is not None
        is_since = None if "from" in groups else _introduced(match, introducing.since)
        is_from = _introduced(match, begin)
        is_until = None if joins else _introduced(match, introducing.until)
        following = joined.match(text, match.end())
        begins = is_from is not None and following is not None and following.end() in starts
        is_introduced = joins or begins or is_since or is_until
        if "bare" in groups and not (alone or is_introduced or is_due):
            continue
        days = coming(groups, read, today) if is_until or is_due else read(groups, today)
        span = Span(
            seconds_of(days.first),
            seconds_of(days.last) + SECONDS_PER_DAY,
            " ".join(match[0].split()),
        )
        if joins:
            spans[-1] = _joined(spans[-1], span, between)
        elif is_since and not begins:
            between = text[end : is_since.start()]
            tomorrow = seconds_of(today) + SECONDS_PER_DAY
            spans.append(
                Span(
                    span.since, max(span.before, tomorrow), text[is_since.start() : match.end()]
                )
            )
        else:
            if is_until and is_until.start() >= end:
                between = text[end : is_until.start()]
            spans.append(span)
        rest += between + " "
        end = match.end()
        opens = is_from is not None
    return DatesFound(tuple(spans), rest + text[end:])


def _longest(matches: Iterable[Match]) -> list[Match]:
    """Return matches in order, of two that overlap only the longer one."""
    kept: list[Match] = []
    for each in sorted(matches, key=lambda each: (each[0].start(), -each[0].end())):
        start, end = each[0].span()
        before = kept[-1][0].span() if kept else (0, 0)
        if start >= before[1]:
            kept.append(each)
        elif end - start > before[1] - before[0]:
            kept[-1] = each
    return kept


class Introduced(NamedTuple):
    """The phrases before a date, each ending where it begins, and the phrases of a text about what
    is due.
    """

    since: re.Pattern[str]
    until: re.Pattern[str]
    due: re.Pattern[str]


@cache
def _introducing(languages: tuple[str, ...]) -> Introduced:
    known = [TIME_WORDS[name] for name in languages]

    def compiled(phrases: Iterable[str], end: str) -> re.Pattern[str]:
        # Without a language, there is no such phrase.
        found = _alternatives(", ".join(phrases) or "$^").replace(" ", r"\s+")
        return re.compile(rf"(?<!\w)(?:{found}){end}", re.IGNORECASE)

    return Introduced(
        since=compiled((words.since for words in known), r"\s+$"),
        until=compiled((words.until for words in known), r"(?:\s+[^\W\d]{1,3})?:?\s+$"),
        due=compiled((words.due for words in known), r"(?!\w)"),
    )


def _introduced(match: re.Match[str], pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Return the match of a pattern that ends where a date begins, or after its first word: “from
    2021”.
    """
    text = match.string
    word = _FIRST_WORD.match(match[0])
    ends = (match.start(), match.start() + word.end()) if word else (match.start(),)
    return next(
        filter(None, (pattern.search(text, max(0, end - MAX_BEFORE), end) for end in ends)),
        None,
    )


def _matches(text: str, languages: Iterable[str], today: date) -> Iterator[Match]:
    has_digit = any(map(str.isdecimal, text))
    words = _WORD.findall(text.lower())
    in_words = (
        (compiled(rule.pattern), rule.read)
        for name in languages
        for rule in dates_in_words(name)
        if rule.may_match(words, has_digit=has_digit)
    )
    for pattern, read in chain(numeric_dates() if has_digit else (), in_words):
        for match in pattern.finditer(text):
            groups = {key: each for key, each in match.groupdict().items() if each}
            groups["text"] = match[0]
            if "name" in groups:
                groups["month"] = str(month_numbers()[groups["name"].lower()])
            try:
                read(groups, today)
            except (ValueError, OverflowError):  # there is no such day
                continue
            yield match, groups, read


def _joined(first: Span, last: Span, between: str) -> Span:
    """Return “between A and B” as one span, in which A has the year of B unless it names
    its own.
    """
    day = day_of(first.since)
    while seconds_of(day) >= last.before and day.year > 1:
        day = date(
            day.year - 1, day.month, min(day.day, monthrange(day.year - 1, day.month)[1])
        )
    return Span(seconds_of(day), last.before, f"{first.text}{between}{last.text}")


def time_ago(text: str, clock: Clock) -> float | None:
    """Read a time ago (`2w`, `3 months ago`, `now`) as seconds of the asker's calendar; None for
    another text.
    """
    plain = text.strip().lower()
    days = 0.0 if plain == "now" else days_of(plain.removesuffix(" ago"))
    return None if days is None else clock.local - days * SECONDS_PER_DAY


def local_time(text: str, clock: Clock) -> float:
    """Read a date, or a time ago (`2w`, `3 months`, `last week`), as seconds of the asker's
    calendar; a span by its start.
    """
    if (ago := time_ago(text, clock)) is not None:
        return ago
    if (written := written_time(text)) is not None:
        return (
            written.local if written.offset is None else on_calendar(written.moment, clock.zone)
        )
    if not (span := only_span(text, clock)):
        raise UsageError(
            f"“{text}” is not a date.",
            "Write a date (2026-11-21) or a time ago (2w, 3 months, last week).",
        )
    return span.since


def only_span(text: str, clock: Clock) -> Span | None:
    """Return the day, week, month or year that a text names; None if it has other words."""
    # Most dates are digits, which need no language's patterns; to compile those takes as long as
    # an answer.
    for languages in ((), TIME_WORDS):
        found = dates_in(fold(text).replace("’", "'"), languages, clock, alone=True)
        if len(found.spans) == 1 and not found.rest.strip():
            return found.spans[0]
    return None


def time_ahead(text: str, clock: Clock) -> float:
    """Read a date, or a time from now (`2w`, `tomorrow`, `next week`), like `local_time`."""
    plain = text.strip().lower()
    days = days_of(plain)
    unit = UNITS.get(plain.removeprefix("next "))
    if plain.startswith("next ") and unit:
        days = unit.days
    return local_time(text, clock) if days is None else clock.local + days * SECONDS_PER_DAY


# A perfect fit adds this to the log odds of a relevance (docs/decisions/dates-of-notes.md).
DATE_LOG_ODDS = 2.5


def dated_relevance(relevance: float, fit: float) -> float:
    """Return a note's relevance (0..1), raised by the fit of its date (-1..1) or lowered; it stays
    within 0..1.
    """
    odds = exp(DATE_LOG_ODDS * fit)
    return odds * relevance / (1 + (odds - 1) * relevance)
