"""The number of notes with each line that is boilerplate, or could become so before the next base is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from brain_cli.vault.boilerplate import count_lines, least_notes


class LineCounts(NamedTuple):
    """The notes counted, and the number of them with each line; a line that is left out is in fewer than `least`."""

    least: float
    counts: Mapping[str, int]

    def frequent(self, gone: Iterable[str], new: Iterable[str], notes: int) -> frozenset[str] | None:
        """Return the hashes of boilerplate after a change; None if they cannot be known without counting all notes.

        `gone` and `new` are the `line_hashes` of each note before and after the change; `notes` counts all notes now.
        """
        enough, added = least_notes(notes), count_lines(new)
        uncounted = max((count for each, count in added.items() if each not in self.counts), default=0)
        if self.least + uncounted > enough:
            return None
        removed = count_lines(gone)
        now = {each: count + added[each] - removed[each] for each, count in self.counts.items()}
        return frozenset(each for each, count in now.items() if count >= enough)


def line_counts(notes: Iterable[str]) -> LineCounts:
    """Count the lines of all notes, each given by its `line_hashes`."""
    known = list(notes)
    least = least_notes(len(known)) / 2
    return LineCounts(least, {each: count for each, count in count_lines(known).items() if count >= least})


def frequent_lines(counted: LineCounts, notes: int) -> frozenset[str]:
    """Return the hashes of the boilerplate of counted notes."""
    return frozenset(each for each, count in counted.counts.items() if count >= least_notes(notes))
