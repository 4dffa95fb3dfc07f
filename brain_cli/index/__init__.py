"""The index of a vault's notes: the protocols of an index engine, and the table of engines.

An engine stores postings (term → fragments, with weights) and the fragments themselves. The note
table beside it stores the metadata of each note. To add an engine: a file in `engines/` with the
functions of `Engine`, and a line in `ENGINES`.
"""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from brain_cli.extension import Table
from brain_cli.record import Record
from brain_cli.version import INDEX_VERSION as INDEX_VERSION

if TYPE_CHECKING:
    from brain_cli.types import Fragment, Note

# The engine's file that makes a generation the current one; its number is the first group.
GENERATION_FILE = r"_MAIN_(\d+)\.toc"
BODY = "body"
ABOUT = "about"
IN_LINKS = "in_links"


class Index(Protocol):
    """An opened index: an immutable view of one generation. Fragments are numbered from 0, in one
    sequence.

    `note_ids[n]` is the note of fragment n, 0 if the fragment was deleted; `lengths[n]` its number
    of weighted words.
    """

    generation: int
    note_ids: Sequence[int]
    lengths: Sequence[int]

    def postings(
        self, field: str, term: str
    ) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """Yield (fragment numbers, weights) of a term, possibly including deleted fragments."""
        ...

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]: ...

    def fragment(self, number: int) -> "Fragment": ...

    def close(self) -> None: ...


class PreparedNote(Record):
    """A note as an engine writes it, with one entry per fragment in each list.

    `lengths` are numbers of words; `bodies` and `in_links` map terms to their weights, `about`
    those of the whole note; `texts` are the fragments as the engine stores them.
    """

    lengths: list[int]
    bodies: list[dict[str, float]]
    in_links: list[dict[str, float]]
    about: dict[str, float]
    texts: list[bytes]


class IndexWriter(Protocol):
    """One transaction on an index: without a commit nothing changes.

    `generation` is the one that `commit` will make.
    """

    generation: int

    def delete(self, note_ids: Iterable[int]) -> None: ...

    def add(self, note_id: int, note: PreparedNote) -> None:
        """Add a note's fragments."""
        ...

    def flush(self) -> None:
        """Write what was added, and free its memory; `commit` publishes it."""
        ...

    def commit(self) -> None: ...

    def cancel(self) -> None: ...


class Preparer(Protocol):
    def prepare(self, note: "Note", language: str) -> PreparedNote:
        """Compute the data to write for a note; this may run in another process."""
        ...


class Engine(Preparer, Protocol):
    """Creates, opens and changes an index; `folder` contains nothing but the index."""

    def create(self, folder: str) -> None: ...

    def open(self, folder: str) -> Index: ...

    def writer(self, folder: str) -> IndexWriter: ...


ENGINES: Table[str] = Table("engines", {"whoosh": "brain_cli.index.engines.whoosh"})
# The engine in use. No setting chooses another one.
DEFAULT_ENGINE = "whoosh"


def engine(name: str = DEFAULT_ENGINE) -> Engine:
    """Return an engine, importing it on first use."""
    return cast(Engine, import_module(ENGINES[name]))
