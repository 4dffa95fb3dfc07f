"""The Whoosh engine: what `Engine` asks for, in terms of its reader and its writer."""

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
    from brain_cli.index.engines._whoosh_writer import prepare_note

    return prepare_note(note, language)
