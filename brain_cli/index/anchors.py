"""Anchor text: the words of the links to a note, each with the number of notes that use it.

There is one line for each word, so that a recall reads only the lines of its own words:

    "hmm":[12,3,40,1]       three notes link to note 12 with the word “hmm”, one to note 40
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

# Term → note id → the number of notes that link to it with that term.
LinkCounts = Mapping[str, Mapping[int, int]]


class Anchors:
    """The anchor text of all notes of one generation, kept as text and parsed word by word on demand."""

    def __init__(self, lines: str = "") -> None:
        self.lines = lines

    def weights(self, term: str) -> dict[int, float]:
        """Return the anchor weight of a term by note id."""
        from brain_cli.index.field_weights import anchor_weight

        return {note_id: anchor_weight(links) for note_id, links in self.links(term).items()}

    def links(self, term: str) -> dict[int, int]:
        """Return the number of links with a term by the id of the linked note."""
        key = f"\n{json.dumps(term)}:"
        start = self.lines.find(key)
        if start < 0:
            return {}
        start += len(key)
        end = self.lines.find("\n", start)
        values = json.loads(self.lines[start : end if end >= 0 else None])
        return dict(zip(values[::2], values[1::2], strict=True))


def anchors_of(counts: LinkCounts) -> Anchors:
    """Return the anchor text of a vault from its counted links."""
    return Anchors("".join(f"\n{json.dumps(term)}:{_line(counts[term])}" for term in sorted(counts)))


def count_links(links: Iterable[tuple[int, Iterable[str]]]) -> LinkCounts:
    """Count the links by term and target; `links` has the (target, terms) of every linking note."""
    counts: dict[str, dict[int, int]] = {}
    for target, terms in links:
        for term in terms:
            notes = counts.setdefault(term, {})
            notes[target] = notes.get(target, 0) + 1
    return counts


def _line(notes: Mapping[int, int]) -> str:
    return json.dumps([number for pair in sorted(notes.items()) for number in pair], separators=(",", ":"))
