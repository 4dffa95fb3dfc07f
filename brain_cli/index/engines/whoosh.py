"""The Whoosh engine: one document per fragment.

Whoosh writes and merges terms, postings, segments and stored text. It is imported only for writing: a recall reads its
files directly (`_whoosh_reader`). Its matchers and scoring are not used: `search/bm25.py` computes BM25 from the
postings, because Whoosh's idf stays high for a word that is in every note.
Each posting list is one uncompressed block, so that one read gets it (see docs/decisions/bm25-over-postings.md).
"""

from __future__ import annotations

from brain_cli.index import IndexWriter, PreparedNote
from brain_cli.index.engines._whoosh_reader import WhooshIndex
from brain_cli.types import Note


def create(folder: str) -> None:
    """Make an empty index in an empty folder."""
    from brain_cli.index.engines._whoosh_writer import create

    create(folder)


def open(folder: str) -> WhooshIndex:  # noqa: A001 - the verb of the Engine protocol
    """Open the newest generation in a folder, without importing Whoosh."""
    return WhooshIndex(folder)


def writer(folder: str) -> IndexWriter:
    """Begin a transaction; the caller holds the lock."""
    from brain_cli.index.engines._whoosh_writer import WhooshWriter

    return WhooshWriter(folder)


def prepare(note: Note, language: str) -> PreparedNote:
    """Compute the words of a note, and its texts as Whoosh stores them."""
    from brain_cli.index.engines._whoosh_writer import stored
    from brain_cli.index.field_weights import prepared

    return prepared(note, language, stored)
