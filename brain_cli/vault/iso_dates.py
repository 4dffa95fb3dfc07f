"""Convert ISO dates and times to seconds since the epoch, and back. A day without a time is its midnight in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

_SPACE_BEFORE_ZONE = re.compile(r"(?<=\d)\s+(?=[-+]\d\d:?\d\d$)")


def timestamp_of(text: str) -> float | None:
    """Read an ISO date or time; None for anything else: `2026-03-15`, `2026/03/15 10:00 +0200`, `2026-03-15T10:00:00Z`.

    A time without a zone is in UTC, so that a vault has the same ranking on every machine.
    """
    plain = _SPACE_BEFORE_ZONE.sub("", text.strip().replace("/", "-"))
    try:
        when = datetime.fromisoformat(plain)
    except ValueError:
        return None
    try:
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, OSError):
        return None


def seconds_of(day: date) -> float:
    """Return a day's midnight in UTC, in seconds since the epoch."""
    return float((day - date(1970, 1, 1)) // timedelta(days=1) * 86_400)


def day_of(seconds: float) -> date:
    """Return the day of a moment, in UTC; for a moment outside the calendar its first or last day."""
    try:
        return datetime.fromtimestamp(seconds, UTC).date()
    except (OverflowError, OSError, ValueError):
        return date.min if seconds < 0 else date.max


def iso(seconds: float) -> str:
    """Write seconds since the epoch as `2026-11-21T10:00:00Z`."""
    try:
        when = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return "1970-01-01T00:00:00Z"
    return when.replace(microsecond=0).isoformat().replace("+00:00", "Z")
