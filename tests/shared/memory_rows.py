"""Convert the notes of a store in memory to result rows: notes, and the occurrences of a word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memory_state import NoteInMemory

from brain_cli.index.shared_store_values import FoundNote, Places, Variants


def found_note(stored: NoteInMemory, copies: Mapping[str, int]) -> FoundNote:
    """Return a note as a row of a result; `copies` counts the notes by content hash."""
    note = stored.note
    former = [f"{stored.vault}:{path}" for path in note.former_paths]
    links = (note.neighbours, note.successors)
    return FoundNote(
        note.note_id, stored.vault, note.row, note.lengths, *links, note.tells_date, copies[note.content_hash], former
    )


def places_in(word: Variants, notes: Sequence[NoteInMemory]) -> Places:
    """Return the occurrences of a word in some notes."""

    def in_sections(field: str) -> tuple[list[int], list[int], list[float]]:
        rows = [
            (stored.note.note_id, section, weight)
            for stored in notes
            for section, term_weights in enumerate(getattr(stored.words, field))
            if (weight := sum(term_weights.get(term, 0.0) for term in word))
        ]
        return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]

    def in_notes(weights: Iterable[tuple[int, Mapping[str, float]]]) -> tuple[list[int], list[float]]:
        rows = [
            (note_id, weight)
            for note_id, term_weights in weights
            if (weight := sum(term_weights.get(t, 0.0) for t in word))
        ]
        return [row[0] for row in rows], [row[1] for row in rows]

    return Places(
        in_sections("bodies"),
        in_sections("in_links"),
        in_notes((stored.note.note_id, stored.words.about) for stored in notes),
        in_notes((stored.note.note_id, stored.anchors) for stored in notes),
    )
