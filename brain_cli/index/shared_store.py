"""The protocols of a store for a shared memory, in which a server finds candidates without sending all postings.

A `Reader` sees one consistent generation, a `Writer` makes one transaction. A store finds and counts but does not rank:
stemming, formulas, decay and passages are computed by brain, and so are the words of a note before it is sent.

To add a store: a file in `engines/` with `open_store(url) -> Store`, and a line in `STORES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Protocol

from brain_cli.errors import BrainError, UsageError
from brain_cli.index.shared_store_values import (
    Details,
    Found,
    Frequencies,
    Health,
    KnownNote,
    NoteWords,
    Pair,
    Places,
    Section,
    Slip,
    StoredEvent,
    StoredNote,
    Totals,
    Variants,
    VaultFacts,
    Wanted,
)


class StoreError(BrainError):
    """A store cannot be read or written: it is down, slow, full, read-only, or of another version."""


class Reader(Protocol):
    """One consistent generation of a store, until it is closed."""

    def totals(self) -> Totals: ...

    def frequencies(
        self,
        words: Sequence[Variants],
        compounds: Sequence[str] = (),
        pairs: Sequence[Pair] = (),
        slips: Sequence[Slip] = (),
    ) -> Frequencies: ...

    def candidates(self, wanted: Wanted) -> Found: ...

    def places(self, words: Sequence[Variants], note_ids: Sequence[int]) -> tuple[list[Places], list[int]]:
        """Return the occurrences of each word in some notes, and its frequency in all notes."""
        ...

    def details(
        self,
        note_ids: Sequence[int],
        records: Sequence[int],
        texts: Sequence[Section],
        terms: Sequence[str] = (),
        best: Sequence[int] = (),
        receivers: Sequence[int] = (),
        known: Sequence[int] = (),
    ) -> Details:
        """Return notes, with some of their records and texts, and the tags whose terms are among `terms`.

        The result may include the first sections of the `best` notes, and notes linked with these. A note is included
        with its links only if it relays activation between one of the `receivers`, or a note that is linked with the
        best, and another of these notes or a `known` one.
        """
        ...

    def records(self, note_ids: Sequence[int]) -> dict[int, str]: ...

    def texts(self, sections: Iterable[Section]) -> dict[Section, bytes]: ...

    def named(self, name: str) -> dict[str, int]:
        """Return the ids of the notes with a path (`vault:path`), or if there is none, with a name, by path.

        The name may be a title, an alias, a file name or a path, with or without `vault:` before it.
        """
        ...

    def events(self, since: int) -> list[StoredEvent]:
        """Return the events of the user's history from a number on, in order."""
        ...

    def pins(self) -> Mapping[str, bool]:
        """Return the notes (`vault:path`) that this user has pinned or unpinned."""
        ...

    def terms_with_prefix(self, prefix: str, most: int) -> list[str]: ...

    def near_terms(self, terms: Mapping[str, int], stems: Sequence[str]) -> tuple[dict[str, list[str]], set[str]]:
        """Return the possible corrections of some terms, which are given with their maximum edit distances.

        For each term, these are the terms with the same first letter within that distance; also return the stems that
        some note has.
        """
        ...

    def similar_names(self, grams: Iterable[str], most: int) -> list[int]:
        """Return the notes whose names share most of these 4-grams."""
        ...

    def tags(self, most: int) -> dict[str, int]:
        """Return the most frequent tags of active notes, with their numbers of notes."""
        ...

    def close(self) -> None: ...


class Writer(Protocol):
    """One transaction on the notes of one vault."""

    def put(self, note: StoredNote, words: NoteWords) -> None:
        """Add a note with its words, replacing any note with its id."""
        ...

    def update(self, note: StoredNote) -> None:
        """Replace all data of a note except its words."""
        ...

    def link(self, note_id: int, anchors: Mapping[str, float], key: str) -> None:
        """Replace the words of the links to a note."""
        ...

    def remove(self, note_ids: Iterable[int]) -> None: ...

    def settle(self, facts: VaultFacts) -> None:
        """Replace the facts of the whole vault."""
        ...

    def commit(self) -> None: ...


class VaultInStore(Protocol):
    """One vault's notes in a store, opened for writing."""

    @property
    def token(self) -> str:
        """The token of the vault's index that was sent last."""
        ...

    @property
    def origin(self) -> str:
        """The key of the vault whose notes these are."""
        ...

    def known(self) -> dict[str, KnownNote]:
        """Return the notes that the store has of the vault, by path."""
        ...

    def new_ids(self, count: int) -> list[int]: ...

    def writer(self) -> Writer: ...

    def close(self) -> None: ...


class Store(Protocol):
    """A shared memory."""

    def reader(self, events_since: int = 0) -> Reader:
        """Return a reader, which has fetched the events of the user's history from a number on."""
        ...

    def record(self, events: Mapping[str, str]) -> None:
        """Add events (id → line) to the user's history, all or none; known ids are skipped."""
        ...

    def pin(self, note: str, *, pinned: bool) -> None:
        """Pin or unpin a note (`vault:path`) for this user."""
        ...

    def vault(self, name: str, origin: str, *, join: bool = False) -> VaultInStore:
        """Open a vault for writing, made if it is new; StoreError if its origin is another, except to `join` it."""
        ...

    def remove_vault(self, name: str) -> int:
        """Remove a vault with all its notes; return how many there were."""
        ...

    def health(self) -> Health: ...

    def close(self) -> None: ...


STORES = {
    "postgresql": "brain_cli.index.engines.postgresql",
    "postgres": "brain_cli.index.engines.postgresql",
}


def open_store(url: str) -> Store:
    """Open the store at an address, importing its engine."""
    scheme = url.partition(":")[0]
    if scheme not in STORES:
        raise UsageError("A shared memory is a server.", "Name it as postgresql://USER@HOST/DATABASE.")
    opened: Callable[[str], Store] = import_module(STORES[scheme]).open_store
    return opened(url)
