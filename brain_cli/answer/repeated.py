"""Whether something was noted a moment ago already: in nearly the same words, for the same project."""

from __future__ import annotations

from collections.abc import Iterable

from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import words_of

JUST_NOW_SECONDS = 3600.0
# Titles that share more of their words than this say the same.
MOST_SHARED = 0.8


def repeated(title: str, project: str | None, now: float, notes: Iterable[NoteMetadata]) -> NoteMetadata | None:
    """Return the newest active note of the last hour whose title says the same; None when there is none."""
    alike = [
        metadata
        for metadata in notes
        if 0 <= now - metadata.timestamp <= JUST_NOW_SECONDS
        and (metadata.project or "").casefold() == (project or "").casefold()
        and not metadata.archived
        and _shared(title, metadata.title) > MOST_SHARED
    ]
    return max(alike, key=lambda metadata: (metadata.timestamp, metadata.path), default=None)


def _shared(title: str, other: str) -> float:
    """Return the Jaccard index of two titles' words; of titles without words, whether they are the same."""
    words, others = set(words_of(title)), set(words_of(other))
    return len(words & others) / len(words | others) if words | others else float(title == other)
