"""Write the notes of one vault to a server: each batch is one transaction (`brain.write` in
schema.py).

A vault's row is locked while a batch is written, so several writers of one vault take turns;
writers of different vaults share no row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from brain_cli.plugins.team.note import StoredNote, storable
from brain_cli.plugins.team.schema import TABLES

if TYPE_CHECKING:
    from brain_cli.plugins.team.store import Store

# The kinds of changes that files get later.
ADD = "add"
APPEND = "append"
ARCHIVE = "archive"
RESTORE = "restore"
MANY = 2_000
# A note is sent again if its version is another one.
KNOWN = """
select note_id, path, version, content_hash, former_paths from brain.notes
where vault_id = %s and (%s or path = any(%s::text[]))
"""
WITHOUT_VECTORS = """
select note_id, content_hash from brain.notes n where vault_id = %s
    and not exists (select from brain.vectors v where v.note_id = n.note_id and v.model = %s)
"""
WAITING = """
select kind, path, content, number, extract(epoch from at)::float8 from brain.written
where vault_id = %s and not fetched order by number
"""


class WrittenChange(NamedTuple):
    """A change of a note that its vault's files get later: `content` is the new note, or the
    section to append.

    The server gives it its number and its time `at` (seconds).
    """

    kind: str
    path: str
    content: bytes = b""
    number: int = 0
    at: float = 0.0


class VaultWriter:
    """One vault of a shared memory, on the connection of its store that writes."""

    def __init__(self, store: Store, vault_id: int) -> None:
        self._store = store
        self._vault_id = vault_id
        self._written = 0
        [(self.name, self.token, self.origin)] = self.rows(
            "select name, token, origin from brain.vaults where vault_id = %s"
        )

    def known(self, paths: Sequence[str] = ()) -> dict[str, Any]:
        """Return the notes that the server has of the vault (`KNOWN`), by path; only those at some
        paths if any.
        """
        found = self.rows(KNOWN, not paths, list(map(storable, paths)))
        return {known.path: known for known in found}

    def without_vectors(self, model: str) -> dict[int, str]:
        """Return the content hashes of the notes that have no vectors of a model, by id."""
        return dict(self.rows(WITHOUT_VECTORS, model))

    def waiting(self) -> list[WrittenChange]:
        """Return the changes that the files of the vault do not have yet, in order."""
        return [WrittenChange(*each) for each in self.rows(WAITING)]

    def fetched(self, number: int = 0) -> None:
        """Record that the files of the vault have a change; without a number, that the vault was
        compared and is as it was sent.
        """
        self._call("fetched", number)

    def new_ids(self, count: int) -> list[int]:
        return [note_id for (note_id,) in self._call("new_ids", count)]

    def write(
        self,
        notes: Sequence[StoredNote],
        removed: Sequence[int] = (),
        facts: Mapping[str, object] | None = None,
        change: WrittenChange | None = None,
    ) -> None:
        """Write some notes, which replace those with their ids and paths, and remove others, in one
        transaction.

        `facts` are those of the whole vault (sending.py), with its token. A `change` is kept for
        its files.
        """
        self._written += len(notes)
        self._call(
            "write",
            json.dumps(notes, ensure_ascii=False),
            list(removed),
            json.dumps(facts) if facts else None,
            change and change.kind,
            change and storable(change.path),
            change and change.content,
        )

    def put_vectors(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Write the vectors of notes, where the server has none."""
        self._call("put_vectors", json.dumps(rows))

    def close(self) -> None:
        """Update the planner's statistics after `MANY` notes. Only the owner of the tables may do
        that; for others the server does it by itself after a while.
        """
        for table in TABLES if self._written >= MANY else ():
            self._store.begin()
            self._store.written(f"analyze brain.{table}")

    def rows(self, statement: str, *values: object) -> list[Any]:
        """Return the rows of a statement with the vault's id and some values."""
        self._store.begin()
        return self._store.written(statement, self._vault_id, *values)

    def _call(self, function: str, *values: object) -> list[Any]:
        self._store.begin()
        return self._store.call(function, self._vault_id, *values)
