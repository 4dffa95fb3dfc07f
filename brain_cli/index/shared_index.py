"""The fragments that were fetched from a shared memory; texts are fetched when they are read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from brain_cli.index.shared_store import Reader, StoreError
from brain_cli.index.shared_store_values import SHORT_SECTIONS, FoundNote, Frequencies, Section, Slip
from brain_cli.index.shared_terms import is_within, unpacked_text
from brain_cli.index.snapshot import MIN_ROOM
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
        """Hold the fragments of these notes and no others."""
        note_ids: list[int] = []
        lengths: list[int] = []
        self.firsts = {}
        for note in notes:
            if note.row:
                self.firsts[note.note_id] = len(note_ids)
                note_ids += [note.note_id] * len(note.lengths)
                lengths += note.lengths
        self.note_ids, self.lengths, self._texts = note_ids, lengths, dict(texts)

    def hold_slips(self, slips: Iterable[Slip], found: Frequencies) -> None:
        """Hold what was looked up for some unknown words."""
        for slip in slips:
            if slip.edits:
                alike = (term for term in found.near if term[:1] == slip.term[:1])
                self.near_terms[slip.term] = [term for term in alike if is_within(slip.term, term, slip.edits)]
            self.stems.update(filter(found.near.__contains__, slip.stems))
            self.living_prefixes[slip.beginning] = any(term.startswith(slip.beginning) for term in found.near)

    def postings(self, field: str, term: str) -> Iterator[tuple[Sequence[int], Sequence[float]]]:  # noqa: ARG002
        """Yield an empty list for a shortened word that some note has: a correction asks for no more."""
        if term in self.stems:
            yield (), ()

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:  # noqa: ARG002
        if prefix not in self._prefixed:
            self._prefixed[prefix] = self._reader.terms_with_prefix(prefix, 2 * MIN_ROOM)
        yield from self._prefixed[prefix]

    def similar_terms(self, field: str, term: str, edits: int) -> Iterator[str]:  # noqa: ARG002
        # They were looked up for the most letters that a word of its length may differ in.
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
        """Return the sections of a note that are fetched together: all, or four times as many as a short note has."""
        first = self.firsts[note_id]
        count = self.note_ids[first : first + 4 * SHORT_SECTIONS].count(note_id)
        return [(note_id, section) for section in range(count)]

    def read(self, sections: Iterable[Section]) -> None:
        """Fetch the texts of some sections, unless they are here."""
        if missing := self.missing(sections):
            self.add(self._reader.texts(missing))

    def missing(self, sections: Iterable[Section]) -> list[Section]:
        """Return those of some sections whose texts are not here."""
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
