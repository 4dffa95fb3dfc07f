"""The open tasks in notes, the newest notes first."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from brain_cli.answer.health import NoteHealth
from brain_cli.index.snapshot import Snapshot
from brain_cli.types import NoteMetadata

# A checkbox, or one of the words with which Logseq marks an open task.
_TASK = re.compile(r"^\s*[-*+]\s+(?:\[ \]|TODO|DOING|NOW|LATER|WAITING)\s+(?P<words>\S.*)$")
_FENCE = re.compile(r"^\s*(```|~~~)")


class Task(NamedTuple):
    """An open task of a note, with its line."""

    metadata: NoteMetadata
    line: int
    words: str


def open_tasks(snapshot: Snapshot, health: Iterable[NoteHealth]) -> Iterator[Task]:
    """Yield the open tasks of some notes."""
    parts = ((each, number) for each in health for number in snapshot.numbers_of(each.note_id))
    for note, number in parts:
        fragment = snapshot.index.fragment(number)
        is_code = False
        for offset, line in enumerate(fragment.text.splitlines()):
            is_code ^= bool(_FENCE.match(line))
            if not is_code and (task := _TASK.match(line)):
                yield Task(note.metadata, fragment.text_line + offset, task["words"].strip())


def newest_first(health: Iterable[NoteHealth]) -> list[NoteHealth]:
    """Return notes with the newest first."""
    return sorted(health, key=lambda each: (-each.metadata.timestamp, each.path))
