"""A plain BM25 over whole notes, any word of the question: the floor that a formula has to beat.

    score = Σ idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average length)),  k1 = 1.2, b = 0.75

As a full-text table of SQLite ranks: stems of all words of file name and text, no stop words, no field weights.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from heapq import nsmallest

from brain_cli.index.snapshot import Snapshot
from brain_cli.types import stem
from brain_cli.vault.analyzer import fold, stemmer

K1, B = 1.2, 0.75
_WORD = re.compile(r"\w+")


class Floor:
    """The words of all active notes of a snapshot, in memory."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._rows = {note_id: row for note_id, row in snapshot.note_table.rows.items() if not row.archived}
        self._postings: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._lengths: dict[int, int] = {}
        for note_id, row in self._rows.items():
            texts = (snapshot.index.fragment(number) for number in snapshot.numbers_of(note_id))
            whole = " ".join((stem(row.path), *(f"{' '.join(each.trail[-1:])} {each.text}" for each in texts)))
            words = Counter(_terms(whole))
            self._lengths[note_id] = words.total()
            for word, count in words.items():
                self._postings[word][note_id] = count
        self._average = max(1.0, sum(self._lengths.values()) / max(1, len(self._lengths)))

    def ranking(self, question: str, most: int, project: str | None = None) -> tuple[str, ...]:
        """Return the paths of the best notes, best first; with `project`, only of its notes."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in dict.fromkeys(_terms(question)):
            found = self._postings.get(word, {})
            idf = math.log(1 + (len(self._rows) - len(found) + 0.5) / (len(found) + 0.5))
            for note_id, count in found.items():
                norm = K1 * (1 - B + B * self._lengths[note_id] / self._average)
                scores[note_id] += idf * count * (K1 + 1) / (count + norm)
        allowed = (each for each in scores if not project or self._rows[each].project == project.casefold())
        best = nsmallest(most, allowed, key=lambda each: (-scores[each], self._rows[each].path))
        return tuple(self._rows[each].path for each in best)


def _terms(text: str) -> list[str]:
    cut = stemmer("english")
    return [cut(word) for word in _WORD.findall(fold(text).lower())]
