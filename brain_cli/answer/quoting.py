"""Quote the notes that were found: their best passages, and an excerpt of the one strong match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING

from brain_cli.answer.passages.definitions import DEFINING, defines, is_about, opening, subject_of_definition
from brain_cli.answer.passages.excerpt import Excerpt, excerpt
from brain_cli.answer.passages.quotable import sentences_of
from brain_cli.answer.passages.section_text import SectionText
from brain_cli.answer.passages.selection import (
    Passage,
    Pieces,
    Source,
    best_passage,
    key_points,
    passages,
)
from brain_cli.answer.passages.several_in_one import several_in_one
from brain_cli.answer.passages.term_weights import TermWeights
from brain_cli.answer.passages.windows import AROUND, USUAL_CHARS
from brain_cli.answer.quotes import Quotes, Space
from brain_cli.answer.results import Hit, Ranked, Recall
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.name_similarity import is_named
from brain_cli.types import Fragment, KeyPoint, Strategy
from brain_cli.vault.folding import same_name

if TYPE_CHECKING:
    from brain_cli.answer.by_meaning import ByMeaning

MAX_SECTIONS = 4
# A passage in a list is about two lines of a terminal.
LISTED_CHARS = 130
MAX_LISTED_PASSAGES = 7
LISTS = (Strategy.MANY_WEAK, Strategy.ARCHIVE_FALLBACK)
# The passage nearest in meaning gains this share of the weight of all words of the query.
NEAREST = 0.4
# A sentence of so many of the passages in a list says little about any of them. A shorter one is in them by chance.
MIN_REPEATS = 3
MIN_REPEATED_CHARS = 20


class Quoter:
    """The passages of one recall; `term_weights` is the idf of each term of its query.

    `usual_chars` is the usual length of a passage; it is shorter in a list.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        term_weights: Mapping[str, float],
        near: ByMeaning | None = None,
        query: str = "",
    ) -> None:
        self.usual_chars = USUAL_CHARS
        self._defined = subject_of_definition(query)
        self._snapshot = snapshot
        self._term_weights = TermWeights(term_weights)
        self._best: dict[int, KeyPoint | None] = {}
        self._near = near
        self._left_out: Collection[str] = ()

    def passage(self, ranked: Ranked) -> KeyPoint | None:
        """Return the best passage of a note; None if nothing of it can be quoted."""
        if ranked.note_id not in self._best:
            self._best[ranked.note_id] = self._best_passage(ranked)
        return self._best[ranked.note_id]

    def long_passage(self, ranked: Ranked) -> KeyPoint | None:
        """Return the best passages of a note as one."""
        return several_in_one(self._passages(ranked), self._term_weights)

    def passage_without(self, ranked: Ranked, sentences: Collection[str]) -> KeyPoint | None:
        """Return the best passage of a note that has none of some sentences."""
        self._left_out = sentences
        found = self._best_passage(ranked)
        self._left_out = ()
        return found

    def key_points(self, sources: Sequence[Ranked]) -> list[KeyPoint]:
        """Return the best passages of some notes."""
        found = {ranked.note_id: self._passages(ranked) for ranked in sources}
        self._best |= {note_id: each[0].key_point for note_id, each in found.items() if each}
        return key_points(found.values(), self._term_weights)

    def excerpt(self, ranked: Ranked, space: Space, *, from_top: bool) -> Excerpt:
        """Return the excerpt of the one strong match, from the section with the best passage on.

        With `from_top`, for a note that was asked for by its name, it is from the top of the note on.
        """
        fragments = [self._snapshot.index.fragment(each) for each in self._snapshot.numbers_of(ranked.note_id)]
        boilerplate = self._snapshot.note_table.boilerplate
        if from_top:
            return excerpt(fragments, 0, fragments[0].text_line, boilerplate, space)
        best = self.passage(ranked)
        line = best.line if best else ranked.hits[0].fragment.line
        section = max((index for index, each in enumerate(fragments) if each.line <= line), default=0)
        last_line = best.end_line if best else line
        return excerpt(fragments, section, last_line, boilerplate, space)

    def _best_passage(self, ranked: Ranked) -> KeyPoint | None:
        if not self._near and not self._defined:
            best = best_passage(self._sources(ranked), self._term_weights)
            return best or best_passage(self._other_sources(ranked), self._term_weights)
        found = self._passages(ranked)
        return found[0].key_point if found else None

    def _passages(self, ranked: Ranked) -> list[Passage]:
        """Return the passages of a note, best first, including the one nearest in meaning."""
        found = passages(self._sources(ranked), self._term_weights)
        found = found or passages(self._other_sources(ranked), self._term_weights)
        if self._near and (nearest := self._near.passage(ranked.note_id)):
            # Passages that overlap with it are dropped, so that nothing is shown twice.
            found = [each for each in found if not _overlap(each.key_point, nearest)]
            found.append(Passage(self._value(nearest, self._snapshot.language(ranked.note_id)), nearest))
            found.sort(key=lambda passage: -passage.value)
        return self._definition_first(ranked, found) if found and self._defined else found

    def _is_defined_by(self, ranked: Ranked) -> bool:
        """Return whether a note is about the subject whose definition the query asks for."""
        language, names = self._snapshot.language(ranked.note_id), (ranked.metadata.title, *ranked.metadata.aliases)
        return any(is_about(name, self._defined, language) for name in names)

    def _definition_first(self, ranked: Ranked, found: Sequence[Passage]) -> list[Passage]:
        """Return the passages of a note, those that define the subject first; else its opening, if it is about that."""
        raised = [
            each._replace(value=DEFINING * each.value, is_definition=True)
            if defines(each.key_point.text, self._defined)
            else each
            for each in found
        ]
        raised.sort(key=lambda passage: -passage.value)
        if defines(raised[0].key_point.text, self._defined) or not self._is_defined_by(ranked):
            return raised
        number = self._snapshot.numbers_of(ranked.note_id)[0]
        begins = opening(self._source(ranked, number, self._snapshot.index.fragment(number)))
        if begins is None:
            return raised
        best = Passage(raised[0].value, begins, self._snapshot.language(ranked.note_id), is_definition=True)
        return [best, *(each for each in raised if not _overlap(each.key_point, begins))]

    def _value(self, nearest: KeyPoint, language: str) -> float:
        """Return the value of the passage nearest in meaning: its own words, and a share of all words of the query."""
        around = self._term_weights.of(" ".join((nearest.title, *nearest.heading)), language)
        return self._term_weights.of(nearest.text, language) + AROUND * around + NEAREST * self._term_weights.total

    def _sources(self, ranked: Ranked) -> Iterator[Source]:
        """Yield the sections that matched, and the note's first one, which usually names its subject.

        In a diary, the first section is about another day than the one asked for, so it is left out.
        """
        first = self._snapshot.numbers_of(ranked.note_id)[0]
        hits = {hit.number: hit for hit in ranked.hits[:MAX_SECTIONS]}
        of_one_day = ranked.date not in (None, ranked.metadata.timestamp)
        if first not in hits and not of_one_day:
            hits[first] = Hit(self._snapshot.index.fragment(first), 0.0, first)
        yield from (self._source(ranked, number, hit.fragment) for number, hit in hits.items())

    def _other_sources(self, ranked: Ranked) -> Iterator[Source]:
        """Yield the first sections of a note, for one whose matching sections have nothing to quote."""
        for number in self._snapshot.numbers_of(ranked.note_id)[:MAX_SECTIONS]:
            yield self._source(ranked, number, self._snapshot.index.fragment(number))

    def _source(self, ranked: Ranked, number: int, fragment: Fragment) -> Source:
        return Source(
            ranked.metadata.path,
            ranked.metadata.title,
            self._snapshot.language(ranked.note_id),
            fragment,
            self._snapshot.note_table.boilerplate,
            section_text=partial(self._section_text, number, fragment),
            usual_chars=self.usual_chars,
            kept=partial(self._kept, number),
            left_out=self._left_out,
        )

    def _kept(self, number: int, first: int, last: int, make: Callable[[], Pieces]) -> Pieces:
        return self._snapshot.passage_cache.get(("pieces", number, first, last), make)

    def _section_text(self, number: int, fragment: Fragment) -> SectionText:
        boilerplate = self._snapshot.note_table.boilerplate
        return self._snapshot.passage_cache.get(("section", number), lambda: SectionText(fragment, boilerplate))


def with_quotes(recall: Recall, quoter: Quoter, quotes: Quotes, space: Space) -> Recall:
    """Return a recall with its quotations: the excerpt of the one strong match, key points, passages."""
    if recall.strategy in LISTS:
        quoter.usual_chars = LISTED_CHARS
    elif recall.strategy is Strategy.SYNTHESIZE:
        recall = recall._replace(key_points=tuple(quoter.key_points(recall.sources)))
    else:
        from_top = is_named(recall.answer.metadata, same_name(recall.query))
        recall = recall._replace(excerpt=quoter.excerpt(recall.answer, space, from_top=from_top))
    shown = _quoted_notes(recall, quotes)

    def with_passage(ranked: Ranked) -> Ranked:
        if ranked.note_id not in shown:
            return ranked
        is_first_of_list = recall.strategy in LISTS and ranked.rank == 1
        passage = quoter.long_passage(ranked) if is_first_of_list else quoter.passage(ranked)
        return ranked._replace(passage=passage)

    results, archive = list(map(with_passage, recall.results)), list(map(with_passage, recall.archive))
    if recall.strategy in LISTS:
        results, archive = (list(_without_repeats(each, quoter)) for each in (results, archive))
    return recall._replace(results=tuple(results), archive=tuple(archive))


def _without_repeats(listed: Sequence[Ranked], quoter: Quoter) -> Iterator[Ranked]:
    """Yield some results; a sentence that several passages have is shown in the first of them only."""
    sentences = [sentences_of(ranked.passage.text) if ranked.passage else [] for ranked in listed]
    counts = Counter(sentence for each in sentences for sentence in set(each) if len(sentence) >= MIN_REPEATED_CHARS)
    repeated = {sentence for sentence, count in counts.items() if count >= MIN_REPEATS}
    shown: set[str] = set()
    for ranked, each in zip(listed, sentences, strict=True):
        if not shown.isdisjoint(repeated.intersection(each)):
            ranked = ranked._replace(passage=quoter.passage_without(ranked, repeated | shown))
        yield ranked
        shown.update(sentences_of(ranked.passage.text) if ranked.passage else ())


def _quoted_notes(recall: Recall, quotes: Quotes) -> Set[int]:
    """Return the ids of the notes that get a passage: all results, or those that the strategy shows with one."""
    if quotes is Quotes.EVERY:
        quoted = (*recall.results, *recall.archive)
    elif recall.strategy is Strategy.SYNTHESIZE:
        quoted = recall.sources
    elif recall.strategy is Strategy.SINGLE_STRONG:
        quoted = ()
    else:
        quoted = (recall.results or recall.archive)[:MAX_LISTED_PASSAGES]
    return {ranked.note_id for ranked in quoted}


def _overlap(point: KeyPoint, other: KeyPoint) -> bool:
    return point.line <= other.end_line and other.line <= point.end_line
