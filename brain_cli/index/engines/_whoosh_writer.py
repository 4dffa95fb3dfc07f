"""Notes into the Whoosh index: one change of it, and which segments it merges."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any

from brain_cli.index.document import note_field_weights, section_field_weights
from brain_cli.index.engines._whoosh_import import lean_imports
from brain_cli.index.engines.whoosh import SCHEMA, WhooshIndex, noticing_damage
from brain_cli.types import Note

with lean_imports():
    from whoosh.codec.whoosh3 import W3Codec
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import FileIndex
    from whoosh.reading import SegmentReader
    from whoosh.writing import SegmentWriter

# More fragments than any vault has: no list is ever cut in two.
BLOCK_POSTINGS = 1 << 24
MAX_SEGMENTS = 8


class Pool:
    """The postings of a change, term by term, 8 bytes each, where Whoosh's own pool sorts tuples on disk.

    A posting is (field, term, fragment number, weight, nothing); the numbers of a term come in ascending order.
    """

    def __init__(self) -> None:
        self._lists: dict[tuple[str, bytes], tuple[array[int], array[float]]] = {}

    def add(self, posting: tuple[str, bytes, int, float, bytes]) -> None:
        field, term, number, weight, _ = posting
        found = self._lists.get((field, term))
        if found is None:
            found = self._lists[field, term] = array("I"), array("f")
        found[0].append(number)
        found[1].append(weight)

    def iter_postings(self) -> Iterator[tuple[str, bytes, int, float, bytes]]:
        """Yield all postings in the order of their terms."""
        for field, term in sorted(self._lists):
            for number, weight in zip(*self._lists[field, term], strict=True):
                yield field, term, number, weight, b""

    def cleanup(self) -> None:
        self._lists.clear()


class WhooshWriter:
    """One change of the index: deletions and additions that appear together with `commit`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        codec = W3Codec(blocklimit=BLOCK_POSTINGS, compression=0)
        # Else it looks for a file of field lengths, which these fields do not have, at every posting.
        codec.length_stats = False
        with noticing_damage():
            self._writer = SegmentWriter(FileIndex(FileStorage(folder), SCHEMA), codec=codec, compound=False)
        self._writer.pool = Pool()
        self.generation: int = self._writer.generation

    def delete(self, note_ids: Iterable[int]) -> None:
        """Delete every fragment of these notes."""
        gone = set(note_ids)
        if gone:
            index = WhooshIndex(self._folder)
            for number, note_id in enumerate(index.note_ids):
                if note_id in gone:
                    self._writer.delete_document(number)
            index.close()

    def add(self, note_id: int, note: Note, language: str) -> int:
        """Add a note's fragments; its title, tags and path go into the first. Return its weighted words."""
        shown = {heading for fragment in note.fragments for heading in fragment.trail}
        about = note_field_weights(note.metadata, (h for h in note.headings if h not in shown), language)
        # All words are computed before the first is added: a note that the analyzer fails on leaves nothing behind.
        weights = [section_field_weights(fragment, language) for fragment in note.fragments]
        lengths = [max(1, round(sum(each.body.values()))) for each in weights]
        for position, fragment in enumerate(note.fragments):
            self._writer.add_document(
                note_id=note_id,
                length=lengths[position],
                fragment=(fragment.trail, fragment.text, fragment.line, fragment.text_line),
                body=weights[position].body,
                in_links=weights[position].in_links or None,
                about=about if position == 0 else None,
            )
        return sum(lengths)

    def commit(self) -> None:
        self._writer.commit(mergetype=merge_small)

    def cancel(self) -> None:
        self._writer.cancel()


def merge_small(writer: Any, segments: list[Any]) -> list[Any]:
    """Merge the smaller segments once there are many; a large one waits until the small ones add up to it."""
    living = [segment for segment in segments if segment.doc_count() > 0]
    if len(living) < MAX_SEGMENTS:
        return living
    living.sort(key=lambda segment: segment.doc_count_all())
    merged, total = 0, 0
    for segment in living:
        if merged >= MAX_SEGMENTS // 2 and segment.doc_count_all() > total:
            break
        with noticing_damage():
            reader = SegmentReader(writer.storage, writer.schema, segment)
            writer.add_reader(reader)
            reader.close()
        merged, total = merged + 1, total + segment.doc_count_all()
    return living[merged:]
