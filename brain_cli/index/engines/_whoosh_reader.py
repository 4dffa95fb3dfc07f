"""Read the Whoosh index: its schema, and one generation of it as a sequence of fragments."""

from __future__ import annotations

import contextlib
import errno
import os
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from brain_cli.index import ABOUT, BODY, IN_LINKS
from brain_cli.index.checksums import verify
from brain_cli.index.damage import noticing_damage
from brain_cli.index.engines._whoosh_import import lean_imports
from brain_cli.types import Fragment

with lean_imports():
    from whoosh import columns, fields, formats
    from whoosh.codec.whoosh3 import W3Codec
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import _DEF_INDEX_NAME, TOC
    from whoosh.reading import SegmentReader


class Words(fields.FieldType):  # type: ignore[misc]
    """A field of terms with weights; its posting lists are written whole (see `_whoosh_writer`)."""

    indexed = True
    scorable = False
    stored = False
    vector = None
    column_type = None
    analyzer = None
    spelling = False
    format = formats.Existence()

    def __init__(self) -> None:
        pass


SCHEMA = fields.Schema(
    note_id=fields.COLUMN(columns.NumericColumn("I")),
    length=fields.COLUMN(columns.NumericColumn("I")),
    fragment=fields.STORED,
    **{BODY: Words(), ABOUT: Words(), IN_LINKS: Words()},
)


class WhooshIndex:
    """A frozen view of one generation: Whoosh's segments as one sequence of fragments."""

    def __init__(self, folder: str) -> None:
        storage = FileStorage(folder)
        self._segments: list[tuple[SegmentReader, int]] = []
        self.note_ids: array[int] = array("I")
        self.lengths: array[int] = array("I")
        with noticing_damage():
            # Read by hand, because Whoosh's own reader waits half a second for files that are gone.
            contents = TOC.read(storage, _DEF_INDEX_NAME, gen=verify_newest(folder), schema=SCHEMA)
            self.generation: int = contents.generation
            for segment in contents.segments:
                reader = SegmentReader(storage, SCHEMA, segment, generation=contents.generation)
                self._segments.append((reader, len(self.note_ids)))
                self.note_ids += _column(storage, reader, "note_id")
                self.lengths += _column(storage, reader, "length")
                _open_texts(storage, reader)

    def postings(self, field: str, term: str) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """Yield a term's (fragment numbers, weights), a segment at a time."""
        for segment, offset in self._segments:
            with noticing_damage():
                if (field, term) not in segment:
                    continue
                numbers, weights = _whole_list(segment.postings(field, term))
            yield (numbers if not offset else [number + offset for number in numbers]), weights

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:
        for segment, _ in self._segments:
            with noticing_damage():
                found = [_text(term) for term in segment.expand_prefix(field, prefix.encode())]
            yield from found

    def similar_terms(self, field: str, term: str, edits: int) -> Iterator[str]:
        """Yield the terms that begin with the same letter and differ in at most `edits` letters."""
        for segment, _ in self._segments:
            with noticing_damage():
                found = [_text(near) for near in segment.terms_within(field, term, edits, prefix=1)]
            yield from found

    def fragment(self, number: int) -> Fragment:
        segment, offset = next(pair for pair in reversed(self._segments) if pair[1] <= number)
        with noticing_damage():
            return Fragment(*segment.stored_fields(number - offset)["fragment"])

    def close(self) -> None:
        for segment, _ in self._segments:
            segment.close()


def verify_newest(folder: str) -> int:
    """Check every file of the newest generation before any of it is read, and return its number."""
    generation: int = TOC._latest_generation(FileStorage(folder), _DEF_INDEX_NAME)
    if generation < 0:
        # Another process may be removing this build; one that stays without is damaged (see `open_snapshot`).
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
    verify(folder, generation)
    return generation


def _text(term: Any) -> str:
    return term.decode("utf-8", "replace") if isinstance(term, bytes) else str(term)


def _whole_list(matcher: Any) -> tuple[Sequence[int], Sequence[float]]:
    """Read all of a posting list. The block arrays have no public name, one reason why the version is pinned."""
    # A segment with deletions wraps the list in a filter; deleted fragments are told by `note_ids` instead.
    matcher = getattr(matcher, "child", matcher)
    if matcher._ids is None:
        matcher._read_ids()
    if matcher._weights is None:
        matcher._read_weights()
    return matcher._ids, matcher._weights


def _open_texts(storage: Any, reader: Any) -> None:
    """Open the stored texts, which Whoosh does when one is asked for: by then a merge may have removed the file."""
    storage.open_file(W3Codec.column_filename(reader.segment(), "_stored")).close()
    if reader.doc_count_all():
        reader.stored_fields(0)


def _column(storage: Any, reader: Any, name: str) -> array[int]:
    """Read a whole column at once, where Whoosh reads one value at a time; 0 for deleted fragments."""
    segment = reader.segment()
    file_name = W3Codec.column_filename(segment, name)
    with contextlib.closing(storage.open_file(file_name)) as file:
        values: array[int] = file.get_array(0, "I", storage.file_length(file_name) // 4)
    values.extend([0] * (reader.doc_count_all() - len(values)))
    for number in segment.deleted_docs():
        values[number] = 0
    return values
