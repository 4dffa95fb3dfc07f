"""Read dates in file names, folders and headings as seconds since the epoch.

A day is its midnight in UTC, a week its Monday, a month and a quarter their first day.
"""

from __future__ import annotations

import re
from datetime import date

from brain_cli.vault.folding import fold
from brain_cli.vault.iso_dates import seconds_of
from brain_cli.vault.time_words import month_numbers

# Not part of a version: `7.20191218`.
_YEAR = r"(?<!\d)(?<!\d\.)(?P<year>(?:19|20)\d\d)"
_MONTH = r"(?P<month>0[1-9]|1[0-2])"
_DAY = r"(?P<day>0[1-9]|[12]\d|3[01])"
# `2024-03-01`, `2024_03_01`, `20240301`, and Zettelkasten IDs: `202403011530`.
_DAY_IN_TEXT = re.compile(
    rf"{_YEAR}(?P<mark>[-_. ]?){_MONTH}(?P=mark){_DAY}(?:[T_ -]?\d\d[-:_.]?\d\d(?:[-:_.]?\d\d)?)?(?!\d)"
)
# `01.03.2024`; with slashes or hyphens, the day could also be the month.
_GERMAN_DAY = re.compile(
    r"(?<!\d)(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0?[1-9]|1[0-2])\.(?P<year>(?:19|20)\d\d)(?!\d)"
)
_WEEK = re.compile(rf"{_YEAR}[-_ ]?[Ww](?P<week>0[1-9]|[1-4]\d|5[0-3])(?!\d)")
_QUARTER = re.compile(rf"{_YEAR}[-_ ]?[Qq](?P<quarter>[1-4])(?!\d)")
_MONTH_IN_TEXT = re.compile(rf"{_YEAR}[-_.]{_MONTH}(?![-_.]?\d)")
# `March 1st, 2024`, `1. März 2024`, `October 2022`.
_NAMED_MONTH = re.compile(
    r"(?<![^\W_])(?:(?P<before>\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?[ _-]+(?:de[ _]+)?)?(?P<name>[^\W\d_]{3,9})\.?[ _-]+"
    r"(?:de[ _]+)?(?:(?P<after>\d{1,2})(?:st|nd|rd|th)?,?[ _]+)?(?P<year>(?:19|20)\d\d)(?!\d)"
)
# `journal/2024/03/01.md`, `2024/03-March/retro.md`.
_DAY_IN_FOLDERS = re.compile(rf"(?:^|/){_YEAR}/{_MONTH}(?:[^\d/][^/]*)?/{_DAY}(?!\d)")
_MONTH_IN_FOLDERS = re.compile(rf"(?:^|/){_YEAR}/{_MONTH}(?:[^\d/][^/]*)?/")


def date_in_path(path: str) -> float | None:
    """Read the date in a note's file name, else in its folders; None if there is none."""
    whole = path.rpartition(".")[0]
    *folders, name = whole.split("/")
    in_name = date_in_text(name)
    if in_name is not None:
        return in_name
    in_folders = _DAY_IN_FOLDERS.search(whole) or _MONTH_IN_FOLDERS.search(whole)
    if in_folders:
        return _midnight(in_folders)
    return next((found for folder in reversed(folders) if (found := date_in_text(folder)) is not None), None)


def date_in_text(text: str) -> float | None:
    """Read the first date in a name or a heading: a day before a week, a week before a month; None if there is none."""
    if not any(map(str.isdigit, text)):
        return None
    for pattern in (_DAY_IN_TEXT, _GERMAN_DAY, _WEEK, _QUARTER):
        for match in pattern.finditer(text):
            if (seconds := _midnight(match)) is not None:
                return seconds
    named = _named_month(text)
    month = _MONTH_IN_TEXT.search(text)
    return _midnight(month) if named is None and month else named


def _midnight(match: re.Match[str]) -> float | None:
    """Return the first moment of the day, week, month or quarter in a match; None for a date that does not exist."""
    parts = {name: int(value) for name, value in match.groupdict().items() if value and value.isdigit()}
    try:
        if "week" in parts:
            return seconds_of(date.fromisocalendar(parts["year"], parts["week"], 1))
        month = 3 * parts["quarter"] - 2 if "quarter" in parts else parts["month"]
        return seconds_of(date(parts["year"], month, parts.get("day", 1)))
    except ValueError:
        return None


def _named_month(text: str) -> float | None:
    for match in _NAMED_MONTH.finditer(fold(text).casefold()):
        month = month_numbers().get(match["name"])
        day = int(match["before"] or match["after"] or 1)
        try:
            if month:
                return seconds_of(date(int(match["year"]), month, day))
        except ValueError:
            continue
    return None
