"""A shared memory as a recall sees it: a snapshot of the candidates alone, with the totals of the whole memory.

`gather` (search/gathering.py) asks the store for the candidates of a query and fills the snapshot with them. What else
a recall looks at is fetched when it is asked for, in bulk, so that a recall takes few round trips.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import add
from types import MappingProxyType

from brain_cli.index import BODY
from brain_cli.index.lru_cache import LruCache
from brain_cli.index.shared_index import SharedIndex
from brain_cli.index.shared_note_table import RECORDS_AT_ONCE, SharedNoteTable
from brain_cli.index.shared_store import Reader
from brain_cli.index.shared_store_values import Details, Found, Places, Section, Slip, Variants
from brain_cli.index.snapshot import MIN_ROOM, Snapshot
from brain_cli.index.term_postings import TermPostings, only_linked
from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import Word

# The texts of so many candidates are fetched with them; of a long note only the sections that matched.
TEXTS_AT_ONCE = 30
MAX_SECTIONS = 8


class SharedSnapshot(Snapshot):
    """One state of a shared memory, with the candidates of one query at a time."""

    is_shared = True

    def __init__(self, reader: Reader) -> None:
        totals = reader.totals()
        self.reader = reader
        self.table = SharedNoteTable(reader, totals)
        self.fetched = SharedIndex(reader, totals.generation)
        super().__init__(self.table, self.fetched)
        self.frequencies: dict[Variants, int] = {}
        self._names: list[str] = []
        self._expected: list[Word] = []
        self._written_as_one: set[tuple[Word, Word]] = set()
        self._places: dict[Variants, tuple[Places, int]] = {}

    def expect(self, words: Iterable[Word]) -> None:
        """Count these words with the next ones that are counted."""
        self._expected = list(words)

    def count(
        self,
        words: Sequence[Word],
        compounds: Mapping[tuple[Word, Word], Word] = MappingProxyType({}),
        slips: Callable[[Word], Iterable[Slip]] = lambda _: (),
    ) -> None:
        """Fetch how frequent the words of a query are, the names that write one of them as two, and the compounds.

        For a word that no note has, the terms are fetched that may have been meant.
        """
        every = [*words, *compounds.values()]
        as_one = [
            word._replace(variants=tuple(dict.fromkeys((*word.variants, *compound.variants))))
            for pair, compound in compounds.items()
            for word in pair
        ]
        counted = dict.fromkeys(word.variants for word in (*every, *as_one, *self._expected))
        places = {variants: place for place, variants in enumerate(counted)}
        if not places:
            return
        sought = [slip._replace(word=places[word.variants]) for word in words for slip in slips(word)]
        texts = [word.text for word in every if word.text.isalpha() and not word.optional]
        pairs = {
            (places[first.variants], places[second.variants], places[whole.variants]): (first, second)
            for (first, second), whole in compounds.items()
        }
        found = self.reader.frequencies(list(places), texts, list(pairs), sought)
        self._names = found.names
        self._written_as_one = {pairs[each] for each in found.written_as_one}
        self.frequencies = dict(zip(places, found.counts, strict=True))
        self.frequencies |= {(term,): count for term, count in found.near.items()}
        self.fetched.hold_slips([each for each in sought if each.word not in found.known], found)
        self._places = {variants: (Places(), count) for variants, count in self.frequencies.items()}
        self.cache = LruCache(MIN_ROOM)

    def is_written_as_one(self, pair: tuple[Word, Word]) -> bool:
        return pair in self._written_as_one

    def names_with_compound(self, text: str) -> Sequence[str]:  # noqa: ARG002 - all are few
        return self._names

    def frequencies_of(self, words: Iterable[Variants]) -> dict[Variants, int]:
        """Return how frequent some words are; those that are not known yet are fetched."""
        asked = list(dict.fromkeys(words))
        missing = [variants for variants in asked if variants not in self.frequencies]
        if missing:
            counts = self.reader.frequencies(missing).counts
            self.frequencies |= zip(missing, counts, strict=True)
        return {variants: self.frequencies[variants] for variants in asked}

    def fill(
        self,
        found: Found,
        words: Sequence[Variants],
        frequencies: Mapping[Variants, int],
        terms: Sequence[str],
        may_be_shown: int | None = None,
        corrections: Collection[Variants] = (),
    ) -> None:
        """Hold the candidates of a query, and the places of its words in them; `terms` are those of all its words.

        Of the candidates, so many may be shown; None for all. `corrections` are words whose spelling is looked at.
        """
        rare = [place for place, variants in enumerate(words) if variants in corrections]
        in_order = [*found.note_ids, *found.joined]
        best = found.note_ids[:TEXTS_AT_ONCE]
        wanted = list(dict.fromkeys((*sections_wanted(found.places, best), *_first_sections(found.places, rare))))
        receivers = in_order[:may_be_shown]
        details = self.reader.details(in_order, in_order[:RECORDS_AT_ONCE], wanted, terms, best, receivers)
        self.table.named_tags = details.tags
        self.notes_called = found.named
        self._hold(details, in_order)
        self._places = {
            variants: (places, frequencies.get(variants, 0))
            for variants, places in zip(words, found.places, strict=True)
        }
        self._places |= {each: (Places(), frequencies[each]) for each in frequencies if each not in self._places}

    def _hold(self, details: Details, in_order: Sequence[int]) -> None:
        self.cache = LruCache(MIN_ROOM)
        vars(self).pop("_firsts", None)
        details.notes.sort(key=lambda note: note.note_id)
        self.table.fill(details, in_order)
        self.fetched.fill((note for note in details.notes if note.note_id in self.table.rows), details.texts)

    def postings(self, variants: Sequence[str]) -> TermPostings:
        """Return where a word stands in the candidates; its frequency is that in the whole memory."""
        key = tuple(variants)
        if key not in self._places:
            [places], [frequency] = self.reader.places([key], list(self.table.rows))
            self._places[key] = places, frequency
        return self._as_postings(*self._places[key])

    def _as_postings(self, places: Places, frequency: int) -> TermPostings:
        body, in_links = self._by_number(*places.body), self._by_number(*places.in_links)
        about = dict(sorted(zip(*places.about, strict=True)))
        anchored: dict[int, float] = {}
        for note_id, weight in zip(*places.anchors, strict=True):
            anchored[note_id] = anchored.get(note_id, 0.0) + weight
            about[note_id] = about.get(note_id, 0.0) + weight
        linked = only_linked(self.index.note_ids, body, about, in_links)
        return TermPostings(body, about, linked, anchored, frequency)

    def _by_number(
        self, note_ids: Sequence[int], sections: Sequence[int], weights: Sequence[float]
    ) -> dict[int, float]:
        numbers = map(add, map(self.fetched.firsts.__getitem__, note_ids), sections)
        return dict(sorted(zip(numbers, weights, strict=True)))

    def has_prefix(self, prefix: str) -> bool:
        if prefix not in self.fetched.living_prefixes:
            terms = self.index.terms_with_prefix(BODY, prefix)
            self.fetched.living_prefixes[prefix] = any(self.frequencies_of((term,) for term in terms).values())
        return self.fetched.living_prefixes[prefix]

    def read_ahead(self, note_ids: Iterable[int], *, whole: bool = False) -> None:
        """Fetch the texts of some notes: all of a short note, of a long one the sections that matched."""
        notes = list(note_ids)
        wanted = set(sections_wanted([places for places, _ in self._places.values()], notes))
        if not self.fetched.missing(wanted):
            # The other sections of these notes may never be read.
            wanted = set()
        for note_id in notes if wanted or whole else ():
            wanted.update(self._sections_of(note_id, whole=whole))
        self.fetched.read(sorted(wanted))

    def _sections_of(self, note_id: int, *, whole: bool) -> Sequence[Section]:
        """Return the sections of a note: all of them where the whole is wanted, else the first of a long one."""
        if not whole:
            return self.fetched.sections_of(note_id)
        return [(note_id, section) for section in range(len(self.numbers_of(note_id)))]

    def read_to_check(self, note_ids: Collection[int], whole: Iterable[int] = ()) -> None:
        """Fetch the records of some notes, and the whole texts of some, in one round trip."""
        missing = [note_id for note_id in note_ids if not self.table.rows[note_id].line]
        sections = self.fetched.missing(each for note_id in whole for each in self._sections_of(note_id, whole=True))
        if missing or sections:
            details = self.reader.details((), missing, sections)
            self.table.add_records(details.records)
            self.fetched.add(details.texts)

    def read_fragments(self, numbers: Iterable[int]) -> None:
        """Fetch the texts of some fragments."""
        firsts, note_ids = self.fetched.firsts, self.index.note_ids
        self.fetched.read((note_ids[number], number - firsts[note_ids[number]]) for number in numbers)

    def learn(self, note_ids: Iterable[int]) -> bool:
        """Fetch what is known of some notes, candidates or not; return whether other links are known now."""
        return self.table.learn(note_ids)

    def learn_terms(self, terms: Iterable[str]) -> None:
        """Fetch which of some terms a note has."""
        _, self.fetched.stems = self.reader.near_terms({}, list(dict.fromkeys(terms)))

    def hold(self, note_ids: Sequence[int]) -> None:
        """Hold these notes, whole, as if a query had found them."""
        self._hold(self.reader.details(note_ids, note_ids, (), receivers=note_ids), note_ids)

    def as_shown(self, metadata: NoteMetadata, note_id: int) -> NoteMetadata:
        """Return the metadata of a note as an answer names it: by its vault and its path."""
        return metadata._replace(path=self.table.rows[note_id].path)


def _first_sections(places: Sequence[Places], words: Iterable[int]) -> Iterator[Section]:
    """Yield the first sections in which some words stand."""
    for word in words:
        note_ids, sections, _ = places[word].body
        yield from sorted(zip(note_ids, sections, strict=True))[:MAX_SECTIONS]


def sections_wanted(places: Iterable[Places], note_ids: Sequence[int]) -> Iterator[Section]:
    """Yield, of each note, its first section and those with most of the words."""
    weights: dict[int, dict[int, float]] = {note_id: {} for note_id in note_ids}
    for each in places:
        for note_id, section, weight in zip(*each.body, strict=True):
            if note_id in weights:
                weights[note_id][section] = weights[note_id].get(section, 0.0) + weight / (weight + 1)
    for note_id, found in weights.items():
        best = sorted(found, key=lambda section: -found[section])[:MAX_SECTIONS]
        yield from ((note_id, section) for section in dict.fromkeys((0, *best)))
