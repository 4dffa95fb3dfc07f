"""Counts as one line of bars: `2024-02 ▁▁▃▂█ 2026-11`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

BARS = "▁▂▃▄▅▆▇█"


def sparkline(counts: Mapping[str, int], columns: int) -> str:
    """Draw counts between their first and last name, in at most `columns` columns; a count of 0 is a blank."""
    names = list(counts)
    if not names:
        return ""
    available = max(1, columns - len(names[0]) - len(names[-1]) - 2)
    bars = _bars(_merged(list(counts.values()), available))
    return f"{names[0]} {bars} {names[-1]}"


def _merged(counts: Sequence[int], max_bars: int) -> list[int]:
    """Add up neighbouring counts until there are few enough."""
    width = -(-len(counts) // max_bars)
    return [sum(counts[start : start + width]) for start in range(0, len(counts), width)]


def _bars(counts: Sequence[int]) -> str:
    highest = max(counts) or 1
    return "".join(BARS[-(-count * len(BARS) // highest) - 1] if count else " " for count in counts)
