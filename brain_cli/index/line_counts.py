"""Count the notes with each line that is boilerplate, or may become so before the next base is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from brain_cli.vault.boilerplate import count_lines, least_notes


class LineCounts(NamedTuple):
    """The number of notes with each line; lines that fewer than `threshold` notes have are left out."""

    threshold: float
    counts: Mapping[str, int]

    def frequent(self, old: Iterable[str], new: Iterable[str], notes: int) -> frozenset[str] | None:
        """Return the hashes of boilerplate after a change; None if they cannot be known without counting all notes.

        `old` and `new` are the `line_hashes` of each note before and after the change; `notes` counts all notes now.
        """
        required, added = least_notes(notes), count_lines(new)
        uncounted = max((count for each, count in added.items() if each not in self.counts), default=0)
        if self.threshold + uncounted > required:
            return None
        removed = count_lines(old)
        current = {each: count + added[each] - removed[each] for each, count in self.counts.items()}
        return frozenset(each for each, count in current.items() if count >= required)


def line_counts(notes: Iterable[str]) -> LineCounts:
    """Count the lines of all notes, each given by its `line_hashes`."""
    known = list(notes)
    threshold = least_notes(len(known)) / 2
    return LineCounts(threshold, {each: count for each, count in count_lines(known).items() if count >= threshold})


def frequent_lines(counted: LineCounts, notes: int) -> frozenset[str]:
    """Return the hashes of the boilerplate of counted notes."""
    return frozenset(each for each, count in counted.counts.items() if count >= least_notes(notes))
