"""Whether something was noted a moment ago already: in nearly the same words, for the same project."""

from __future__ import annotations

from collections.abc import Iterable

from brain_cli.vault.analyzer import words_of
from brain_cli.types import Facts

JUST_NOW_SECONDS = 3600.0
# Titles that share more of their words than this say the same.
MOST_SHARED = 0.8


def repeated(title: str, project: str | None, now: float, notes: Iterable[Facts]) -> Facts | None:
    """Return the newest active note of the last hour whose title says the same; None when there is none."""
    alike = [
        facts
        for facts in notes
        if 0 <= now - facts.timestamp <= JUST_NOW_SECONDS
        and (facts.project or "").casefold() == (project or "").casefold()
        and not facts.archived
        and _shared(title, facts.title) > MOST_SHARED
    ]
    return max(alike, key=lambda facts: (facts.timestamp, facts.path), default=None)


def _shared(title: str, other: str) -> float:
    """Return the Jaccard index of two titles' words; of titles without words, whether they are the same."""
    words, others = set(words_of(title)), set(words_of(other))
    return len(words & others) / len(words | others) if words | others else float(title == other)
