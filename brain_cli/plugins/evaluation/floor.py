"""A plain BM25 over whole notes, any word of the question: the floor that a formula has to beat.

    score = Σ idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average length)),  k1 = 1.2, b = 0.75

As a full-text table of SQLite ranks: stems of all words of file name and text, no stop words, no field weights.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from heapq import nsmallest
from zlib import crc32

from brain_cli.index.snapshot import Snapshot
from brain_cli.types import stem
from brain_cli.vault.analyzer import fold, stemmer

K1, B = 1.2, 0.75
QUESTION_WORDS = 5
# Shorter sections say too little to ask for.
MIN_CHARS = 120
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

    def rare_words(self, text: str, most: int) -> list[str]:
        """Return the words of a text that fewest notes have, but more than one, in the order of the text."""
        typed = {"".join(_terms(word)): word for word in reversed(_WORD.findall(text)) if word.isalpha()}
        known = [each for each in typed if len(self._postings.get(each, ())) > 1 and len(typed[each]) > 3]
        chosen = set(nsmallest(most, known, key=lambda each: len(self._postings[each])))
        return [typed[each] for each in reversed(typed) if each in chosen]


def _terms(text: str) -> list[str]:
    cut = stemmer("english")
    return [cut(word) for word in _WORD.findall(fold(text).lower())]


def drafts(snapshot: Snapshot, count: int) -> Iterator[str]:
    """Yield at most `count` JSON lines: a draft of a question of rare words, the note, and the text it is from.

    The notes are chosen by a hash of their paths, so the same vault has the same drafts.
    """
    floor, table = Floor(snapshot), snapshot.note_table
    active = [note_id for note_id, row in table.rows.items() if not row.archived]
    for note_id in sorted(active, key=lambda each: crc32(table.rows[each].path.encode("utf-8", "replace"))):
        sections = [snapshot.index.fragment(number) for number in snapshot.numbers_of(note_id)]
        longest = max(sections, key=lambda each: len(each.text), default=None)
        words = floor.rare_words(longest.text, QUESTION_WORDS) if longest and len(longest.text) >= MIN_CHARS else []
        if len(words) < QUESTION_WORDS or not longest or count <= 0:
            continue
        count -= 1
        path, text = table.rows[note_id].path, " ".join(longest.text.split())[:300]
        draft = {"qid": f"draft-{crc32(path.encode('utf-8', 'replace')):08x}", "query": " ".join(words)}
        yield json.dumps({**draft, "path": path, "text": text}, ensure_ascii=False)
