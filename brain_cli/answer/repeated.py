"""Find what a new note repeats or replaces: the same note of the last hour, and decisions on the same subject."""

from __future__ import annotations

from collections.abc import Callable

from brain_cli.index.snapshot import Snapshot
from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import terms
from brain_cli.vault.repetition import REPEAT_SECONDS, says_the_same

DECIDING_KINDS = ("decision", "preference")
SHARED_WORDS = 2 / 3


def repeated(
    snapshot: Snapshot,
    title: str,
    text: str | None,
    project: str | None,
    now: float,
    suits: Callable[[NoteMetadata], bool] = lambda _: True,
) -> NoteMetadata | None:
    """Return the newest active note of the last hour with nearly the same title and text; None if there is none.

    `text` is that of the note's sections; for None, the title is enough. Only a note that `suits` is returned.
    """
    table = snapshot.note_table
    found = []
    for note_id, timestamp in table.column("timestamp").items():
        if 0 <= now - timestamp <= REPEAT_SECONDS:
            metadata = table.metadata(note_id)
            has_same_title = _is_of(metadata, project) and suits(metadata) and says_the_same(title, metadata.title)
            if has_same_title and (text is None or says_the_same(text, snapshot.body(note_id))):
                found.append(metadata)
    return max(found, key=lambda metadata: (metadata.timestamp, metadata.path), default=None)


def replaceable(snapshot: Snapshot, title: str, kind: str | None, project: str | None) -> list[NoteMetadata]:
    """Return the active decisions and preferences that a new one may replace, newest first.

    They belong to the same project, and their titles share two thirds of the words of the shorter title, at least two.
    """
    table = snapshot.note_table
    found = []
    for note_id in table.rows if kind in DECIDING_KINDS else ():
        metadata = table.metadata(note_id)
        if metadata.kind in DECIDING_KINDS and _is_of(metadata, project) and note_id not in table.superseded:
            language = snapshot.language(note_id)
            new, old = set(terms(title, language)), set(terms(metadata.title, language))
            if len(new & old) >= max(2.0, min(len(new), len(old)) * SHARED_WORDS):
                found.append(metadata)
    return sorted(found, key=lambda metadata: (metadata.timestamp, metadata.path), reverse=True)


def _is_of(metadata: NoteMetadata, project: str | None) -> bool:
    return (metadata.project or "").casefold() == (project or "").casefold() and not metadata.archived
