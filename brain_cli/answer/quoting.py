"""What is quoted of the notes that were found: their best passages, and a stretch of the one strong match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from brain_cli.answer.passages.excerpt import Excerpt, excerpt
from brain_cli.answer.passages.regions import MOST_READ_CHARS
from brain_cli.answer.passages.selection import Passage, Source, key_points, passages
from brain_cli.answer.passages.windows import USUAL_CHARS
from brain_cli.answer.passages.worths import FoldedText
from brain_cli.answer.results import Hit, Ranked
from brain_cli.index.snapshot import Snapshot
from brain_cli.types import Fragment, KeyPoint

MOST_SECTIONS = 4


class Quoter:
    """The passages of one recall; `worths` is the idf of each term of its query.

    `usual_chars` is how long a passage grows: a list of many has less room for each.
    """

    def __init__(self, snapshot: Snapshot, worths: Mapping[str, float]) -> None:
        self.usual_chars = USUAL_CHARS
        self._snapshot = snapshot
        self._worths = worths
        self._passages: dict[int, list[Passage]] = {}

    def passage(self, ranked: Ranked) -> KeyPoint | None:
        """Return the best passage of a note; None where nothing of it can be quoted."""
        best = self._of_note(ranked)
        return best[0].key_point if best else None

    def key_points(self, sources: Sequence[Ranked]) -> list[KeyPoint]:
        """Return the best passages of some notes."""
        found = [passage for ranked in sources for passage in self._of_note(ranked)]
        return key_points(sorted(found, key=lambda passage: -passage.value))

    def excerpt(self, ranked: Ranked) -> Excerpt:
        """Return what is shown of the one strong match: it begins at the section that holds the best passage."""
        fragments = [self._snapshot.index.fragment(each) for each in self._snapshot.numbers_of(ranked.note_id)]
        best = self.passage(ranked)
        line = best.line if best else ranked.hits[0].fragment.line
        section = max((place for place, each in enumerate(fragments) if each.line <= line), default=0)
        last_line = best.end_line if best else line
        return excerpt(fragments, section, last_line, self._snapshot.note_table.boilerplate)

    def _of_note(self, ranked: Ranked) -> list[Passage]:
        found = self._passages.get(ranked.note_id)
        if found is None:
            found = self._passages[ranked.note_id] = passages(self._sources(ranked), self._worths)
        return found

    def _sources(self, ranked: Ranked) -> Iterator[Source]:
        """Yield the sections that matched, and the note's first one, where its subject is told."""
        first = self._snapshot.numbers_of(ranked.note_id)[0]
        hits = {hit.number: hit for hit in ranked.hits[:MOST_SECTIONS]}
        if first not in hits:
            hits[first] = Hit(self._snapshot.index.fragment(first), 0.0, first)
        metadata, language = ranked.metadata, self._snapshot.language(ranked.note_id)
        boilerplate = self._snapshot.note_table.boilerplate
        for number, hit in hits.items():
            folded = partial(self._folded, number, hit.fragment)
            yield Source(metadata.path, metadata.title, language, hit.fragment, boilerplate, folded, self.usual_chars)

    def _folded(self, number: int, fragment: Fragment) -> FoldedText:
        return self._snapshot.cache.get(("folded", number), lambda: FoldedText(fragment.text[:MOST_READ_CHARS]))
