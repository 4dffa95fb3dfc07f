"""A note's strength over time: its decay and reinforcement so far, and its decay if nobody recalls it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import NamedTuple

from brain_cli.history.usage import Entry, Kinds
from brain_cli.ranking.signals import present_strength
from brain_cli.types import SECONDS_PER_DAY, NoteMetadata, Usage

AHEAD_SHARE = 0.25
MIN_DAYS_AHEAD = 30.0
ROWS = 8
COLUMNS = 60


class Curve(NamedTuple):
    """Strengths (0..1) at equal steps from `start` to `end` (seconds); `now` lies between them."""

    start: float
    now: float
    end: float
    strengths: Sequence[float]


def curve(metadata: NoteMetadata, recalls: Iterable[float], now: float, kinds: Kinds = MappingProxyType({})) -> Curve:
    """Return a note's strength from its timestamp to somewhat after now. `recalls` are times in seconds."""
    start = min(metadata.timestamp, now - SECONDS_PER_DAY)
    end = now + max(MIN_DAYS_AHEAD * SECONDS_PER_DAY, (now - start) * AHEAD_SHARE)
    moments = [start + (end - start) * step / (COLUMNS - 1) for step in range(COLUMNS)]
    return Curve(start, now, end, list(_strengths(metadata, sorted(recalls), moments, kinds)))


def _strengths(
    metadata: NoteMetadata, recalls: Sequence[float], moments: Sequence[float], kinds: Kinds
) -> Iterator[float]:
    """Yield the strength at each moment; both lists are in time order, and each recall is counted once."""
    entry, counted = Entry(), 0
    for moment in moments:
        while counted < len(recalls) and recalls[counted] <= moment:
            entry.recall(metadata.timestamp, recalls[counted])
            counted += 1
        usage = Usage(accesses=entry.accesses, last_access=entry.last_recall or None, boost=entry.boost)
        yield present_strength(metadata, usage, moment, kinds)


def drawn(found: Curve, start: str, now: str, end: str) -> Iterator[str]:
    """Draw a curve in plain characters: `*` for the past, `.` for the future; the labels are dates."""
    now_column = round((found.now - found.start) / (found.end - found.start) * (len(found.strengths) - 1))
    for row in range(ROWS, -1, -1):
        cells = (_cell(strength, row, column <= now_column) for column, strength in enumerate(found.strengths))
        yield f"{row / ROWS:4.2f} |{''.join(cells)}".rstrip()
    yield f"     +{'-' * now_column}^{'-' * (len(found.strengths) - now_column - 1)}"
    max_column = len(found.strengths) - len(end) - 1
    labels = f"{start} {now:>{max(len(now), min(now_column + len(now) // 2, max_column) - len(start) - 1)}}"
    yield f"      {labels} {end:>{len(found.strengths) - len(labels) - 1}}"


def _cell(strength: float, row: int, is_past: bool) -> str:
    if round(strength * ROWS) == row:
        return "*" if is_past else "."
    return " "
