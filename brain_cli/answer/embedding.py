"""Embed all notes that are not embedded yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from brain_cli.answer.note_passages import EmbeddedPassage, note_passages
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.meaning import Embedder
from brain_cli.meaning.vectors import VectorStore, note_keys

# Vectors are saved after this many passages, so an interruption loses some seconds of work.
PASSAGES_AT_ONCE = 256


class Work(NamedTuple):
    """The number of notes of a vault, and of those that are embedded."""

    notes: int
    embedded: int


def work(note_table: NoteTable, store: VectorStore) -> Work:
    """Count the notes of a vault that are embedded."""
    known, keys = store.notes(), note_keys(note_table)
    return Work(len(keys), sum(key in known for key in keys.values()))


def embed(snapshot: Snapshot, store: VectorStore, embedder: Embedder, progress: Callable[[int, int], None]) -> int:
    """Embed every note that is not embedded yet; return how many. An interruption keeps the finished batches."""
    with store.writing():
        known, keys = store.notes(), note_keys(snapshot.note_table)
        store.keep_only(keys.values())
        missing = [note_id for note_id, key in keys.items() if key not in known]
        for first, note_ids, passages in _batches(snapshot, missing):
            progress(first, len(missing))
            notes = [(keys[note_id], count) for note_id, count in note_ids]
            vectors = embedder.passages([each.text for each in passages])
            store.append(notes, [each.position for each in passages], vectors)
    return len(missing)


def _batches(
    snapshot: Snapshot, note_ids: Sequence[int]
) -> Iterator[tuple[int, list[tuple[int, int]], list[EmbeddedPassage]]]:
    """Yield batches: the number of notes before it, its notes with their numbers of passages, and the passages."""
    done = 0
    counts: list[tuple[int, int]] = []
    passages: list[EmbeddedPassage] = []
    for index, note_id in enumerate(note_ids):
        found = note_passages(snapshot, note_id)
        counts.append((note_id, len(found)))
        passages += found
        if len(passages) >= PASSAGES_AT_ONCE or index + 1 == len(note_ids):
            yield done, counts, passages
            done, counts, passages = index + 1, [], []
