"""Write the notes of one vault to a server: each batch is one transaction.

A vault's row is locked while a batch is written, so several writers of one vault take turns;
writers of different vaults share no row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from brain_cli.plugins.team.note import FREQUENCY, StoredNote, storable
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
# The next `brain index` compares all notes, unless it is the one that changes them.
LOCK = "update brain.vaults set token = '' where vault_id = %(vault_id)s"
WRITE_FACTS = """
update brain.vaults set token = %(token)s, facts = %(facts)s::jsonb, sent = now() where vault_id = %(vault_id)s
"""
KEEP = """
insert into brain.written (vault_id, kind, path, content) values (%(vault_id)s, %(kind)s, %(path)s, %(content)s)
"""
GONE = """
create temporary table gone on commit drop as select note_id, language, lengths, places from brain.notes
where vault_id = %s and (note_id = any(%s::bigint[]) or path = any(%s::text[]))
"""
# Rows by the names of their columns. COPY would not do under row level security.
INSERT = (
    "insert into brain.notes select * from json_populate_recordset(null::brain.notes, %s::json)"
)
# Vectors of notes, which go with their note when it is replaced.
INSERT_VECTORS = """
insert into brain.vectors
select n.note_id, sent.model, n.vault_id, sent.codes, sent.content
from (select %s::bigint as vault_id) as own join brain.notes n using (vault_id)
join json_populate_recordset(null::brain.vectors, %s::json) as sent using (note_id) on conflict do nothing
"""
WITHOUT_VECTORS = """
select note_id, content_hash from brain.notes n where vault_id = %s
    and not exists (select from brain.vectors v where v.note_id = n.note_id and v.model = %s)
"""
# The vault was compared and is as it was sent.
NOTHING_NEW = "update brain.vaults set sent = now() where vault_id = %s"
# What is written counts once more, and what it replaced once less.
CHANGES = """
with changes as (
    select 1 as sign, language, lengths, places from brain.notes where note_id = any(%(note_ids)s::bigint[])
    union all select -1, language, lengths, places from gone)
"""
COUNT_SIZES = f"""{CHANGES}
insert into brain.sizes as own
select %(vault_id)s, language, sum(sign), sum(sign * cardinality(lengths)),
    sum(sign * (select sum(length) from unnest(lengths) as length)) from changes group by language
on conflict (vault_id, language) do update set notes = own.notes + excluded.notes,
    fragments = own.fragments + excluded.fragments, length = own.length + excluded.length
"""
COUNT_TERMS = f"""{CHANGES}
insert into brain.terms as own select * from (
    select term, %(vault_id)s, sum(sign * (place::json ->> {FREQUENCY})::int) as fragments
    from changes, jsonb_each_text(places) as words(term, place) group by term) as sums
where fragments <> 0 order by term
on conflict (term, vault_id) do update set fragments = own.fragments + excluded.fragments
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

    def waiting(self) -> list[WrittenChange]:
        """Return the changes that the files of the vault do not have yet, in order."""
        return [WrittenChange(*each) for each in self.rows(WAITING)]

    def fetched(self, number: int) -> None:
        """Note that the files of the vault have a change."""
        self.rows(
            "update brain.written set fetched = true, content = '' where vault_id = %s and number = %s",
            number,
        )

    def new_ids(self, count: int) -> list[int]:
        found = self._store.written(
            "select nextval('brain.note_ids') from generate_series(1, %s)", (count,)
        )
        return [note_id for (note_id,) in found]

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
        connection = self._store.primary
        own = {"vault_id": self._vault_id}
        note_ids = [note["note_id"] for note in notes]
        with self._store.in_one_sentence(), connection.transaction(), connection.cursor() as cursor:
            cursor.execute("set local lock_timeout = '10s'")
            cursor.execute(LOCK, own)
            cursor.execute(
                GONE, (self._vault_id, [*note_ids, *removed], [note["path"] for note in notes])
            )
            cursor.execute("delete from brain.notes using gone where notes.note_id = gone.note_id")
            self._written += cursor.rowcount
            cursor.execute(
                INSERT, (json.dumps([note | own for note in notes], ensure_ascii=False),)
            )
            for count in (COUNT_SIZES, COUNT_TERMS):
                cursor.execute(count, {"note_ids": note_ids, **own})
            if facts:
                cursor.execute(
                    WRITE_FACTS, {**own, "token": facts["token"], "facts": json.dumps(facts)}
                )
            if change:
                cursor.execute(KEEP, {**own, **change._asdict(), "path": storable(change.path)})

    def close(self) -> None:
        """Remove terms that no note has any more; after `MANY` notes, update the planner's
        statistics.
        """
        self.rows("delete from brain.terms where vault_id = %s and fragments <= 0")
        # The owner of the tables may do this; for others the server does it by itself after a while.
        for table in TABLES if self._written >= MANY else ():
            self._store.written(f"analyze brain.{table}")

    def rows(self, statement: str, *values: object) -> list[Any]:
        """Return the rows of a statement with the vault's id and some values."""
        return self._store.written(statement, (self._vault_id, *values))
