"""A snapshot of a shared memory: only the candidates of a query, with the totals of the whole memory.

`gather` (search/gathering.py) requests the candidates of a query and fills the snapshot with them. All other data are
fetched on demand, in bulk, so that a recall takes few round trips.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import add
from types import MappingProxyType

from brain_cli.index import BODY
from brain_cli.index.shared_index import SharedIndex
from brain_cli.index.shared_note_table import RECORDS_AT_ONCE, SharedNoteTable
from brain_cli.index.shared_store import Reader
from brain_cli.index.shared_store_values import Details, Found, Places, Section, Slip, Variants
from brain_cli.index.snapshot import Snapshot, TermPostings, only_linked
from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import Word

# The texts of this many candidates are fetched with them; of a long note, only the matching sections.
TEXTS_AT_ONCE = 60
MAX_SECTIONS = 8
# Stands for all notes that were not fetched.
NO_NOTE = 0


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
        self._occurrences: dict[Variants, tuple[Places, int]] = {}

    def expect(self, words: Iterable[Word]) -> None:
        """Count these words together with those of the next `count`."""
        self._expected = list(words)

    def count(
        self,
        words: Sequence[Word],
        compounds: Mapping[tuple[Word, Word], Word] = MappingProxyType({}),
        slips: Callable[[Word], Iterable[Slip]] = lambda _: (),
    ) -> None:
        """Fetch the frequencies of a query's words and compounds, and the names that write one of them as two words.

        For a word that no note has, the possibly intended terms are fetched.
        """
        with_compounds = [*words, *compounds.values()]
        merged_words = [
            word._replace(variants=tuple(dict.fromkeys((*word.variants, *compound.variants))))
            for pair, compound in compounds.items()
            for word in pair
        ]
        counted = dict.fromkeys(word.variants for word in (*with_compounds, *merged_words, *self._expected))
        positions = {variants: position for position, variants in enumerate(counted)}
        if not positions:
            return
        numbered_slips = [slip._replace(word=positions[word.variants]) for word in words for slip in slips(word)]
        texts = [word.text for word in with_compounds if word.text.isalpha() and not word.optional]
        pairs = {
            (positions[first.variants], positions[second.variants], positions[whole.variants]): (first, second)
            for (first, second), whole in compounds.items()
        }
        found = self.reader.frequencies(list(positions), texts, list(pairs), numbered_slips)
        self._names = found.names
        self._written_as_one = {pairs[each] for each in found.written_as_one}
        self.frequencies = dict(zip(positions, found.counts, strict=True))
        self.frequencies |= {(term,): count for term, count in found.near.items()}
        self.fetched.add_near_terms([each for each in numbered_slips if each.word not in found.known], found)
        self._occurrences = {variants: (Places(), count) for variants, count in self.frequencies.items()}
        self.empty_caches()

    def is_written_as_one(self, pair: tuple[Word, Word]) -> bool:
        return pair in self._written_as_one

    def names_with_compound(self, text: str) -> Sequence[str]:  # noqa: ARG002 - all are few
        return self._names

    def frequencies_of(self, words: Iterable[Variants]) -> dict[Variants, int]:
        """Return the frequencies of some words, fetching those that are not known yet."""
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
        """Replace the notes by the candidates of a query, with the occurrences of its words; `terms` are its terms.

        At most `may_be_shown` candidates can be shown (None: all). `corrections` are words that may be misspelled.
        """
        rare = [position for position, variants in enumerate(words) if variants in corrections]
        in_order = [*found.note_ids, *found.joined]
        best = found.note_ids[:TEXTS_AT_ONCE]
        wanted = list(dict.fromkeys((*sections_wanted(found.places, best), *_first_sections(found.places, rare))))
        receivers = in_order[:may_be_shown]
        # A formula that may show any of them looks at many.
        records = in_order if may_be_shown is None else in_order[:RECORDS_AT_ONCE]
        details = self.reader.details(in_order, records, wanted, terms, best, receivers)
        self.table.named_tags = details.tags
        self.notes_called = found.named
        self._replace_notes(details, in_order)
        self._occurrences = {
            variants: (positions, frequencies.get(variants, 0))
            for variants, positions in zip(words, found.places, strict=True)
        }
        self._occurrences |= {
            each: (Places(), frequencies[each]) for each in frequencies if each not in self._occurrences
        }

    def _replace_notes(self, details: Details, in_order: Sequence[int]) -> None:
        self.empty_caches()
        vars(self).pop("_firsts", None)
        details.notes.sort(key=lambda note: note.note_id)
        self.table.fill(details, in_order)
        self.fetched.fill((note for note in details.notes if note.note_id in self.table.rows), details.texts)

    def postings(self, variants: Sequence[str]) -> TermPostings:
        """Return the postings of a word in the candidates; its frequency is that in the whole memory."""
        key = tuple(variants)
        if key not in self._occurrences:
            [positions], [frequency] = self.reader.places([key], list(self.table.rows))
            self._occurrences[key] = positions, frequency
        return self._as_postings(*self._occurrences[key])

    def _as_postings(self, positions: Places, frequency: int) -> TermPostings:
        body, in_links = self._by_number(*positions.body), self._by_number(*positions.in_links)
        about = dict(sorted(zip(*positions.about, strict=True)))
        anchored: dict[int, float] = {}
        for note_id, weight in zip(*positions.anchors, strict=True):
            anchored[note_id] = anchored.get(note_id, 0.0) + weight
            about[note_id] = about.get(note_id, 0.0) + weight
        if positions.anchored_elsewhere:
            anchored[NO_NOTE] = positions.anchored_elsewhere
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

    def read_ahead(self, note_ids: Iterable[int], *, whole: bool = False, also: Iterable[int] = ()) -> None:
        """Fetch the texts of some notes: all of a short note, the matching sections of a long one.

        If anything has to be fetched, the matching sections of the notes `also` come with it.
        """
        notes = list(note_ids)
        places = [positions for positions, _ in self._occurrences.values()]
        wanted = set(sections_wanted(places, notes))
        if not self.fetched.missing(wanted):
            # The other sections of these notes may never be read.
            wanted = set()
        for note_id in notes if wanted or whole else ():
            wanted.update(self._sections_of(note_id, whole=whole))
        if self.fetched.missing(wanted):
            self.fetched.read(sorted(wanted.union(sections_wanted(places, list(also)))))

    def _sections_of(self, note_id: int, *, whole: bool) -> Sequence[Section]:
        """Return the sections of a note: with `whole` all of them, else only the first ones of a long note."""
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
        """Fetch the data of some notes, candidates or not; return whether new links became known."""
        return self.table.learn(note_ids)

    def learn_terms(self, terms: Iterable[str]) -> None:
        """Fetch which of some terms any note has."""
        _, self.fetched.stems = self.reader.near_terms({}, list(dict.fromkeys(terms)))

    def hold(self, note_ids: Sequence[int]) -> None:
        """Replace the notes by these, with all their data, as if a query had found them."""
        self._replace_notes(self.reader.details(note_ids, note_ids, (), receivers=note_ids), note_ids)

    def as_shown(self, metadata: NoteMetadata, note_id: int) -> NoteMetadata:
        """Return the metadata of a note with the path that answers show, `vault:path`."""
        return metadata._replace(path=self.table.rows[note_id].path)


def _first_sections(positions: Sequence[Places], words: Iterable[int]) -> Iterator[Section]:
    """Yield the first sections that contain some words."""
    for word in words:
        note_ids, sections, _ = positions[word].body
        yield from sorted(zip(note_ids, sections, strict=True))[:MAX_SECTIONS]


def sections_wanted(positions: Iterable[Places], note_ids: Sequence[int]) -> Iterator[Section]:
    """Yield the first section of each note, and those with most of the words."""
    weights: dict[int, dict[int, float]] = {note_id: {} for note_id in note_ids}
    for each in positions:
        for note_id, section, weight in zip(*each.body, strict=True):
            if note_id in weights:
                weights[note_id][section] = weights[note_id].get(section, 0.0) + weight / (weight + 1)
    for note_id, found in weights.items():
        best = sorted(found, key=lambda section: -found[section])[:MAX_SECTIONS]
        yield from ((note_id, section) for section in dict.fromkeys((0, *best)))
