"""The filters of the command line → conditions: what narrows a recall without ranking it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from brain_cli.errors import UsageError
from brain_cli.search.conditions import Condition, Evidence, Excluded, Field, all_of, any_of
from brain_cli.types import SECONDS_PER_DAY, NoteMetadata
from brain_cli.vault.dates import timestamp_of
from brain_cli.vault.folding import same_name

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


class Filters(NamedTuple):
    """What was asked for, as typed. `archived` asks for archived notes and no others."""

    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since: str | None = None
    before: str | None = None
    where: tuple[tuple[str, str], ...] = ()
    archived: bool = False

    def __bool__(self) -> bool:
        return self != Filters()


class Dated(NamedTuple):
    """The note's timestamp lies in a span of seconds: from `since` on, up to but not including `before`."""

    since: float
    before: float

    def holds(self, note: Evidence) -> bool:
        return self.since <= note.metadata.timestamp < self.before


class FrontmatterEquals(NamedTuple):
    """A frontmatter key has a value, alone or in a list."""

    key: str
    value: str

    def holds(self, note: Evidence) -> bool:
        return same_name(self.value) in (same_name(value) for value in _values(note.metadata, self.key))


def condition(filters: Filters, now: float) -> Condition:
    """Return what a note must meet; UsageError names what is no date and no KEY=VALUE."""
    parts: list[Condition] = []
    if filters.kinds:
        parts.append(any_of([Field("type", kind) for kind in filters.kinds]))
    if filters.paths:
        parts.append(any_of([Field("path", path) for path in filters.paths]))
    parts += _tags(filters.tags)
    parts += [FrontmatterEquals(key, value) for key, value in filters.where]
    if filters.since or filters.before:
        since = moment(filters.since, now) if filters.since else float("-inf")
        parts.append(Dated(since, moment(filters.before, now) if filters.before else float("inf")))
    return all_of(parts)


def _tags(tags: Iterable[str]) -> Iterator[Condition]:
    for tag in tags:
        yield Excluded(Field("tag", tag[1:])) if tag.startswith("-") else Field("tag", tag)


def moment(text: str, now: float) -> float:
    """Read a date, or a time ago (`2w`, `3 months`, `yesterday`), as seconds since the epoch."""
    plain = text.strip().lower()
    if plain in _NAMED_DAYS:
        return now - now % SECONDS_PER_DAY - _NAMED_DAYS[plain] * SECONDS_PER_DAY if plain != "now" else now
    ago = _AGO.fullmatch(plain)
    if ago and ago[2] in _UNIT_DAYS:
        return now - float(ago[1]) * _UNIT_DAYS[ago[2]] * SECONDS_PER_DAY
    seconds = timestamp_of(text)
    if seconds is None:
        raise UsageError(f"“{text}” is no date.", "Write a date (2026-11-21) or a time ago (2w, 3 months).")
    return seconds


def pairs(given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Read `KEY=VALUE` texts."""
    found = []
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"“{text}” is no KEY=VALUE.", "Write for example --where project=orders.")
        found.append((key.strip().lower(), value.strip()))
    return tuple(found)


def _values(metadata: NoteMetadata, key: str) -> list[str]:
    """The values of a frontmatter key; what a note is without saying so (its kind, its path) counts too."""
    properties: Mapping[str, object] = metadata.properties
    told = {"type": metadata.kind, "kind": metadata.kind, "title": metadata.title, "path": metadata.path}
    value = properties.get(key, told.get(key))
    if value is None:
        return []
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]
