"""A memory that many share: what a store offers, so that a server can find candidates without sending its postings.

A `Reader` sees one consistent generation, a `Writer` makes one transaction. A store finds and counts; it does not rank:
stemming, formulas, decay and passages stay in brain. What is indexed of a note is computed before it is put.

To add a store: a file in `engines/` with `open_store(url) -> Store`, and a line in `STORES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol

from brain_cli.errors import BrainError, UsageError
from brain_cli.index.scope import ANYTHING, Scope

# The terms under which one word of a query stands in the index.
Variants = tuple[str, ...]
# A fragment: its note's id, and its place in the note, from 0.
Section = tuple[int, int]


class StoreError(BrainError):
    """A store that cannot be read or written: it is down, slow, full, read-only, or of another version."""


class Totals(NamedTuple):
    """The numbers of a whole store: `languages` are the most frequent first, `boilerplate` hashes frequent lines."""

    notes: int = 0
    fragments: int = 0
    length: int = 0
    generation: int = 0
    languages: tuple[str, ...] = ()
    oldest_date: float = 0.0
    projects: frozenset[str] = frozenset()
    boilerplate: frozenset[str] = frozenset()


class Saturation(NamedTuple):
    """The curve by which a word's weight saturates: `w' * (k1 + 1) / (w' + k1)`.

    `w'` is the weight about the note, plus the weight in a body ÷ (flat + slope * length); slopes are those of sections
    and of whole notes.
    """

    k1: float
    flat: float
    section_slope: float
    note_slope: float


class Wanted(NamedTuple):
    """A request for candidates: the words with their weights, and which notes come into question.

    The best `most` notes within `scope` are wanted, with the best `anywhere` of all notes, and as many of the archive.
    Notes linked within two hops of the best `linked_to` join them, and those that have one of the `names`. Without
    words the notes are wanted that are dated nearest to one of the spans `dates`, or else the newest.
    """

    words: Sequence[Variants]
    weights: Sequence[float]
    saturation: Saturation
    scope: Scope = ANYTHING
    most: int = 3_000
    anywhere: int = 150
    linked_to: int = 50
    names: tuple[str, ...] = ()
    dates: tuple[tuple[float, float], ...] = ()
    archived: bool = False


class Places(NamedTuple):
    """The places of one word in some notes, as parallel lists of note ids, sections and weights."""

    body: tuple[Sequence[int], Sequence[int], Sequence[float]] = ((), (), ())
    in_links: tuple[Sequence[int], Sequence[int], Sequence[float]] = ((), (), ())
    about: tuple[Sequence[int], Sequence[float]] = ((), ())
    anchors: tuple[Sequence[int], Sequence[float]] = ((), ())


class Found(NamedTuple):
    """The candidates of a request: best first, then those that join them, with the places of each word in them all.

    `matched` counts the notes that matched within the scope; `is_complete` tells whether all of them are here.
    """

    note_ids: list[int]
    joined: list[int]
    places: list[Places]
    matched: int
    is_complete: bool


class StoredNote(NamedTuple):
    """A note as a store keeps it, besides its words.

    `row` and `record` are opaque texts (`NoteRow` without its links, and `NoteRecord`); `keys` is what filters ask;
    `lengths` are those of its sections. `tells_date` is false where its file has the time of a clone.
    """

    note_id: int
    path: str
    content_key: str
    row_key: str
    content_hash: str
    language: str
    lengths: Sequence[int]
    archived: bool
    timestamp: float
    tells_date: bool
    neighbours: Sequence[int]
    successors: Sequence[int]
    keys: FilterKeys
    row: str
    record: str
    former_paths: Sequence[str] = ()


class FilterKeys(NamedTuple):
    """The values of a note by which requests are filtered, each in the form in which it is compared.

    `tags` include the tags above each tag; `grams` are letter 4-grams of its names; `dates` are its own and those of
    its sections.
    """

    kind: str
    path: str
    tags: Sequence[str]
    names: Sequence[str]
    grams: Sequence[str]
    dates: Sequence[float]
    properties: Mapping[str, Sequence[str]]


class NoteWords(NamedTuple):
    """The words of a note: for each section its terms with weights, those of its title and path, and its texts."""

    bodies: Sequence[Mapping[str, float]]
    in_links: Sequence[Mapping[str, float]]
    about: Mapping[str, float]
    texts: Sequence[bytes]


class FoundNote(NamedTuple):
    """A note as a reader returns it, with its vault's name; `duplicates` counts the notes with its content."""

    note_id: int
    vault: str
    row: str
    lengths: Sequence[int]
    neighbours: Sequence[int]
    successors: Sequence[int]
    tells_date: bool
    duplicates: int
    former_paths: Sequence[str] = ()


class Frequencies(NamedTuple):
    """In how many fragments each word stands, those included whose note has it in its title.

    `names` are those in which two neighbouring words make up one of the compounds asked about.
    """

    counts: list[int]
    names: list[str]


class Details(NamedTuple):
    """The details of some notes, fetched at once.

    `notes` are those asked for, and those that they link to without a `row`: they only pass activation on. `tags` are
    those all of whose terms were asked for, each with its terms.
    """

    notes: list[FoundNote]
    records: dict[int, str]
    texts: dict[Section, bytes]
    tags: dict[str, frozenset[str]]


class Reader(Protocol):
    """One consistent generation of a store, until it is closed."""

    def totals(self) -> Totals: ...

    def frequencies(self, words: Sequence[Variants], compounds: Sequence[str] = ()) -> Frequencies: ...

    def candidates(self, wanted: Wanted) -> Found: ...

    def places(self, words: Sequence[Variants], note_ids: Sequence[int]) -> tuple[list[Places], list[int]]:
        """Return the places of each word in some notes, and its frequency in all."""
        ...

    def details(
        self, note_ids: Sequence[int], records: Sequence[int], texts: Sequence[Section], terms: Sequence[str] = ()
    ) -> Details:
        """Return notes, with some of their records and texts, and the tags that some terms name."""
        ...

    def records(self, note_ids: Sequence[int]) -> dict[int, str]: ...

    def texts(self, sections: Iterable[Section]) -> dict[Section, bytes]: ...

    def find(self, path: str) -> int | None:
        """Return the id of the note with a path (`vault:path`)."""
        ...

    def terms_with_prefix(self, prefix: str, most: int) -> list[str]: ...

    def near_terms(self, terms: Mapping[str, int], stems: Sequence[str]) -> tuple[dict[str, list[str]], set[str]]:
        """Return what may have been meant by some terms.

        That is, for each term, those that begin with the same letter and differ in at most so many letters; and those
        of the stems that some note has.
        """
        ...

    def similar_names(self, grams: Iterable[str], most: int) -> list[int]:
        """Return the notes whose names share most 4-grams with these."""
        ...

    def tags(self, most: int) -> dict[str, int]:
        """Return the most frequent tags of active notes, with their numbers of notes."""
        ...

    def close(self) -> None: ...


class VaultFacts(NamedTuple):
    """The facts of a whole vault, besides its notes: `token` names the state of the vault's index that was sent."""

    token: str = ""
    oldest_date: float = 0.0
    projects: Sequence[str] = ()
    boilerplate: Sequence[str] = ()
    # Tag → its terms, and the number of active notes that have it.
    tags: Mapping[str, tuple[Sequence[str], int]] = {}


class KnownNote(NamedTuple):
    """A note that a store has of a vault, by its path; the keys tell whether it has to be sent again."""

    note_id: int
    content_key: str
    row_key: str
    anchors_key: str
    lengths: Sequence[int] = ()
    former_paths: Sequence[str] = ()


class Writer(Protocol):
    """One transaction on the notes of one vault: all of it happens, or nothing."""

    def put(self, note: StoredNote, words: NoteWords) -> None:
        """Add a note whole; an older one with its id is replaced."""
        ...

    def update(self, note: StoredNote) -> None:
        """Replace all of a note but its words."""
        ...

    def link(self, note_id: int, anchors: Mapping[str, float], key: str) -> None:
        """Replace the words by which other notes link to a note."""
        ...

    def remove(self, note_ids: Iterable[int]) -> None: ...

    def settle(self, facts: VaultFacts) -> None:
        """Replace the facts of the whole vault."""
        ...

    def commit(self) -> None: ...

    def cancel(self) -> None: ...


class VaultInStore(Protocol):
    """One vault's notes in a store, held by this process alone until it is closed."""

    token: str

    def known(self) -> dict[str, KnownNote]:
        """Return the notes that the store has of the vault, by their path in it."""
        ...

    def new_ids(self, count: int) -> list[int]: ...

    def writer(self) -> Writer: ...

    def close(self) -> None: ...


class Health(NamedTuple):
    """The state of a store: the server's version, the milliseconds of a round trip, generation, notes and bytes."""

    version: str
    latency_ms: float
    generation: int
    notes: int
    fragments: int
    vaults: int
    size_bytes: int


class Store(Protocol):
    """A memory that many share."""

    def reader(self) -> Reader: ...

    def vault(self, name: str, origin: str, *, join: bool = False) -> VaultInStore:
        """Open a vault for writing. `origin` tells whose it is; another's is opened only to `join` it."""
        ...

    def remove_vault(self, name: str) -> int:
        """Remove a vault with all its notes; return how many there were."""
        ...

    def health(self) -> Health: ...

    def is_alive(self) -> bool:
        """Return whether a store that was asked before can still be asked."""
        ...

    def close(self) -> None: ...


STORES = {
    "postgresql": "brain_cli.index.engines.postgresql",
    "postgres": "brain_cli.index.engines.postgresql",
}


def open_store(url: str) -> Store:
    """Open the store at an address; its engine is imported only now."""
    scheme = url.partition(":")[0]
    if scheme not in STORES:
        raise UsageError("A shared memory is a server.", "Name it as postgresql://USER@HOST/DATABASE.")
    opened: Callable[[str], Store] = import_module(STORES[scheme]).open_store
    return opened(url)
