"""The postings of one word in all its variants: its weights in notes and fragments, and its frequency."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.index import ABOUT, BODY, IN_LINKS

if TYPE_CHECKING:
    from brain_cli.index import Index
    from brain_cli.index.note_table import NoteTable

Postings = Iterator[tuple[Sequence[int], Sequence[float]]]


class TermPostings(NamedTuple):
    """The weights of a word.

    `body` maps fragment numbers to weights; `about` maps note ids to the weights in titles, tags, paths and anchor
    text, `anchored` to those in anchor text alone; under 0 it has the sum for notes that were not fetched. `linked`
    are the notes that have it only in links to other notes. `frequency` is the number of fragments with the word,
    including all fragments of a note with it in the title.
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
    return TermPostings(body, about, linked, anchored, _frequency(note_ids, note_table, body, about))


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
    note_ids: Sequence[int], body: Mapping[int, float], about: Mapping[int, float], in_links: Mapping[int, float]
) -> frozenset[int]:
    """Return the notes that have a word only in links to other notes."""
    notes = {*map(note_ids.__getitem__, in_links)}.difference(about, (0,))
    if not notes:
        return frozenset()
    outside = [number for number, weight in body.items() if weight > in_links.get(number, 0.0)]
    return frozenset(notes.difference(map(note_ids.__getitem__, outside)))


def _frequency(
    note_ids: Sequence[int], note_table: NoteTable, body: Mapping[int, float], about: Mapping[int, float]
) -> int:
    """Return the number of fragments with the word, including all fragments of a note with it in the title."""
    if not about:
        return len(body)
    fragments: Mapping[int, int] = note_table.column("fragments")
    counted_twice = sum(map(about.__contains__, map(note_ids.__getitem__, body)))
    return len(body) + sum(map(fragments.__getitem__, about)) - counted_twice
