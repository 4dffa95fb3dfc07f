"""Embed all notes that are not embedded yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.meaning.embedders import Embedder
from brain_cli.plugins.meaning.note_passages import EmbeddedPassage, note_passages, opening
from brain_cli.plugins.meaning.vectors import VectorStore, note_keys, opening_key

# Vectors are saved after this many passages, so an interruption loses some seconds of work.
PASSAGES_AT_ONCE = 256
# The passages of so few notes are embedded at once, without their openings.
NOTES_AT_ONCE = 20


class Work(NamedTuple):
    """The number of notes of a vault, and of those that are embedded; `words_left` counts weighted words."""

    notes: int
    embedded: int
    words_left: int


def work(note_table: NoteTable, store: VectorStore) -> Work:
    """Count the notes of a vault that are embedded."""
    known, keys, lengths = store.notes(), note_keys(note_table), note_table.column("length")
    left = [lengths[note_id] for note_id, key in keys.items() if key not in known]
    return Work(len(keys), len(keys) - len(left), sum(left))


def embed(
    snapshot: Snapshot,
    store: VectorStore,
    embedder: Embedder,
    progress: Callable[[int, int], None],
    last_used: Callable[[int], float],
) -> int:
    """Embed every note that is not embedded yet, the most recently used first; return how many.

    The openings of all notes are embedded before their passages, so that a vault answers by meaning after seconds. An
    interruption keeps the finished batches.
    """
    with store.writing():
        known, keys = store.notes(), note_keys(snapshot.note_table)
        store.keep_only([*keys.values(), *map(opening_key, keys.values())])
        missing = sorted((each for each, key in keys.items() if key not in known), key=last_used, reverse=True)
        openings = {each: key for each in missing if (key := opening_key(keys[each])) not in known}
        if len(missing) > NOTES_AT_ONCE:
            _embed(openings, lambda note_id: [opening(snapshot, note_id)], store, embedder)
        named = {each: keys[each] for each in missing}
        _embed(
            named,
            lambda note_id: note_passages(snapshot, note_id),
            store,
            embedder,
            lambda done: progress(done, len(missing)),
        )
    return len(missing)


def _embed(
    keys: Mapping[int, str],
    cut: Callable[[int], Sequence[EmbeddedPassage]],
    store: VectorStore,
    embedder: Embedder,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Embed the passages into which notes are cut, in batches; `keys` has the key of each note in the store."""
    done = 0
    counts: list[tuple[str, int]] = []
    passages: list[EmbeddedPassage] = []
    for index, (note_id, key) in enumerate(keys.items()):
        found = cut(note_id)
        counts.append((key, len(found)))
        passages += found
        if len(passages) >= PASSAGES_AT_ONCE or index + 1 == len(keys):
            progress(done)
            vectors = embedder.passages([each.text for each in passages])
            store.append(counts, [each.position for each in passages], vectors)
            done, counts, passages = index + 1, [], []
