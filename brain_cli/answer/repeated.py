"""Find what a new note repeats or replaces: the same note of the last hour, and decisions on the
same subject.
"""

from __future__ import annotations

from brain_cli.index.snapshot import Snapshot
from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import terms
from brain_cli.vault.repetition import REPEAT_SECONDS, says_the_same

DECIDING_KINDS = ("decision", "preference")
SHARED_WORDS = 2 / 3


def repeated(
    snapshot: Snapshot, title: str, text: str, project: str | None, now: float
) -> NoteMetadata | None:
    """Return the newest active note of the last hour with nearly the same title and text; None if
    there is none.

    `text` is that of the note's sections.
    """
    alike = named_alike(snapshot, title, project, now)
    return next(
        (
            found
            for note_id, found in alike.items()
            if says_the_same(text, snapshot.body(note_id))
        ),
        None,
    )


def named_alike(
    snapshot: Snapshot, title: str, project: str | None, now: float
) -> dict[int, NoteMetadata]:
    """Return the active notes of the last hour with nearly the same title, newest first, by note
    id.
    """
    table = snapshot.note_table
    recent = [
        each
        for each, at in table.column("timestamp").items()
        if 0 <= now - at <= REPEAT_SECONDS
    ]
    found = {each: table.metadata(each) for each in recent}
    alike = {
        each: it
        for each, it in found.items()
        if _is_of(it, project) and says_the_same(title, it.title)
    }
    return dict(
        sorted(alike.items(), key=lambda item: (item[1].timestamp, item[1].path), reverse=True)
    )


def replaceable(
    snapshot: Snapshot, title: str, kind: str | None, project: str | None
) -> list[NoteMetadata]:
    """Return the active decisions and preferences that a new one may replace, newest first.

    They belong to the same project, and their titles share two thirds of the words of the shorter
    title, at least two.
    """
    table = snapshot.note_table
    found = []
    for note_id in table.rows if kind in DECIDING_KINDS else ():
        metadata = table.metadata(note_id)
        if (
            metadata.kind in DECIDING_KINDS
            and _is_of(metadata, project)
            and note_id not in table.superseded
        ):
            language = snapshot.language(note_id)
            new = set(terms(title, language))
            old = set(terms(metadata.title, language))
            if len(new & old) >= max(2.0, min(len(new), len(old)) * SHARED_WORDS):
                found.append(metadata)
    return sorted(found, key=lambda metadata: (metadata.timestamp, metadata.path), reverse=True)


def _is_of(metadata: NoteMetadata, project: str | None) -> bool:
    return (metadata.project or "").casefold() == (
        project or ""
    ).casefold() and not metadata.archived
