"""The clock of a question: its moment, and the time zone in which its asker counts the days.

A moment is in seconds since the epoch. A time of the calendar is in seconds too, as the clock on
the wall shows them: 2026-11-27 begins with the same number in every zone. A date written in a note
is of the calendar; the time of a file or a commit is a moment.
"""

from __future__ import annotations

import contextlib
import datetime
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.types import UTC

if TYPE_CHECKING:
    from brain_cli.types import NoteMetadata


class Clock(NamedTuple):
    """The moment `now` (seconds since the epoch), and a time zone as the variable TZ names it."""

    now: float
    zone: str = UTC

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


def offset_at(moment: float, zone: str) -> float:
    """Return how far a zone is ahead of UTC at a moment, in seconds."""
    if zone == UTC:
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
