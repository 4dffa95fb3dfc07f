"""Date a note by the first source that has a date: its frontmatter, its file name and folders, git, the file's time.

These functions are pure: dates from git and the file system are arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from brain_cli.types import DATE_SOURCES, FRONTMATTER, MTIME, NAME
from brain_cli.vault.iso_dates import timestamp_of
from brain_cli.vault.name_dates import date_in_path, date_in_text
from brain_cli.vault.properties import Properties, text_of

DATE_KEYS = ("updated", "modified", "date", "created")


# The times of files that were written by one clone or from one archive differ by less than this.
ONE_MOMENT_SECONDS = 600.0


class Dated(NamedTuple):
    """The date of a note, in seconds since the epoch, and the source of the date; `warning` completes “a.md: …”."""

    seconds: float
    source: str
    warning: str | None = None


def dated(path: str, properties: Properties, modified: float, sources: Sequence[str] = DATE_SOURCES) -> Dated:
    """Return the date from the first source that has one. Git comes later, and only for notes dated by mtime."""
    written, warning = _in_frontmatter(properties) if FRONTMATTER in sources else (None, None)
    known = {FRONTMATTER: written, NAME: None, MTIME: modified}
    for source in sources:
        seconds = date_in_path(path) if source == NAME else known.get(source)
        if seconds is not None:
            return Dated(seconds, source, warning)
    return Dated(modified, MTIME, warning)


def frontmatter_warning(properties: Properties) -> str | None:
    """Return a warning about the date in a frontmatter; None if it can be read."""
    return _in_frontmatter(properties)[1]


def _in_frontmatter(properties: Properties) -> tuple[float | None, str | None]:
    warning = None
    for key in DATE_KEYS:
        if value := text_of(properties, key):
            seconds = timestamp_of(value)
            seconds = _epoch(value) if seconds is None else seconds
            seconds = date_in_text(value) if seconds is None else seconds
            if seconds is not None:
                return seconds, None
            warning = warning or f"its {key} “{value[:40]}” is not a date, so it is ignored"
    return None, warning


def _epoch(value: str) -> float | None:
    """Read seconds or milliseconds since the epoch, as Dendron and Logseq write them."""
    if not (value.isascii() and value.isdecimal() and len(value) in (10, 13)):
        return None
    return int(value) / (1_000 if len(value) == 13 else 1)


def section_dates(trails: Iterable[Sequence[str]]) -> list[tuple[int, float]]:
    """Return the date of each section whose headings name one, by its number; the innermost such heading counts."""
    found = ((number, _heading_date(trail)) for number, trail in enumerate(trails))
    return [(number, seconds) for number, seconds in found if seconds is not None]


def _heading_date(trail: Sequence[str]) -> float | None:
    return next((seconds for heading in reversed(trail) if (seconds := date_in_text(heading)) is not None), None)


def one_moment(times: Sequence[float]) -> tuple[float, float] | None:
    """Return the first and last time (seconds) of a cluster with most of the files; None if there is none.

    Cloning or unpacking gives files such times, which say nothing about the notes.
    """
    in_order = sorted(times)
    majority = len(in_order) // 2 + 1
    spans = zip(in_order, in_order[majority - 1 :], strict=False) if len(in_order) > 1 else ()
    near = next(((first, last) for first, last in spans if last - first <= ONE_MOMENT_SECONDS), None)
    return near and (near[0], max(time for time in in_order if time <= near[0] + ONE_MOMENT_SECONDS))
