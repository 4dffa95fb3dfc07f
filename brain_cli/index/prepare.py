"""Prepare a note for any engine: its weighted words, and its texts."""

from __future__ import annotations

from collections.abc import Callable

from brain_cli.index import PreparedNote
from brain_cli.index.field_weights import TermWeights, note_field_weights, section_field_weights
from brain_cli.types import Fragment, Note


def prepared(note: Note, language: str, stored: Callable[[Fragment], bytes]) -> PreparedNote:
    """Compute the words of a note; `stored` encodes a fragment as the engine stores it."""
    headings_above = {heading for fragment in note.fragments for heading in fragment.trail}
    about = note_field_weights(note.metadata, (h for h in note.headings if h not in headings_above), language)
    weights = [section_field_weights(fragment, language) for fragment in note.fragments]
    return PreparedNote(
        lengths=[max(1, round(sum(each.body.values()))) for each in weights],
        bodies=[_encoded(each.body) for each in weights],
        in_links=[_encoded(each.in_links) for each in weights],
        about=_encoded(about),
        texts=[stored(fragment) for fragment in note.fragments],
    )


def _encoded(weights: TermWeights) -> dict[bytes, float]:
    return {term.encode("utf-8", "replace"): weight for term, weight in weights.items()}
