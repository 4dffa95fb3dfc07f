"""Write notes to the Whoosh index in one transaction, and choose the segments to merge."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterable, Sequence
from functools import partial
from pickle import dumps
from typing import Any

from brain_cli.index import ABOUT, BODY, IN_LINKS, PreparedNote
from brain_cli.index.checksums import remove_older, write_checksums
from brain_cli.index.damage import noticing_damage
from brain_cli.index.engines._whoosh_import import lean_imports
from brain_cli.index.engines._whoosh_postings import Pool, write_lists
from brain_cli.index.engines._whoosh_reader import WhooshIndex, verify_newest
from brain_cli.index.engines._whoosh_schema import SCHEMA
from brain_cli.types import Fragment
from brain_cli.vault.atomic_write import sync

with lean_imports():
    from whoosh.codec.whoosh3 import W3Codec
    from whoosh.columns import VarBytesColumn
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import FileIndex
    from whoosh.reading import SegmentReader
    from whoosh.writing import SegmentWriter

# More fragments than any vault has, so no list is ever split.
BLOCK_POSTINGS = 1 << 24
MAX_SEGMENTS = 8
# As Whoosh pickles and compresses its stored fields.
PICKLE_PROTOCOL = 2
COMPRESSION = 3


class DurableStorage(FileStorage):  # type: ignore[misc]
    """Whoosh's storage, made durable: files are synced and have checksums before a table of contents names them."""

    # The segments that the next table of contents names.
    segments: frozenset[str] = frozenset()

    def rename_file(self, oldname: str, newname: str, safe: bool = False) -> None:
        """Publish a table of contents, durably: Whoosh renames no other files."""
        generation = int(newname.rpartition("_")[2].removesuffix(".toc"))
        names = os.listdir(self.folder)
        paths = {name: name for name in names if name.partition(".")[0] in self.segments} | {newname: oldname}
        paths = {name: os.path.join(self.folder, path) for name, path in paths.items()}
        for path in paths.values():
            sync(path)
        write_checksums(self.folder, generation, paths)
        sync(self.folder)
        super().rename_file(oldname, newname, safe)
        sync(self.folder)
        remove_older(self.folder, generation, names)


def create(folder: str) -> None:
    """Make an empty index in an empty folder."""
    FileIndex.create(DurableStorage(folder), SCHEMA)


class DurableWriter(SegmentWriter):  # type: ignore[misc]
    """Whoosh's writer, which passes the current segments to its storage."""

    def _commit_toc(self, segments: list[Any]) -> None:
        self.storage.segments = frozenset(segment.segment_id() for segment in segments)
        super()._commit_toc(segments)


class WhooshWriter:
    """One transaction on the index: its deletions and additions become visible together, with `commit`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        codec = W3Codec(blocklimit=BLOCK_POSTINGS, compression=0)
        # Otherwise it would look up field lengths, which these fields do not have, for every posting.
        codec.length_stats = False
        with noticing_damage():
            verify_newest(folder)
            self._writer = DurableWriter(FileIndex(DurableStorage(folder), SCHEMA), codec=codec, compound=False)
        self._pool = self._writer.pool = Pool()
        self._writer.fieldwriter.add_postings = partial(write_lists, self._writer.fieldwriter)
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

    def add(self, note_id: int, note: PreparedNote) -> None:
        """Add a note's fragments; its title, tags and path go into the first."""
        self._pool.add_terms(ABOUT, self._writer.docnum, note.about)
        for length, body, in_links, text in zip(note.lengths, note.bodies, note.in_links, note.texts, strict=True):
            self._pool.add_terms(BODY, self._writer.docnum, body)
            self._pool.add_terms(IN_LINKS, self._writer.docnum, in_links)
            self._store(note_id, length, text)

    def _store(self, note_id: int, length: int, text: bytes) -> None:
        """Write the columns of one fragment, as Whoosh's `add_document` does; the text is pickled and compressed."""
        number, columns = self._writer.docnum, self._writer.perdocwriter
        columns.start_doc(number)
        columns.add_column_value("note_id", SCHEMA["note_id"].column_type, note_id)
        columns.add_column_value("length", SCHEMA["length"].column_type, length)
        VarBytesColumn.Writer.add(columns._get_column("_stored")._child, number, text)
        columns.finish_doc()
        self._writer._added = True
        self._writer.docnum += 1

    def commit(self) -> None:
        self._writer.commit(mergetype=merge_small)

    def cancel(self) -> None:
        """Roll back; on a full disk that may fail in Whoosh too, so the lock is always freed."""
        try:
            with contextlib.suppress(Exception):
                self._writer.cancel()
        finally:
            if not self._writer.is_closed and self._writer.writelock:
                self._writer.writelock.release()


def stored(fragment: Fragment) -> bytes:
    fields = {"fragment": (fragment.trail, fragment.text, fragment.line, fragment.text_line)}
    return zlib.compress(dumps(fields, PICKLE_PROTOCOL), COMPRESSION)


def merge_small(writer: Any, segments: Sequence[Any]) -> list[Any]:
    """Merge the smaller segments if there are many; a large one only when the smaller ones add up to its size."""
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
