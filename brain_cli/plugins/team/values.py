"""The values that pass between brain and the server of a shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from brain_cli.errors import UnreachableError
from brain_cli.printable import some_of
from brain_cli.render.phrases import counted

# A vault that was not sent for so long is marked.
STALE = "30 days"


class StoreError(UnreachableError):
    """A server cannot be read or written: it is down, slow, full, read-only, or of another version."""


class Totals(NamedTuple):
    """The numbers of a whole memory: `languages` are sorted by frequency, `boilerplate` are hashes of frequent lines.

    `stale` are the vaults that were not sent for long, with their owner and date, `tags` frequent tags with their
    numbers of active notes.
    """

    notes: int
    fragments: int
    length: int
    languages: Sequence[str]
    generation: int
    oldest_date: float
    projects: Sequence[str]
    boilerplate: Sequence[str]
    stale: Mapping[str, str]
    tags: Mapping[str, int]


class Frequency(NamedTuple):
    """The document frequency of a term in the whole memory, and the sum of its weights in links."""

    fragments: int = 0
    anchored: float = 0.0


class Unknown(NamedTuple):
    """A word that the memory may not have: its variants, and the edits within which a term may be meant instead."""

    variants: tuple[str, ...]
    edits: int


class FoundNote(NamedTuple):
    """A note of a memory, whole but for its `texts` where these are None.

    `former_paths` begin with the vault's name. `places` is JSON by term, `texts` has a line for each section.
    `tells_date` is false if its only date is the file time of a clone; `duplicates` counts the notes with its content.
    """

    note_id: int
    vault: str
    lengths: Sequence[int]
    neighbours: Sequence[int]
    former_paths: Sequence[str]
    tells_date: bool
    duplicates: int
    row: str
    record: str
    places: str | None
    texts: str | None


class KnownNote(NamedTuple):
    """A note that a server has of a vault; `version` shows whether it has to be sent again."""

    note_id: int
    version: str
    content_hash: str
    former_paths: Sequence[str] = ()


class WrittenChange(NamedTuple):
    """A change of a note that its vault's files get later: `content` is the new note, or the section to append.

    The server gives it its number and its time `at` (seconds).
    """

    kind: str
    path: str
    content: bytes = b""
    number: int = 0
    at: float = 0.0


class StoredEvent(NamedTuple):
    """An event of a user's history as the server has it: later events have higher numbers; `line` is its JSON."""

    number: int
    line: str


class VaultFacts(NamedTuple):
    """The facts of a whole vault, besides its notes: `token` names the state of the vault's index that was sent."""

    token: str = ""
    oldest_date: float = 0.0
    projects: Sequence[str] = ()
    boilerplate: Sequence[str] = ()
    tags: Mapping[str, int] = {}


class VaultState(NamedTuple):
    """A vault on a server: its owner, the roles that read it (none: all), its notes, and when it was last sent."""

    name: str
    owner: str
    readers: Sequence[str]
    notes: int
    sent: str
    stale: bool

    def __str__(self) -> str:
        """Return the vault in a few words."""
        return f"{self.name} ({self.owner}, {'not sent since' if self.stale else 'sent'} {self.sent})"


class Health(NamedTuple):
    """The state of a server: its version, the milliseconds of a round trip, generation, notes, bytes, and vaults."""

    version: str
    latency_ms: float
    generation: int
    notes: int
    fragments: int
    size_bytes: int
    vaults: Sequence[VaultState]

    def __str__(self) -> str:
        """Return the state in one line."""
        return (
            f"PostgreSQL {self.version}, {self.latency_ms:.1f} ms away, generation {self.generation}:"
            f" {self.notes:,} notes and {self.fragments:,} fragments of {counted(len(self.vaults), 'vault')},"
            f" {self.size_bytes / 1e6:,.1f} MB: {some_of(list(map(str, self.vaults)), 6)}"
        )
