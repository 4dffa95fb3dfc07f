"""The filters of the command line: conditions that narrow a recall without ranking it.

Every field of the query language is a filter. To add another one: a line in FILTERS. Its name is the keyword under
which a command passes its option to `Filters.of`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from brain_cli.errors import UsageError
from brain_cli.index.filter_keys import Compared
from brain_cli.search.conditions import FIELDS, Condition, Excluded, all_of, any_of
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.dates import timestamp_of
from brain_cli.vault.folding import fold, same_name

_AGO = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*([a-z]+?)s?(?:\s+ago)?", re.IGNORECASE)
_UNIT_DAYS = {
    **dict.fromkeys(("min", "minute"), 1 / 1440),
    **dict.fromkeys(("h", "hr", "hour"), 1 / 24),
    **dict.fromkeys(("d", "day"), 1.0),
    **dict.fromkeys(("w", "wk", "week"), 7.0),
    **dict.fromkeys(("m", "mo", "month"), 30.0),
    **dict.fromkeys(("y", "yr", "year"), 365.0),
}
_NAMED_DAYS = {"now": 0.0, "today": 0.0, "yesterday": 1.0}

Values = str | Iterable[str] | None


class Filters(NamedTuple):
    """The filters of a recall: each filter's name with a value as typed. `archived` selects only archived notes."""

    values: tuple[tuple[str, str], ...] = ()
    archived: bool = False

    @classmethod
    def of(cls, *, archived: bool = False, **options: Values) -> Self:
        """Return the filters of some options, by the names in FILTERS; an option may have one value or several."""
        named = {name: [each] if isinstance(each, str) and each else each or () for name, each in options.items()}
        return cls(tuple((name, value) for name, values in named.items() for value in values), archived)

    def __bool__(self) -> bool:
        return self != Filters()


class Filter(NamedTuple):
    """One filter: `read` converts a value and the current time to a condition, `join` combines several values."""

    read: Callable[[str, float], Condition]
    join: Callable[[Sequence[Condition]], Condition] = all_of


def _field(name: str) -> Filter:
    """Return the filter by a field of the query language: a note passes if one of the values matches."""
    return Filter(lambda value, _: FIELDS[name](value), any_of)


def _tag(value: str) -> Condition:
    """Read a tag; a minus before it excludes the notes that have it."""
    return Excluded(FIELDS["tag"](value[1:])) if value.startswith("-") else FIELDS["tag"](value)


def _frontmatter(text: str) -> Condition:
    """Read `KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"“{text}” is not KEY=VALUE.", "Write for example --where project=orders.")
    return Compared("properties", "has property", (key.strip().lower(), same_name(value)))


def _dated_from(seconds: float) -> Condition:
    return Compared("timestamp", "at least", seconds)


FILTERS: Mapping[str, Filter] = {
    **{name: _field(name) for name in FIELDS},
    "tag": Filter(lambda value, _: _tag(value)),
    "where": Filter(lambda value, _: _frontmatter(value)),
    "since": Filter(lambda value, now: _dated_from(moment(value, now))),
    "before": Filter(lambda value, now: Excluded(_dated_from(moment(value, now)))),
}


def condition(filters: Filters, now: float) -> Condition:
    """Return the condition that a note must meet; raise UsageError for a value that its filter cannot read."""
    read: dict[str, list[Condition]] = {}
    for name, value in filters.values:
        read.setdefault(name, []).append(FILTERS[name].read(value, now))
    return all_of([FILTERS[name].join(conditions) for name, conditions in read.items()])


def moment(text: str, now: float) -> float:
    """Read a date, or a time ago (`2w`, `3 months`, `last week`), as seconds since the epoch; a span by its start."""
    plain = text.strip().lower()
    if plain in _NAMED_DAYS:
        return now - now % SECONDS_PER_DAY - _NAMED_DAYS[plain] * SECONDS_PER_DAY if plain != "now" else now
    ago = _AGO.fullmatch(plain)
    if ago and ago[2] in _UNIT_DAYS:
        return now - float(ago[1]) * _UNIT_DAYS[ago[2]] * SECONDS_PER_DAY
    seconds = timestamp_of(text)
    return _beginning(text, now) if seconds is None else seconds


def _beginning(text: str, now: float) -> float:
    """Return when a span of time begins that a text names in words, in any language of the table."""
    # Imported here, because most recalls have no date in words.
    from brain_cli.search.dates import dates_in
    from brain_cli.vault.time_words import TIME_WORDS

    found = dates_in(fold(text), TIME_WORDS, now, alone=True)
    if len(found.spans) != 1 or found.rest.strip():
        raise UsageError(
            f"“{text}” is not a date.", "Write a date (2026-11-21) or a time ago (2w, 3 months, last week)."
        )
    return found.spans[0].since
