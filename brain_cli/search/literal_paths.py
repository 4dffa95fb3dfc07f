"""Find the notes that contain a path of the query exactly as written: `/var`, `.gitignore`, `~/.ssh/config`.

The index has only the words of a path, so `/var` would match every `/var/log/…`. The sections with these words are
read, and a note with the path itself gets more evidence, by the path's share of the query:

    evidence + 1.5 * Σ idf of the path's words / Σ idf of the query

A word of the title gives about 2.25 (search/calibration.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm
from brain_cli.vault.analyzer import words_of

PATH_WEIGHT = 1.5
# Reading takes time, so only this many sections, of the most relevant notes, are read.
MAX_SECTIONS = 200
MAX_PATHS = 3
# A path begins with `/`, `./`, `~/` or `.`; `and/or` and `v1.2` are not paths.
_PATH = re.compile(r"""(?:^|(?<=[\s"'`“„«(]))(?:~|\.{1,2})?[/.]\.?[^\W_][\w.@+-]{0,100}(?:/[\w.@+-]{1,100}){0,20}""")


def paths_in(query: str) -> list[str]:
    """Return the paths in a query, without a final dot."""
    return [path.rstrip(".-") for path in islice(_PATH.findall(query), MAX_PATHS)]


def evidence_of_paths(
    snapshot: Snapshot, query: str, terms: Sequence[ScoredTerm], relevances: Mapping[int, float]
) -> dict[int, float]:
    """Return the evidence that the paths of a query add to some notes, by note id."""
    worth = sum(term.idf for term in terms) or 1.0
    found: dict[int, float] = {}
    for path in paths_in(query):
        words = set(words_of(path))
        of_path = [term for term in terms if term.word.text in words and not term.word.optional]
        if not of_path:
            continue
        more = PATH_WEIGHT * sum(term.idf for term in of_path) / worth
        for note_id in _notes_with(snapshot, path, of_path, relevances):
            found[note_id] = found.get(note_id, 0.0) + more
    return found


def _notes_with(
    snapshot: Snapshot, path: str, terms: Iterable[ScoredTerm], relevances: Mapping[int, float]
) -> set[int]:
    note_ids = snapshot.index.note_ids
    numbers = frozenset.intersection(*(frozenset(term.scores.sections) for term in terms))
    best = sorted(numbers, key=lambda number: (-relevances.get(note_ids[number], 0.0), number))[:MAX_SECTIONS]
    return {note_ids[number] for number in best if _has(snapshot, number, path)}


def _has(snapshot: Snapshot, number: int, path: str) -> bool:
    fragment = snapshot.index.fragment(number)
    return any(True for text in (fragment.text, *fragment.trail) for _ in _whole(text, path))


def _whole(text: str, path: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a complete path; `.deb` may follow a file name."""
    before = "" if path.startswith(".") else r"(?<![\w/.~-])"
    return re.finditer(rf"{before}{re.escape(path)}/?(?![\w/]|[.-]\w)", text)
