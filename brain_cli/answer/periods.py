"""Count notes by date: by day, month or year, whichever gives a readable number of bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date

from brain_cli.vault.dates import day_of

# With more bars than these, days become months, and months become years.
MAX_DAYS = 62
MAX_MONTHS = 72


def notes_by_period(timestamps: Iterable[float]) -> dict[str, int]:
    """Count timestamps (seconds) by period, named as ISO writes it: the finest that gives few enough periods.

    Periods without notes between the first and the last count 0.
    """
    days = sorted(map(day_of, timestamps))
    if not days:
        return {}
    names = list(_names(days[0], days[-1]))
    counts = Counter(day.isoformat()[: len(names[0])] for day in days)
    return {name: counts[name] for name in names}


def _names(first: date, last: date) -> Iterator[str]:
    if (last - first).days < MAX_DAYS:
        return (date.fromordinal(number).isoformat() for number in range(first.toordinal(), last.toordinal() + 1))
    if _month(last) - _month(first) < MAX_MONTHS:
        return (f"{month // 12:04}-{month % 12 + 1:02}" for month in range(_month(first), _month(last) + 1))
    return (f"{year:04}" for year in range(first.year, last.year + 1))


def _month(day: date) -> int:
    """Return the number of a day's month since the year 0."""
    return day.year * 12 + day.month - 1
