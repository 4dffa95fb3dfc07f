"""The edit distance of terms, for the correction of misspelt words."""

from __future__ import annotations


def is_within(term: str, other: str, edits: int) -> bool:
    """Return whether the Levenshtein distance of two terms is at most `edits`."""
    if abs(len(term) - len(other)) > edits:
        return False
    before = list(range(len(other) + 1))
    for row, letter in enumerate(term, start=1):
        distances = [row]
        for column, instead in enumerate(other, start=1):
            distances.append(min(before[column] + 1, distances[-1] + 1, before[column - 1] + (letter != instead)))
        if min(distances) > edits:
            return False
        before = distances
    return before[-1] <= edits
