"""The fragments fetched from a shared memory; their texts are fetched on demand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from brain_cli.index.edit_distance import is_within
from brain_cli.index.shared_store import Reader, StoreError
from brain_cli.index.shared_store_values import SHORT_SECTIONS, FoundNote, Frequencies, Section, Slip
from brain_cli.index.shared_terms import unpacked_text
from brain_cli.index.snapshot import MIN_CACHE_ITEMS
from brain_cli.types import Fragment


class SharedIndex:
    """The fragments of the candidates, numbered from 0, note by note."""

    def __init__(self, reader: Reader, generation: int) -> None:
        self._reader = reader
        self.generation = generation
        self.note_ids: Sequence[int] = []
        self.lengths: Sequence[int] = []
        self.firsts: dict[int, int] = {}
        self._texts: dict[Section, bytes] = {}
        self.near_terms: dict[str, list[str]] = {}
        self.living_prefixes: dict[str, bool] = {}
        self._prefixed: dict[str, list[str]] = {}
        self.stems: set[str] = set()

    def fill(self, notes: Iterable[FoundNote], texts: Mapping[Section, bytes]) -> None:
        """Replace the fragments by those of these notes."""
        note_ids: list[int] = []
        lengths: list[int] = []
        self.firsts = {}
        for note in notes:
            if note.row:
                self.firsts[note.note_id] = len(note_ids)
                note_ids += [note.note_id] * len(note.lengths)
                lengths += note.lengths
        self.note_ids, self.lengths, self._texts = note_ids, lengths, dict(texts)

    def add_near_terms(self, slips: Iterable[Slip], found: Frequencies) -> None:
        """Add the results of looking up some unknown words."""
        for slip in slips:
            if slip.edits:
                same_letter = (term for term in found.near if term[:1] == slip.term[:1])
                self.near_terms[slip.term] = [term for term in same_letter if is_within(slip.term, term, slip.edits)]
            self.stems.update(filter(found.near.__contains__, slip.stems))
            self.living_prefixes[slip.beginning] = any(term.startswith(slip.beginning) for term in found.near)

    def postings(self, field: str, term: str) -> Iterator[tuple[Sequence[int], Sequence[float]]]:  # noqa: ARG002
        """Yield an empty list for a stem that some note has: the correction of words only tests whether it is known."""
        if term in self.stems:
            yield (), ()

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:  # noqa: ARG002
        if prefix not in self._prefixed:
            self._prefixed[prefix] = self._reader.terms_with_prefix(prefix, 2 * MIN_CACHE_ITEMS)
        yield from self._prefixed[prefix]

    def similar_terms(self, field: str, term: str, edits: int) -> Iterator[str]:  # noqa: ARG002
        # They were looked up for the maximum edit distance of a word of its length.
        yield from (other for other in self.near_terms.get(term, ()) if is_within(term, other, edits))

    def fragment(self, number: int) -> Fragment:
        note_id = self.note_ids[number]
        section = note_id, number - self.firsts[note_id]
        if section not in self._texts:
            self.read([section, *self.sections_of(note_id)])
        if section not in self._texts:
            raise StoreError("A note of the shared memory is gone.", "Try again.")
        return fragment_of(self._texts[section])

    def sections_of(self, note_id: int) -> list[Section]:
        """Return the sections of a note to fetch together: all, but at most four times those of a short note."""
        first = self.firsts[note_id]
        count = self.note_ids[first : first + 4 * SHORT_SECTIONS].count(note_id)
        return [(note_id, section) for section in range(count)]

    def read(self, sections: Iterable[Section]) -> None:
        """Fetch the texts of some sections that were not fetched yet."""
        if missing := self.missing(sections):
            self.add(self._reader.texts(missing))

    def missing(self, sections: Iterable[Section]) -> list[Section]:
        """Return those of some sections whose texts were not fetched yet."""
        return [section for section in dict.fromkeys(sections) if section not in self._texts]

    def add(self, texts: Mapping[Section, bytes]) -> None:
        self._texts |= texts

    def close(self) -> None:
        self._reader.close()


def fragment_of(raw: bytes) -> Fragment:
    trail, *values = json.loads(unpacked_text(raw))
    return Fragment(tuple(trail), *values)


def fragment_text(fragment: Fragment) -> str:
    """Return a fragment as it is stored."""
    return json.dumps(fragment, separators=(",", ":"))
