"""Find the note that was added a moment ago with nearly the same title and text, for the same project."""

from __future__ import annotations

from brain_cli.index.snapshot import Snapshot
from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import words_of

JUST_NOW_SECONDS = 3600.0
# Two titles, and two texts, say the same if they share more of their words than this.
MOST_SHARED = 0.8


def repeated(snapshot: Snapshot, title: str, text: str, project: str | None, now: float) -> NoteMetadata | None:
    """Return the newest active note of the last hour that says the same; None where there is none.

    A note with the same title and another text says something else. `text` is that of the note's sections.
    """
    table = snapshot.note_table
    found = []
    for note_id in table.rows:
        metadata = table.metadata(note_id)
        is_twin = _is_recent(metadata, project, now) and _alike(title, metadata.title)
        if is_twin and _alike(text, snapshot.body(note_id)):
            found.append(metadata)
    return max(found, key=lambda metadata: (metadata.timestamp, metadata.path), default=None)


def _is_recent(metadata: NoteMetadata, project: str | None, now: float) -> bool:
    return (
        0 <= now - metadata.timestamp <= JUST_NOW_SECONDS
        and (metadata.project or "").casefold() == (project or "").casefold()
        and not metadata.archived
    )


def _alike(one: str, other: str) -> bool:
    """Return whether two texts share most of their words (Jaccard index); without words, whether they are equal."""
    words, others = set(words_of(one)), set(words_of(other))
    return len(words & others) > MOST_SHARED * len(words | others) if words | others else one == other
