"""Write notes to the Whoosh index in one transaction, choose the segments to merge, and state the
schema.

Stock Whoosh reads the schema with the index, and queries the fields by its analyzer.

This is the one module that writes past Whoosh's API. Posting lists are collected in memory, eight
bytes per posting, and written list by list; Whoosh's own pool sorts tuples, and its field writer is
called for each posting. With those, a full index takes a quarter more processor time, and the
writing process more than twice its time.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import sub
from pickle import dumps
from typing import Any

from whoosh import analysis, columns, fields, formats
from whoosh.codec.whoosh3 import WHOOSH3_HEADER_MAGIC, W3Codec, W3TermInfo
from whoosh.columns import VarBytesColumn
from whoosh.filedb.filestore import FileStorage
from whoosh.index import FileIndex
from whoosh.reading import SegmentReader
from whoosh.system import pack_int, pack_ushort
from whoosh.writing import SegmentWriter

from brain_cli.index import ABOUT, BODY, IN_LINKS, PreparedNote
from brain_cli.index.damage import noticing_damage
from brain_cli.index.engines._whoosh_reader import WhooshIndex
from brain_cli.index.field_weights import prepared
from brain_cli.types import Fragment, Note
from brain_cli.vault.analyzer import LANGUAGE_BY_CODE, terms
from brain_cli.vault.atomic_write import sync

# More fragments than any vault has, so no list is ever split.
BLOCK_POSTINGS = 1 << 24
MAX_SEGMENTS = 8
# a small change merges at most so many for each segment, because a recall may wait for it
SMALL_FRAGMENTS = 1_000
# A segment of more is not merged.
LARGE_FRAGMENTS = 50_000
# As Whoosh stores a posting list that is not compressed, and whose fragments have no lengths in it.
UNCOMPRESSED = 0
NO_LENGTH = 0
# The numbers of a term's fragments, in ascending order, and its weights in them.
Lists = Mapping[str, tuple["array[int]", "array[float]"]]
# As Whoosh pickles and compresses its stored fields.
PICKLE_PROTOCOL = 2
COMPRESSION = 3


class RecallAnalyzer(analysis.Analyzer):  # type: ignore[misc]
    """Splits a text into the terms of a note in any language, because each note is indexed in its
    own.
    """

    def __call__(self, value: str, **_: object) -> Iterator[analysis.Token]:
        token = analysis.Token()
        languages = dict.fromkeys(LANGUAGE_BY_CODE.values())
        for token.text in dict.fromkeys(
            term for language in languages for term in terms(value, language)
        ):
            yield token


class Words(fields.TEXT):  # type: ignore[misc]
    """A field of terms with weights and a length; its posting lists are written whole (see
    `write_lists`).
    """

    def __init__(self) -> None:
        super().__init__(analyzer=RecallAnalyzer(), phrase=False)
        self.format = formats.Existence()


SCHEMA = fields.Schema(
    note_id=fields.COLUMN(columns.NumericColumn("I")),
    length=fields.COLUMN(columns.NumericColumn("I")),
    fragment=fields.STORED,
    **{BODY: Words(), ABOUT: Words(), IN_LINKS: Words()},
)


class DurableStorage(FileStorage):  # type: ignore[misc]
    """Whoosh's storage, made durable: files are synced before a table of contents names them.

    Those that are there before a transaction were synced by others, or are no longer needed.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._synced = {*os.listdir(path)}

    def rename_file(self, oldname: str, newname: str, safe: bool = False) -> None:
        """Publish a table of contents, durably: Whoosh renames no other files."""
        for name in {*os.listdir(self.folder)} - self._synced:
            sync(os.path.join(self.folder, name))
        sync(self.folder)
        super().rename_file(oldname, newname, safe)
        sync(self.folder)


def create(folder: str) -> None:
    """Make an empty index in an empty folder."""
    FileIndex.create(DurableStorage(folder), SCHEMA)


class WhooshWriter:
    """One transaction on the index: its deletions and additions become visible together, with
    `commit`.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        codec = W3Codec(blocklimit=BLOCK_POSTINGS, compression=0)
        # Otherwise it would look up the field length for every posting.
        codec.length_stats = False
        with noticing_damage():
            # Without Whoosh's own lock: the index's lock is held, and some file systems have no
            # locks.
            index = FileIndex(DurableStorage(folder), SCHEMA)
            self._writer = SegmentWriter(index, codec=codec, compound=False, _lk=False)
        self._pool = self._writer.pool = Pool()
        self._writer.fieldwriter.add_postings = partial(write_lists, self._writer.fieldwriter)
        self.generation: int = self._writer.generation
        self._segments: list[Any] | None = None

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
        about = note.about
        for length, body, in_links, text in zip(
            note.lengths, note.bodies, note.in_links, note.texts, strict=True
        ):
            weights = {ABOUT: about, BODY: body, IN_LINKS: in_links}
            for field, of_field in weights.items():
                self._pool.add_terms(field, self._writer.docnum, of_field)
            self._store(note_id, length, text, weights)
            about = {}

    def _store(
        self, note_id: int, length: int, text: bytes, weights: Mapping[str, Mapping[str, float]]
    ) -> None:
        """Write the columns of one fragment, as Whoosh's `add_document` does; the text is pickled
        and compressed.
        """
        number = self._writer.docnum
        columns = self._writer.perdocwriter
        columns.start_doc(number)
        columns.add_column_value("note_id", SCHEMA["note_id"].column_type, note_id)
        columns.add_column_value("length", SCHEMA["length"].column_type, length)
        for field, of_field in weights.items():
            if of_field:
                # The length that Whoosh's BM25F divides by; this engine has its own.
                columns.add_field(
                    field, SCHEMA[field], None, max(1, round(sum(of_field.values())))
                )
        VarBytesColumn.Writer.add(columns._get_column("_stored")._child, number, text)
        columns.finish_doc()
        self._writer._added = True
        self._writer.docnum += 1

    def flush(self) -> None:
        """Write the files of all segments, as the beginning of Whoosh's `commit` does."""
        self._segments = merge_small(self._writer, self._writer.segments)
        if self._writer._added:
            self._segments.append(self._writer._finalize_segment())
        else:
            self._writer._close_segment()

    def commit(self) -> None:
        if self._segments is None:
            self.flush()
        self._writer._commit_toc(self._segments)
        self._writer._finish()

    def cancel(self) -> None:
        """Roll back; on a full disk that may fail in Whoosh too."""
        with contextlib.suppress(Exception):
            self._writer.cancel()


def prepare_note(note: Note, language: str) -> PreparedNote:
    """Compute the words of a note, and its texts as Whoosh stores them."""
    return prepared(note, language, stored)


def stored(fragment: Fragment) -> bytes:
    return zlib.compress(dumps({"fragment": tuple(fragment)}, PICKLE_PROTOCOL), COMPRESSION)


def merge_small(writer: Any, segments: Sequence[Any]) -> list[Any]:
    """Merge the smaller segments if there are many; a large one only when they, and what is
    written, are as large. The largest stay as they are, because merging takes memory.
    """
    living = [segment for segment in segments if segment.doc_count() > 0]
    living.sort(key=lambda segment: segment.doc_count_all())
    small = [segment for segment in living if segment.doc_count_all() <= LARGE_FRAGMENTS]
    if len(small) < MAX_SEGMENTS:
        return living
    merged = 0
    total = 0
    most = max(SMALL_FRAGMENTS * len(small), 8 * writer.docnum)
    for segment in small:
        if (
            merged >= MAX_SEGMENTS // 2 and segment.doc_count_all() > total
        ) or total + segment.doc_count_all() > most:
            break
        with noticing_damage():
            reader = SegmentReader(writer.storage, writer.schema, segment)
            writer.add_reader(reader)
            reader.close()
        merged = merged + 1
        total = total + segment.doc_count_all()
    return living[merged:]


class Pool:
    """The posting lists of a transaction, by field and term."""

    def __init__(self) -> None:
        self._fields: dict[str, dict[str, tuple[array[int], array[float]]]] = {}

    def add_terms(self, field: str, number: int, weights: Mapping[str, float]) -> None:
        """Add the terms of one fragment; fragments come in ascending order."""
        lists = self._fields.setdefault(field, {})
        for term, weight in weights.items():
            found = lists.get(term)
            if found is None:
                lists[term] = array("I", (number,)), array("f", (weight,))
            else:
                found[0].append(number)
                found[1].append(weight)

    def add(self, posting: tuple[str, bytes, int, float, bytes]) -> None:
        """Add a posting as Whoosh does when it merges segments: (field, term, fragment number,
        weight, nothing).
        """
        field, term, number, weight, _ = posting
        self.add_terms(field, number, {term.decode(): weight})

    def iter_postings(self) -> Iterator[tuple[str, Lists]]:
        """Yield the lists of each field; Whoosh passes them on to `write_lists`."""
        return ((field, lists) for field, lists in sorted(self._fields.items()) if lists)

    def cleanup(self) -> None:
        self._fields.clear()


def write_lists(
    writer: Any,
    schema: Any,
    lengths: object,  # noqa: ARG001 - the signature of Whoosh's own
    fields: Iterable[tuple[str, Lists]],
) -> None:
    """Write posting lists, each as one block: `W3FieldWriter.add_postings` for whole lists."""
    for field, lists in fields:
        writer.start_field(field, schema[field])
        prefix = pack_ushort(writer._fieldid)
        start = writer._postfile.tell()
        # Whoosh orders terms by their bytes in UTF-8, which is the order of their characters.
        for term in sorted(lists):
            block, info = _block(*lists[term])
            writer._postfile.write(block)
            # Asking the file for its position would take a system call.
            info.set_extent(start, len(block))
            start += len(block)
            writer._tindex.add(prefix + term.encode(), info.to_bytes())
        writer.finish_field()


def _block(numbers: array[int], weights: array[float]) -> tuple[bytes, W3TermInfo]:
    """Return one posting list as Whoosh writes it, and its statistics."""
    highest = max(weights)
    data = dumps(
        (tuple(map(sub, numbers, chain((0,), numbers))), _packed(weights), None),
        PICKLE_PROTOCOL,
    )
    head = dumps(
        (len(numbers), numbers[-1], highest, UNCOMPRESSED, NO_LENGTH, NO_LENGTH),
        PICKLE_PROTOCOL,
    )
    # A negative length marks the last block of a list.
    length = pack_int(-len(head) - len(data))
    info = W3TermInfo(
        sum(weights), len(numbers), maxweight=highest, minid=numbers[0], maxid=numbers[-1]
    )
    return WHOOSH3_HEADER_MAGIC + length + head + data, info


def _packed(weights: array[float]) -> float | tuple[float, ...] | None:
    """Return weights as Whoosh stores them: one number if all are equal, None if all are 1."""
    if weights.count(weights[0]) < len(weights):
        return tuple(weights)
    return None if weights[0] == 1.0 else weights[0]
