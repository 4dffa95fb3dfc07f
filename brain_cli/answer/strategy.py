"""Choose one of the four answers, from the shares and relevances of the candidates alone.

Source: the six-factor recall score, "Response Strategies"; the relevance conditions are ours, because by the
published thresholds alone every note of a fresh clone is "related" (docs/scoring.md).

If no active note matches, topics are suggested: the tags nearest to the query, then the most frequent ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from brain_cli.index.note_table import NoteTable
from brain_cli.ranking.candidate import Standing
from brain_cli.types import Strategy


def choose(standings: Sequence[Standing]) -> Strategy:
    """Return the strategy for a list of candidates, which may be empty."""
    if not standings:
        return Strategy.ARCHIVE_FALLBACK
    strong = sum(standing.strong for standing in standings)
    if strong == 1:
        return Strategy.SINGLE_STRONG
    if any(standing.in_synthesis for standing in standings):
        return Strategy.SYNTHESIZE
    return Strategy.MANY_WEAK


def choose_shown(standings: Sequence[Standing], shown: int) -> Strategy:
    """Choose by all candidates; if the notes of that answer rank too low to be shown, by the first `shown` only."""
    strategy, first = choose(standings), standings[:shown]
    if strategy is Strategy.SINGLE_STRONG:
        is_shown = any(standing.strong for standing in first)
    else:
        is_shown = strategy is not Strategy.SYNTHESIZE or any(standing.in_synthesis for standing in first)
    return strategy if first and is_shown else choose(first)


MAX_SUGGESTIONS = 5


def suggestions(note_table: NoteTable, relevances: Mapping[int, float]) -> list[str]:
    """Return topics: tags of the most relevant notes, then the vault's most frequent ones."""
    nearest: Counter[str] = Counter()
    for note_id, relevance in relevances.items():
        metadata = note_table.metadata(note_id)
        if not metadata.archived:
            for tag in metadata.tags:
                nearest[tag.casefold()] += relevance  # type: ignore[assignment]
    ordered = [*_most(nearest), *_most(note_table.tags)]
    return list(dict.fromkeys(ordered))[:MAX_SUGGESTIONS]


def _most(counted: Mapping[str, float]) -> list[str]:
    return sorted(counted, key=lambda tag: (-counted[tag], tag))
