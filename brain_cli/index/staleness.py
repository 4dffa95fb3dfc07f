"""The sentence that says that an answer lacks changed notes."""

from __future__ import annotations


def staleness(behind: int) -> str:
    """Say how many changed notes an answer lacks."""
    lacks = "1 changed note is" if behind == 1 else f"{behind} changed notes are"
    return f"This answer may be stale: {lacks} not in the index yet."
