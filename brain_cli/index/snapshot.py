"""An index opened for reading: the note table and the postings of the same generation."""

import time
from collections import OrderedDict
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Sized,
)
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from brain_cli.index import ABOUT, BODY, IN_LINKS, Index, engine
from brain_cli.index.damage import BrokenIndexError, MissingFileError
from brain_cli.index.directory import IndexDirectory, read_note_table
from brain_cli.index.note_table import NoteTable
from brain_cli.record import Record
from brain_cli.types import NoteMetadata
from brain_cli.vault.clock import Clock

if TYPE_CHECKING:
    from brain_cli.vault.analyzer import Word

Cached = TypeVar("Cached", bound=Sized)
Postings = Iterator[tuple[Sequence[int], Sequence[float]]]
# The size of the cache in items of about 100 bytes: half of the memory that a daemon needs anyway.
ITEMS_PER_FRAGMENT = 5
MIN_CACHE_ITEMS = 50_000
# The notes that questions find are cached, four numbers for each note: room for four questions that
# find every note.
QUESTION_CACHE_ITEMS_PER_NOTE = 4 * 4


class AskedWords(Record):
    """Words that notes may have; with `kinds`, the newest notes of these and of all kinds are
    wanted too.
    """

    words: "Sequence[Word]" = ()
    kinds: Sequence[str] = ()


class KeptVectors(Record):
    """Vectors that are kept with notes, as a plugin wrote them: those of notes by id, and those of
    a sample of all.
    """

    notes: Mapping[int, bytes]
    sample: Sequence[bytes]


class Snapshot:
    """One generation of the index: its note table, and the postings of its engine.

    `not_found` are notes that are here only because a command names them: a recall of the query
    would not rank them. `behind` counts the changed notes that it lacks.
    """

    not_found: Collection[int] = ()
    behind = 0

    def __init__(self, note_table: NoteTable, index: Index) -> None:
        self.note_table = note_table
        self.index = index
        # The values computed from notes and fragments.
        self.cache = LruCache(max(MIN_CACHE_ITEMS, ITEMS_PER_FRAGMENT * note_table.fragments))
        self.question_cache = LruCache(QUESTION_CACHE_ITEMS_PER_NOTE * note_table.notes)

    def postings(self, variants: Sequence[str]) -> "TermPostings":
        """Return the postings of a word in all its variants."""
        return term_postings(self.index, self.note_table, variants)

    def has_prefix(self, prefix: str) -> bool:
        """Return whether a note has a term that begins so."""
        terms = (
            term
            for field in (BODY, ABOUT)
            for term in self.index.terms_with_prefix(field, prefix)
        )
        # The index keeps a term for a while after its last note has lost it.
        return any(self.postings((term,)).frequency for term in terms)

    # A snapshot of a vault has every note.
    def about(self, question: object, clock: Clock) -> "Snapshot":  # noqa: ARG002
        """Return a snapshot with the notes that may answer a query or have `AskedWords`."""
        return self

    # A vault has none beside its index.
    def vectors(self, model: str) -> KeptVectors | None:  # noqa: ARG002
        """Return the vectors that a model gave these notes, if they are kept with the notes; None
        if they are not.
        """
        return None

    def shown(self, note_id: int) -> NoteMetadata:
        """Return the metadata of a note with the path to show."""
        return self.note_table.metadata(note_id)

    def numbers_of(self, note_id: int) -> range:
        """Return the numbers of a note's fragments, which are consecutive and in file order."""
        first = self._firsts.get(note_id, 0)
        return range(first, first + self.note_table.value("fragments", note_id))

    def language(self, note_id: int) -> str:
        """Return the language a note's words were stemmed in."""
        language: str = self.note_table.value("language", note_id)
        return language

    @cached_property
    def _firsts(self) -> dict[int, int]:
        note_ids = self.index.note_ids
        # In reverse, so that each note's first fragment is kept.
        return dict(zip(reversed(note_ids), range(len(note_ids) - 1, -1, -1), strict=True))

    def body(self, note_id: int) -> str:
        """Return the text of a note's fragments."""
        return "\n".join(
            self.index.fragment(number).text for number in self.numbers_of(note_id)
        )


def open_snapshot(index_directory: IndexDirectory) -> Snapshot:
    """Open the current generation; BrokenIndexError with the reason if that fails."""
    index_directory.check_owner()
    for _ in range(10):
        note_table = read_note_table(index_directory)
        build = index_directory.build()
        if note_table is None or build is None:
            raise BrokenIndexError
        try:
            index = engine().open(str(build))
        except MissingFileError:
            # A refresh may have replaced the files in the meantime.
            time.sleep(0.01)
            continue
        if index.generation == note_table.generation:
            return _checked(Snapshot(note_table, index))
        index.close()
    raise BrokenIndexError


def _checked(snapshot: Snapshot) -> Snapshot:
    """Compare the engine's counts with the note table, because an overwritten column gives wrong
    answers.
    """
    note_table = snapshot.note_table
    index = snapshot.index
    if sum(index.lengths) != note_table.length or sum(index.note_ids) != note_table.checksum:
        raise BrokenIndexError
    return snapshot


class LruCache:
    """A cache of values by key, for one thread; all values together have at most
    `capacity` items.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        # Each value with its size. Taking the first key from a dictionary takes longer the more
        # were taken before.
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(
        self, key: Hashable, make: Callable[[], Cached], size: Callable[[Cached], int] = len
    ) -> Cached:
        """Return the cached value of a key, computing it on a miss; `size` counts the
        items in it.
        """
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
            return found[0]  # type: ignore[no-any-return]
        value = make()
        items = size(value)
        self._values[key] = value, items
        self._capacity -= items
        while self._capacity < 0 and len(self._values) > 1:
            self._capacity += self._values.popitem(last=False)[1][1]
        return value

    def clear(self) -> None:
        """Discard all values."""
        self._capacity += sum(size for _, size in self._values.values())
        self._values.clear()


class TermPostings(Record):
    """The weights of a word.

    `body` maps fragment numbers to weights; `about` maps note ids to the weights in titles, tags,
    paths and anchor text, `anchored` to those in anchor text alone; under 0 it has the sum for
    notes that were not fetched. `linked` are the notes that have it only in links to other notes.
    `frequency` is the number of fragments with the word, including all fragments of a note with it
    in the title.
    """

    body: Mapping[int, float]
    about: Mapping[int, float]
    linked: frozenset[int]
    anchored: Mapping[int, float]
    frequency: int


def term_postings(index: Index, note_table: NoteTable, variants: Sequence[str]) -> TermPostings:
    """Return the postings of a word from an opened index."""
    note_ids = index.note_ids
    body = _summed(_postings(index, BODY, variants))
    about: dict[int, float] = {}
    for numbers, weights in _postings(index, ABOUT, variants):
        for number, weight in zip(numbers, weights, strict=True):
            about[note_ids[number]] = about.get(note_ids[number], 0.0) + weight
    if note_table.fragments != len(note_ids):
        # Deleted fragments may still be listed; they belong to note 0.
        body = {number: weight for number, weight in body.items() if note_ids[number]}
        about.pop(0, None)
    anchored: dict[int, float] = {}
    for variant in variants:
        for note_id, weight in note_table.anchors.weights(variant).items():
            about[note_id] = about.get(note_id, 0.0) + weight
            anchored[note_id] = anchored.get(note_id, 0.0) + weight
    in_links = _summed(_postings(index, IN_LINKS, variants))
    linked = only_linked(note_ids, body, about, in_links)
    return TermPostings(
        body, about, linked, anchored, _frequency(note_ids, note_table, body, about)
    )


def _postings(index: Index, field: str, variants: Iterable[str]) -> Postings:
    for variant in variants:
        yield from index.postings(field, variant)


def _summed(postings: Postings) -> dict[int, float]:
    """Return the sums of the weights of all variants by fragment number."""
    found: dict[int, float] = {}
    for numbers, weights in postings:
        if found:
            for number, weight in zip(numbers, weights, strict=True):
                found[number] = found.get(number, 0.0) + weight
        else:
            found = dict(zip(numbers, weights, strict=True))
    return found


def only_linked(
    note_ids: Sequence[int],
    body: Mapping[int, float],
    about: Mapping[int, float],
    in_links: Mapping[int, float],
) -> frozenset[int]:
    """Return the notes that have a word only in links to other notes."""
    notes = {*map(note_ids.__getitem__, in_links)}.difference(about, (0,))
    if not notes:
        return frozenset()
    also_outside = (
        number for number, weight in in_links.items() if body.get(number, 0.0) > weight
    )
    outside = chain(body.keys() - in_links.keys(), also_outside)
    return frozenset(notes.difference(map(note_ids.__getitem__, outside)))


def _frequency(
    note_ids: Sequence[int],
    note_table: NoteTable,
    body: Mapping[int, float],
    about: Mapping[int, float],
) -> int:
    """Return the number of fragments with the word, including all fragments of a note with it in
    the title.
    """
    if not about:
        return len(body)
    fragments: Mapping[int, int] = note_table.column("fragments")
    counted_twice = sum(map(about.__contains__, map(note_ids.__getitem__, body)))
    return len(body) + sum(map(fragments.__getitem__, about)) - counted_twice
