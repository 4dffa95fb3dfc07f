"""Notes → passages → vectors: what is embedded of a note, and the embedding of all notes that are not yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from brain_cli.answer.passages.quotable import Piece, section_pieces
from brain_cli.answer.passages.windows import MOST_CHARS, joined
from brain_cli.index.snapshot import Snapshot
from brain_cli.meaning import Embedder
from brain_cli.meaning.vectors import VectorStore, note_key
from brain_cli.types import Fragment, KeyPoint

MOST_PIECES = 6
# A log of megabytes would take longer than all other notes together.
MOST_PASSAGES = 200
MOST_SECTION_CHARS = 50_000
# As many are embedded before they are kept: some seconds of work are lost at most.
PASSAGES_AT_ONCE = 256


class Work(NamedTuple):
    """The number of notes of a vault, and of those that are embedded."""

    notes: int
    embedded: int


def work(snapshot: Snapshot, store: VectorStore) -> Work:
    """Count the notes of a vault that are embedded."""
    known, rows = store.notes(), snapshot.note_table.rows.values()
    return Work(len(rows), sum(note_key(row) in known for row in rows))


def embed(snapshot: Snapshot, store: VectorStore, embedder: Embedder, progress: Callable[[int, int], None]) -> int:
    """Embed every note that is not embedded yet; return how many. What was done is kept when it is interrupted."""
    with store.writing():
        known, rows = store.notes(), snapshot.note_table.rows
        store.keep_only(map(note_key, rows.values()))
        missing = [note_id for note_id, row in rows.items() if note_key(row) not in known]
        for first, note_ids, texts in _batches(snapshot, missing):
            progress(first, len(missing))
            notes = [(note_key(rows[note_id]), count) for note_id, count in note_ids]
            store.append(notes, embedder.passages(texts))
    return len(missing)


def _batches(snapshot: Snapshot, note_ids: Sequence[int]) -> Iterator[tuple[int, list[tuple[int, int]], list[str]]]:
    """Yield (how many notes came before, the next notes and the number of their passages, the passages' texts)."""
    done, counts, texts = 0, [], []
    for place, note_id in enumerate(note_ids):
        found = [text_of(point) for point in note_passages(snapshot, note_id)]
        counts.append((note_id, len(found)))
        texts += found
        if len(texts) >= PASSAGES_AT_ONCE or place + 1 == len(note_ids):
            yield done, counts, texts
            done, counts, texts = place + 1, [], []


def text_of(point: KeyPoint) -> str:
    """Return what a model reads of a passage: its note's title and its heading, then its words."""
    heading = point.heading[-1] if point.heading else ""
    named = point.title if heading in ("", point.title) else f"{point.title} > {heading}"
    return f"{named}: {point.text}"


def note_passages(snapshot: Snapshot, note_id: int) -> list[KeyPoint]:
    """Return the passages that are embedded of a note, in order; of one without text, its title."""
    metadata = snapshot.note_table.metadata(note_id)
    found: list[KeyPoint] = []
    for number in snapshot.numbers_of(note_id):
        fragment = snapshot.index.fragment(number)
        found += [_point(fragment, part, metadata.path, metadata.title) for part in _parts(fragment)]
        if len(found) >= MOST_PASSAGES:
            break
    return found[:MOST_PASSAGES] or [KeyPoint(metadata.title, metadata.path, 1, 1, (), metadata.title)]


def _parts(fragment: Fragment) -> Iterator[list[Piece]]:
    """Yield neighbouring pieces of a section, as many as a passage has room for."""
    part: list[Piece] = []
    for piece in section_pieces(fragment._replace(text=fragment.text[:MOST_SECTION_CHARS])):
        chars = sum(len(each.text) for each in part) + len(piece.text)
        if part and (chars > MOST_CHARS or len(part) == MOST_PIECES):
            yield part
            part = []
        part.append(piece)
    if part:
        yield part


def _point(fragment: Fragment, part: Sequence[Piece], path: str, title: str) -> KeyPoint:
    last = max(piece.end_line for piece in part)
    return KeyPoint(joined(part), path, part[0].line, last, fragment.trail, title)
