"""The clock of a question: its moment, and the time zone in which its asker counts the days.

A moment is in seconds since the epoch. A time of the calendar is in seconds too, as the clock on
the wall shows them: 2026-11-27 begins with the same number in every zone. A date written in a note
is of the calendar; the time of a file or a commit is a moment.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from brain_cli.record import Record
from brain_cli.types import DEFAULT_ZONE

if TYPE_CHECKING:
    from brain_cli.types import NoteMetadata

# The times of files that were written by one clone or from one archive differ by less than this.
ONE_MOMENT_SECONDS = 600.0


class Clock(Record):
    """The moment `now` (seconds since the epoch), and a time zone as the variable TZ names it."""

    now: float
    zone: str = DEFAULT_ZONE

    @property
    def local(self) -> float:
        """The time of the calendar in this zone, in seconds."""
        return on_calendar(self.now, self.zone)

    def moment(self, local: float) -> float:
        """Return the moment of a time of the calendar in this zone."""
        return local - offset_at(local - offset_at(local, self.zone), self.zone)


def on_calendar(moment: float, zone: str) -> float:
    """Return the time that the calendar of a zone shows at a moment, in seconds."""
    return moment + offset_at(moment, zone)


def local_date(note: NoteMetadata, zone: str) -> float:
    """Return the date of a note on the calendar of a zone; one that is written in the note is the
    same in every zone.
    """
    offset = offset_at(note.timestamp, zone) if note.offset is None else note.offset
    return note.timestamp + offset


def day_of(seconds: float) -> datetime.date:
    """Return the day of a time of the calendar; outside of it, its first or last day."""
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).date()
    except (OverflowError, OSError, ValueError):
        return datetime.date.min if seconds < 0 else datetime.date.max


def today(clock: Clock) -> datetime.date:
    """Return the asker's day."""
    return day_of(clock.local)


def offset_at(moment: float, zone: str) -> float:
    """Return how far a zone is ahead of UTC at a moment, in seconds."""
    if zone == DEFAULT_ZONE:
        return 0.0
    try:
        offset = datetime.datetime.fromtimestamp(moment, _rules_of(zone)).utcoffset()
    except (OverflowError, OSError, ValueError):
        return 0.0
    return offset.total_seconds() if offset else 0.0


@cache
def _rules_of(zone: str) -> datetime.tzinfo:
    """Return a zone by its name, the path of its file, or a rule (`EST5EDT,M3.2.0,M11.1.0`); UTC
    for anything else, like the C library.
    """
    # Imported here, because reading zones takes as long as a small recall.
    from io import BytesIO
    from zoneinfo import ZoneInfo

    with contextlib.suppress(LookupError, ValueError, OSError):
        if not zone.startswith("/"):
            return ZoneInfo(zone)
        with open(zone, "rb") as file:
            return ZoneInfo.from_file(file)
    # Zone data (RFC 8536) without a table, so that the rule holds at all times.
    counts = b"".join(count.to_bytes(4) for count in (0, 0, 0, 0, 1, 4))
    data = b"TZif2" + bytes(15) + counts + bytes(6) + b"UTC\0"
    rule = zone.encode("ascii", "replace")
    with contextlib.suppress(ValueError):
        return ZoneInfo.from_file(BytesIO(b"%s%s\n%s\n" % (data, data, rule)))
    return datetime.UTC


def iso(moment: float, offset: float = 0.0) -> str:
    """Write a moment as `2026-11-21T10:00:00Z`, or in a zone: `2026-11-21T02:00:00-08:00`."""
    try:
        when = datetime.datetime.fromtimestamp(
            moment, datetime.timezone(datetime.timedelta(seconds=offset))
        )
    except (OverflowError, OSError, ValueError):
        return "1970-01-01T00:00:00Z"
    return when.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def local_iso(moment: float, zone: str) -> str:
    """Write a moment in a zone."""
    return iso(moment, offset_at(moment, zone))


def iso_date(note: NoteMetadata, zone: str) -> str:
    """Write the date of a note so that it begins with its day on the calendar of a zone."""
    return iso(note.timestamp, local_date(note, zone) - note.timestamp)


def one_moment(times: Sequence[float]) -> tuple[float, float] | None:
    """Return the first and last time (seconds) of a cluster with most of the files; None if there
    is none.

    Cloning or unpacking gives files such times, which say nothing about the notes.
    """
    in_order = sorted(times)
    majority = len(in_order) // 2 + 1
    for first, last in zip(in_order, in_order[majority - 1 :], strict=False):
        end = first + ONE_MOMENT_SECONDS
        if last <= end and len(in_order) > 1:
            return first, max(time for time in in_order if time <= end)
    return None
