"""A shared memory: what a store offers, so that a server can find candidates without sending its postings.

A `Reader` sees one consistent generation, a `Writer` makes one transaction. A store finds and counts; it does not rank:
stemming, formulas, decay and passages stay in brain. What is indexed of a note is computed before it is put.

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
    """A store that cannot be read or written: it is down, slow, full, read-only, or of another version."""


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
        """Return the places of each word in some notes, and its frequency in all."""
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
        """Return notes, with some of their records and texts, and the tags that some terms name.

        Of the best of them the first sections may come too, and notes that are linked with these. Other notes come by
        their links alone where they relay activation between one of the `receivers`, or a note that is linked with the
        best, and another of these notes, or one that is `known` already.
        """
        ...

    def records(self, note_ids: Sequence[int]) -> dict[int, str]: ...

    def texts(self, sections: Iterable[Section]) -> dict[Section, bytes]: ...

    def named(self, name: str) -> dict[str, int]:
        """Return the notes with a path (`vault:path`); where there is none, those with a name: ids by path.

        The name may be a title, an alias, a file name or a path, alone or behind `vault:`.
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

    @property
    def token(self) -> str:
        """The state of the vault's index that was sent last."""
        ...

    def known(self) -> dict[str, KnownNote]:
        """Return the notes that the store has of the vault, by their path in it."""
        ...

    def new_ids(self, count: int) -> list[int]: ...

    def writer(self) -> Writer: ...

    def close(self) -> None: ...


class Store(Protocol):
    """A shared memory."""

    def reader(self, events_since: int = 0) -> Reader:
        """Return a reader; it has the events of the user's history from a number on at hand."""
        ...

    def record(self, events: Mapping[str, str]) -> None:
        """Add events to the user's history, all or none: lines by their ids. An id that is there is left alone."""
        ...

    def pin(self, note: str, *, pinned: bool) -> None:
        """Pin or unpin a note (`vault:path`) for this user."""
        ...

    def vault(self, name: str, origin: str, *, join: bool = False) -> VaultInStore:
        """Open a vault for writing. `origin` tells whose it is; another's is opened only to `join` it."""
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
    """Open the store at an address; its engine is imported only now."""
    scheme = url.partition(":")[0]
    if scheme not in STORES:
        raise UsageError("A shared memory is a server.", "Name it as postgresql://USER@HOST/DATABASE.")
    opened: Callable[[str], Store] = import_module(STORES[scheme]).open_store
    return opened(url)
