"""The newest notes: those of the session's project, its handoffs first, then those of the whole vault."""

from __future__ import annotations

from collections.abc import Iterable

from brain_cli.index.note_table import NoteTable

HANDOFF = "handoff"
# More of them would hide newer notes.
MAX_HANDOFFS = 3


def newest_notes(note_table: NoteTable, note_ids: Iterable[int], project: str | None, most: int) -> list[int]:
    """Return the newest of some notes, at most `most`: handoffs of the project, its other notes, then all others.

    A note with only the file time of a clone comes after the dated ones. Without a project, or if none of the notes
    belongs to it, all notes count as the project's.
    """
    rows = note_table.rows
    in_order = sorted(note_ids, key=lambda note_id: (-(note_table.stated_date(note_id) or 0.0), rows[note_id].path))
    own = [each for each in in_order if project and rows[each].project == project.casefold()] or in_order
    handoffs = [each for each in own if note_table.rows[each].kind == HANDOFF][:MAX_HANDOFFS]
    return list(dict.fromkeys((*handoffs, *own, *in_order)))[:most]
