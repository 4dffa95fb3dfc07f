"""Where a word of the query stands in the vault, and what it is worth there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from brain_cli.index import ABOUT, BODY
from brain_cli.index.snapshot import Snapshot
from brain_cli.notes.words import Word, stemmer, terms, words_of

MOST_EXPANSIONS = 500
# Shorter words have too many neighbours; longer ones may differ in two letters.
SHORTEST_CORRECTED = 5
TWO_EDITS_FROM = 9
SHARED_BEGINNING = 0.6


class Found(NamedTuple):
    """A word's weights by fragment (its text and headings) and by note (title, aliases, tags, path); its idf.

    `certainty` (0..1) is below 1 for a word that was taken for another.
    """

    word: Word
    idf: float
    body: Mapping[int, float]
    about: Mapping[int, float]
    certainty: float = 1.0

    @property
    def frequency(self) -> int:
        return len(self.body) + len(self.about)

    def notes(self, snapshot: Snapshot) -> set[int]:
        """Return the ids of the notes that have the word."""
        note_ids = snapshot.index.note_ids
        return {note_ids[number] for number in self.body}.union(self.about)


def look_up(snapshot: Snapshot, word: Word) -> Found:
    """Find a word under all its variants; idf = ln(1 + (N - df + .5) / (df + .5)), counted in fragments."""
    body, about = _weights(snapshot, word)
    catalogue, note_ids = snapshot.catalogue, snapshot.index.note_ids
    frequency = len(body)
    if about:
        # A word of the title stands in every fragment of the note.
        frequency += sum(catalogue.rows[note_id].fragments for note_id in about)
        frequency -= sum(note_ids[number] in about for number in body)
    idf = math.log(1 + (catalogue.fragments - frequency + 0.5) / (frequency + 0.5))
    return Found(word, idf, body, about)


def _weights(snapshot: Snapshot, word: Word) -> tuple[dict[int, float], dict[int, float]]:
    index, note_ids = snapshot.index, snapshot.index.note_ids
    body: dict[int, float] = {}
    about: dict[int, float] = {}
    for variant in word.variants:
        for numbers, weights in index.postings(BODY, variant):
            if body:
                for number, weight in zip(numbers, weights, strict=True):
                    body[number] = body.get(number, 0.0) + weight
            else:
                body = dict(zip(numbers, weights, strict=True))
        for numbers, weights in index.postings(ABOUT, variant):
            for number, weight in zip(numbers, weights, strict=True):
                about[note_ids[number]] = about.get(note_ids[number], 0.0) + weight
    if snapshot.catalogue.fragments != len(note_ids):
        # Some fragments are deleted but still listed: they belong to note 0.
        body = {number: weight for number, weight in body.items() if note_ids[number]}
        about.pop(0, None)
    return body, about


def expanded(snapshot: Snapshot, prefix: str) -> Word:
    """Return a prefix as a word: any term that begins so, or the prefix as a word of its own."""
    languages = snapshot.catalogue.languages
    wholes = [stemmer(language)(part) for language in languages for part in words_of(prefix)[-1:]]
    begun = [term for part in words_of(prefix)[-1:] for term in _terms_with_prefix(snapshot, part)]
    return Word(f"{prefix}*", tuple(dict.fromkeys([*wholes, *begun[:MOST_EXPANSIONS]])))


def _terms_with_prefix(snapshot: Snapshot, prefix: str) -> list[str]:
    found = {term for field in (BODY, ABOUT) for term in snapshot.index.terms_with_prefix(field, prefix)}
    return sorted(found)


def corrected(snapshot: Snapshot, word: Word) -> Found | None:
    """Return the nearest word of the vault to one that it does not have; None where none is near enough."""
    if len(word.text) < SHORTEST_CORRECTED or not word.text.isalpha():
        return None
    edits = 2 if len(word.text) >= TWO_EDITS_FROM else 1
    near = [
        look_up(snapshot, Word(term, (term,)))
        for term in {term for variant in word.variants for term in _similar(snapshot, variant, edits)}
    ]
    return max(near, key=lambda found: (found.frequency, found.word.text), default=None)


def _similar(snapshot: Snapshot, term: str, edits: int) -> Iterator[str]:
    """Yield terms a few letters away; a slip in the ending leaves a stem that the typed word begins with."""
    for field in (BODY, ABOUT):
        yield from snapshot.index.similar_terms(field, term, edits)
    shortest = max(SHORTEST_CORRECTED, round(len(term) * SHARED_BEGINNING))
    for length in range(len(term) - 1, shortest - 1, -1):
        for field in (BODY, ABOUT):
            if any(True for _ in snapshot.index.postings(field, term[:length])):
                yield term[:length]
                return


def as_written(snapshot: Snapshot, found: Found) -> str:
    """Return a word as a note writes it, rather than its stem."""
    number = next(iter(found.body), None)
    if number is not None:
        fragment = snapshot.index.fragment(number)
        language = snapshot.language(snapshot.index.note_ids[number])
        for word in words_of(" ".join((*fragment.trail, fragment.text))):
            if terms(word, language)[:1] == [found.word.variants[0]]:
                return word
    return found.word.text
