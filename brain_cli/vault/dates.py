"""Read dates as seconds since the epoch: ISO dates, those in names and headings, and the date of a
note.

A day without a time is its midnight in UTC, a week its Monday, a month and a quarter their first
day. A note is dated by the first source that has a date: its frontmatter, its file name and
folders, git, the file's time. These functions are pure: dates from git and the file system are
arguments.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from brain_cli.types import DATE_SOURCES, FRONTMATTER, MTIME, NAME
from brain_cli.vault.analyzer import fold
from brain_cli.vault.frontmatter import Properties, text_of
from brain_cli.vault.languages import month_numbers

_SPACE_BEFORE_ZONE = re.compile(r"(?<=\d)\s+(?=[-+]\d\d:?\d\d$)")
# Not part of a version: `7.20191218`.
_YEAR = r"(?<!\d)(?<!\d\.)(?P<year>(?:19|20)\d\d)"
# A folded text without one has no date. It begins with a set of characters, which `re` finds at
# full speed.
ANY_YEAR = re.compile(r"[12](?:(?<=1)9|(?<=2)0)\d\d")
_MONTH = r"(?P<month>0[1-9]|1[0-2])"
_DAY = r"(?P<day>0[1-9]|[12]\d|3[01])"
# `2024-03-01`, `2024_03_01`, `20240301`, and Zettelkasten IDs: `202403011530`.
_DAY_IN_TEXT = re.compile(
    rf"{_YEAR}(?P<mark>[-_. ]?){_MONTH}(?P=mark){_DAY}(?:[T_ "
    r"-]?\d\d[-:_.]?\d\d(?:[-:_.]?\d\d)?)?(?!\d)"
)
ANY_MONTH = r"(?P<month>0?[1-9]|1[0-2])"
# `01.03.2024`; with slashes or hyphens either number may be the day, unless it is more than 12.
_GERMAN_DAY = re.compile(
    rf"(?<!\d)(?P<day>0?[1-9]|[12]\d|3[01])\.{ANY_MONTH}\.(?P<year>(?:19|20)\d\d)(?!\d)"
)
_LARGE_DAY = r"(?P<day>1[3-9]|2\d|3[01])"
EITHER_ORDER = tuple(
    rf"{first}(?P<mark>[/-]){second}(?P=mark)(?P<year>(?:19|20)\d\d)"
    for first, second in ((_LARGE_DAY, ANY_MONTH), (ANY_MONTH, _LARGE_DAY))
)
# `2024年3月1日`, `2024년 3월 1일`.
_CJK_DAY = re.compile(
    rf"{_YEAR}[年년] ?{ANY_MONTH}[月월](?: ?(?P<day>0?[1-9]|[12]\d|3[01])[日일])?"
)
_WEEK = re.compile(rf"{_YEAR}[-_ ]?[Ww](?P<week>0[1-9]|[1-4]\d|5[0-3])(?!\d)")
_QUARTER = re.compile(rf"{_YEAR}[-_ ]?[Qq](?P<quarter>[1-4])(?!\d)")
_MONTH_IN_TEXT = re.compile(rf"{_YEAR}[-_.]{_MONTH}(?![-_.]?\d)")
# `March 1st, 2024`, `1. März 2024`, `October 2022`.
_NAMED_MONTH = re.compile(
    r"(?<![^\W_])(?:(?P<before>\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?[ _-]+(?:de[ "
    r"_]+)?)?(?P<name>[^\W\d_]{3,10})\.?[ _-]+"
    r"(?:de[ _]+)?(?:(?P<after>\d{1,2})(?:st|nd|rd|th)?,?[ _]+)?(?P<year>(?:19|20)\d\d)(?!\d)"
)
# `2024 June 25`; without a day, the name may be another word: `2024 may be`.
_YEAR_BEFORE_MONTH = re.compile(
    rf"{_YEAR},?[ _-]+(?P<name>[^\W\d_]{{3,10}})\.?[ "
    rf"_-]+(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?!\w)"
)
# `journal/2024/03/01.md`, `2024/03-March/retro.md`.
_DAY_IN_FOLDERS = re.compile(rf"(?:^|/){_YEAR}/{_MONTH}(?:[^\d/][^/]*)?/{_DAY}(?!\d)")
_MONTH_IN_FOLDERS = re.compile(rf"(?:^|/){_YEAR}/{_MONTH}(?:[^\d/][^/]*)?/")
# Of two that overlap, the first one counts.
_PATTERNS = (
    _DAY_IN_TEXT,
    _GERMAN_DAY,
    *(re.compile(rf"(?<!\d){each}(?!\d)") for each in EITHER_ORDER),
    _CJK_DAY,
    _WEEK,
    _QUARTER,
    _NAMED_MONTH,
    _YEAR_BEFORE_MONTH,
    _MONTH_IN_TEXT,
)
# Other programs write times in seconds or milliseconds; a number of this size is in milliseconds.
MILLISECONDS_FROM = 1e11
# The last second of the year 9999.
LAST_SECOND = 253_402_300_799
DATE_KEYS = (
    "updated",
    "modified",
    "date updated",
    "date modified",
    "date",
    "created",
    "date created",
    "datum",
    "fecha",
)


class WrittenTime(NamedTuple):
    """A time as it is written: in seconds of the calendar (vault/clock.py), and how far its zone is
    ahead of UTC; None if it names none.
    """

    local: float
    offset: float | None = None

    @property
    def moment(self) -> float:
        """The moment in seconds since the epoch. A time without a zone is in UTC, so that a vault
        has the same ranking on every machine.
        """
        return self.local - (self.offset or 0.0)


def written_time(text: str) -> WrittenTime | None:
    """Read an ISO date or time; None for anything else: `2026-03-15`, `2026/03/15 10:00 +0200`,
    `2026-03-15T10:00:00Z`.
    """
    plain = _SPACE_BEFORE_ZONE.sub("", text.strip().replace("/", "-"))
    try:
        when = datetime.fromisoformat(plain)
        offset = when.utcoffset()
        local = when.replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    return WrittenTime(local, None if offset is None else offset.total_seconds())


def timestamp_of(text: str) -> float | None:
    """Read an ISO date or time as a moment; None for anything else."""
    written = written_time(text)
    return written and written.moment


def moment_of(value: object) -> float | None:
    """Return a time in seconds since the epoch, from a number or a date; None for anything else
    and for a time that no calendar has."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not abs(value) <= LAST_SECOND * 1_000:
            return None
        return value / 1_000 if abs(value) > MILLISECONDS_FROM else float(value)
    return timestamp_of(value) if isinstance(value, str) else None


def seconds_of(day: date) -> float:
    """Return when a day begins, in seconds of the calendar."""
    return float((day - date(1970, 1, 1)) // timedelta(days=1) * 86_400)


def date_in_path(path: str) -> float | None:
    """Read the date in a note's file name, else in its folders; None if there is none."""
    whole = path.rpartition(".")[0]
    *folders, name = whole.split("/")
    in_name = date_in_text(name)
    if in_name is not None:
        return in_name
    in_folders = _DAY_IN_FOLDERS.search(whole) or _MONTH_IN_FOLDERS.search(whole)
    if in_folders:
        found = _time(in_folders)
        return found and found.since
    dates = map(date_in_text, reversed(folders))
    return next((date for date in dates if date is not None), None)


class Time(NamedTuple):
    """A time in a text: its place, and from when up to when it lasts, in seconds of the
    calendar.
    """

    start: int
    end: int
    since: float
    before: float


def date_in_text(text: str) -> float | None:
    """Read the first date in a name or a heading: a day before a week, a week before a month; None
    if there is none.
    """
    return next((found.since for found in _times(text)), None)


def times_in(text: str) -> list[Time]:
    """Return the dates in a text with their year, in order: days, weeks, months and quarters."""
    found: list[Time] = []
    for time in _times(text):
        if all(time.end <= each.start or time.start >= each.end for each in found):
            found.append(time)
    return sorted(found)


def _times(text: str) -> Iterator[Time]:
    """Yield the dates in a text, days first; some may be parts of others."""
    folded = fold(text)
    if ANY_YEAR.search(folded):
        folded = folded.casefold()
        for pattern in _PATTERNS:
            yield from filter(None, map(_time, pattern.finditer(folded)))


def _time(match: re.Match[str]) -> Time | None:
    """Return the day, week, month or quarter in a match; None for one that does not exist."""
    parts = match.groupdict()
    number = {name: int(value) for name, value in parts.items() if value and value.isdigit()}
    day = number.get("day") or number.get("before") or number.get("after")
    month = number.get("month") or month_numbers().get(parts.get("name") or "")
    year = number["year"]
    try:
        if "week" in number:
            first = date.fromisocalendar(year, number["week"], 1)
            after = first + timedelta(weeks=1)
        elif "quarter" in number:
            first = date(year, 3 * number["quarter"] - 2, 1)
            after = _month_after(first, 3)
        elif month:
            first = date(year, month, day or 1)
            after = first + timedelta(days=1) if day else _month_after(first, 1)
        else:
            return None
    except ValueError:
        return None
    return Time(match.start(), match.end(), seconds_of(first), seconds_of(after))


def _month_after(first: date, months: int) -> date:
    """Return the first day of the month so many months later."""
    later = 12 * first.year + first.month - 1 + months
    return date(later // 12, later % 12 + 1, 1)


class Dated(NamedTuple):
    """The date of a note, in seconds since the epoch, and the source of the date; `offset` as in
    `NoteMetadata`; `warning` completes “a.md: …”.
    """

    seconds: float
    source: str
    warning: str | None = None
    offset: float | None = None


def dated(
    path: str,
    properties: Properties,
    modified: float,
    sources: Sequence[str] = DATE_SOURCES,
) -> Dated:
    """Return the date from the first source that has one. Git comes later, and only for notes dated
    by mtime.
    """
    found, warning = _in_frontmatter(properties) if FRONTMATTER in sources else (None, None)
    for source in sources:
        if source == FRONTMATTER and found:
            return Dated(found.moment, source, warning, found.offset)
        if source == NAME and (seconds := date_in_path(path)) is not None:
            return Dated(seconds, source, warning, 0.0)
        if source == MTIME:
            break
    return Dated(modified, MTIME, warning)


def frontmatter_warning(properties: Properties) -> str | None:
    """Return a warning about the date in a frontmatter; None if it can be read."""
    return _in_frontmatter(properties)[1]


def _in_frontmatter(properties: Properties) -> tuple[WrittenTime | None, str | None]:
    """Return the date of a frontmatter, whose offset is None for a moment without a zone."""
    warning = None
    for key in DATE_KEYS:
        if value := text_of(properties, key):
            if written := written_time(value):
                return written._replace(offset=written.offset or 0.0), None
            if value.isascii() and value.isdecimal() and len(value) in (10, 13):
                # Seconds or milliseconds since the epoch, as Dendron and Logseq write them.
                return WrittenTime(int(value) / (1_000 if len(value) == 13 else 1)), None
            if (seconds := date_in_text(value)) is not None:
                return WrittenTime(seconds, 0.0), None
            warning = warning or f"its {key} “{value[:40]}” is not a date, so it is ignored"
    return None, warning


def section_dates(trails: Iterable[Sequence[str]]) -> list[tuple[int, float]]:
    """Return the date of each section whose headings name one, by its number; the innermost such
    heading counts.
    """
    found = []
    for number, trail in enumerate(trails):
        dates = (date_in_text(heading) for heading in reversed(trail))
        found += [(number, date) for date in dates if date is not None][:1]
    return found
