"""Find a note that was recently added to the same project with nearly the same title and text."""

from __future__ import annotations

from brain_cli.index.snapshot import Snapshot
from brain_cli.types import NoteMetadata
from brain_cli.vault.repetition import REPEAT_SECONDS, says_the_same


def repeated(snapshot: Snapshot, title: str, text: str, project: str | None, now: float) -> NoteMetadata | None:
    """Return the newest active note of the last hour with nearly the same title and text; None if there is none.

    `text` is that of the note's sections.
    """
    table = snapshot.note_table
    found = []
    for note_id in table.rows:
        metadata = table.metadata(note_id)
        has_same_title = _is_recent(metadata, project, now) and says_the_same(title, metadata.title)
        if has_same_title and says_the_same(text, snapshot.body(note_id)):
            found.append(metadata)
    return max(found, key=lambda metadata: (metadata.timestamp, metadata.path), default=None)


def _is_recent(metadata: NoteMetadata, project: str | None, now: float) -> bool:
    return (
        0 <= now - metadata.timestamp <= REPEAT_SECONDS
        and (metadata.project or "").casefold() == (project or "").casefold()
        and not metadata.archived
    )
