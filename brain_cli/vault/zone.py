"""Time zones by the names and rules of the variable TZ."""

from datetime import UTC, datetime, tzinfo
from functools import cache
from io import BytesIO
from zoneinfo import ZoneInfo


def seconds_ahead(zone: str, moment: float) -> float:
    """Return how far a zone is ahead of UTC at a moment (seconds since the epoch)."""
    try:
        offset = datetime.fromtimestamp(moment, _zone(zone)).utcoffset()
    except (OverflowError, OSError, ValueError):
        return 0.0
    return offset.total_seconds() if offset else 0.0


@cache
def _zone(name: str) -> tzinfo:
    """Return a zone by its name, the path of its file, or a rule (`EST5EDT,M3.2.0,M11.1.0`); UTC
    for anything else, like the C library.
    """
    try:
        if name.startswith("/"):
            with open(name, "rb") as file:
                return ZoneInfo.from_file(file)
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        pass
    try:
        return ZoneInfo.from_file(BytesIO(_file_of(name)))
    except ValueError:
        return UTC


def _file_of(rule: str) -> bytes:
    """Return zone data (RFC 8536) without a table, so that its rule holds at all times."""
    counts = b"".join(count.to_bytes(4) for count in (0, 0, 0, 0, 1, 4))
    data = b"TZif2" + bytes(15) + counts + bytes(6) + b"UTC\0"
    return data + data + b"\n" + rule.encode("ascii", "replace") + b"\n"
