"""Write the notes of one vault to a shared memory: each batch is one transaction.

A vault's row is locked while a batch is written, so several writers of one vault take turns; writers of different
vaults share no row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from brain_cli.index.engines._postgresql_batch import (
    ROW_COLUMNS,
    ROW_TYPES,
    by_key,
    copying,
    count_left,
    lock,
    merge,
    posting_lists,
    row_values,
    sizes_of,
    write_facts,
)
from brain_cli.index.engines._postgresql_copy import packed
from brain_cli.index.engines._postgresql_errors import in_one_sentence, settled
from brain_cli.index.shared_store_values import KnownNote, NoteWords, StoredNote, VaultFacts

# Chunks of which less than this share still counts are rewritten.
LIVE_SHARE = 0.5
SMALL_NOTES, MAX_SMALL = 50, 32


class PostgresVault:
    """One vault in a shared memory, on the connection of its store."""

    def __init__(self, connection: Any, parameters: Mapping[str, str], vault_id: int) -> None:
        self._connection = connection
        self.parameters = parameters
        self.vault_id = vault_id
        [(self.generation, self.token, self.origin, self.is_checked)] = self.rows(
            "select generation, token, origin, row_security_active('brain.notes') from brain.vaults"
            " where vault_id = %s",
            (vault_id,),
        )

    @property
    def connection(self) -> Any:
        """The connection of the store, after the end of any reader's transaction on it."""
        return settled(self._connection)

    def known(self) -> dict[str, KnownNote]:
        found = self.rows(
            "select path, note_id, content_key, row_key, anchors_key, lengths, former_paths from brain.note_rows"
            " where vault_id = %s",
            (self.vault_id,),
        )
        return {path: KnownNote(*values) for path, *values in found}

    def new_ids(self, count: int) -> list[int]:
        found = self.rows("select nextval('brain.note_ids')::int from generate_series(1, %s)", (count,))
        return [note_id for (note_id,) in found]

    def writer(self) -> PostgresWriter:
        return PostgresWriter(self)

    def close(self) -> None:
        """Rewrite chunks of which most no longer counts, and merge small ones."""
        sizes = self.rows(
            "select c.chunk, c.notes, count(n.note_id) from brain.chunks c left join brain.notes n using (chunk)"
            " where c.vault_id = %s group by 1, 2",
            (self.vault_id,),
        )
        small = [chunk for chunk, _, live in sizes if live <= SMALL_NOTES]
        stale = {chunk for chunk, notes, live in sizes if live < LIVE_SHARE * notes}
        if len(small) > MAX_SMALL:
            stale.update(small)
        if stale:
            with in_one_sentence(self.parameters), self.connection.transaction(), self.connection.cursor() as cursor:
                lock(cursor, self.vault_id, self.generation)
                merge(cursor, self.vault_id, sorted(stale))

    def rows(self, statement: str, parameters: tuple[object, ...]) -> list[Any]:
        with in_one_sentence(self.parameters), self.connection.cursor() as cursor:
            found: list[Any] = cursor.execute(statement, parameters).fetchall()
        return found


class PostgresWriter:
    """One batch, which is collected in memory and written by `commit`."""

    def __init__(self, vault: PostgresVault) -> None:
        self._vault = vault
        self._put: list[tuple[StoredNote, NoteWords]] = []
        self._updated: list[StoredNote] = []
        self._links: list[tuple[int, Mapping[str, float], str]] = []
        self._removed: list[int] = []
        self._facts: VaultFacts | None = None

    def put(self, note: StoredNote, words: NoteWords) -> None:
        self._put.append((note, words))

    def update(self, note: StoredNote) -> None:
        self._updated.append(note)

    def link(self, note_id: int, anchors: Mapping[str, float], key: str) -> None:
        self._links.append((note_id, anchors, key))

    def remove(self, note_ids: Iterable[int]) -> None:
        self._removed += note_ids

    def settle(self, facts: VaultFacts) -> None:
        self._facts = facts

    def commit(self) -> None:
        vault = self._vault
        with in_one_sentence(vault.parameters), vault.connection.transaction(), vault.connection.cursor() as cursor:
            lock(cursor, vault.vault_id, vault.generation)
            before, anchors_keys = self._delete_notes(cursor)
            self._write_notes(cursor, anchors_keys)
            self._update_rows(cursor)
            self._write_links(cursor)
            self._write_sizes(cursor, before)
            if self._facts:
                write_facts(cursor, vault.vault_id, self._facts, staged=vault.is_checked)
            cursor.execute("update brain.vaults set generation = generation + 1 where vault_id = %s", (vault.vault_id,))
        vault.generation += 1

    def _delete_notes(self, cursor: Any) -> tuple[Counter[tuple[str, int]], dict[int, str]]:
        """Delete the replaced and removed notes; return their sizes, and the keys of their link words.

        A note that is written again keeps its link words, which depend on other notes, and their key.
        """
        gone = [note.note_id for note, _ in self._put] + self._removed
        cursor.execute(
            "select n.note_id, r.anchors_key, n.chunk, r.language, n.fragments, n.length"
            " from brain.notes n join brain.note_rows r using (note_id)"
            " where n.note_id = any(%s::int[]) and n.vault_id = %s",
            (gone, self._vault.vault_id),
        )
        found = cursor.fetchall()
        before = sizes_of(sizes for _, _, _, *sizes in found)
        count_left(cursor, Counter(chunk for _, _, chunk, *_ in found))
        for table in ("notes", "note_rows", "fragments"):
            cursor.execute(
                f"delete from brain.{table} where note_id = any(%s::int[]) and vault_id = %s",
                (gone, self._vault.vault_id),
            )
        cursor.execute(
            "delete from brain.anchors where note_id = any(%s::int[]) and vault_id = %s",
            (self._removed + [note_id for note_id, *_ in self._links], self._vault.vault_id),
        )
        return before, {note_id: key for note_id, key, *_ in found}

    def _write_notes(self, cursor: Any, anchors_keys: Mapping[int, str]) -> None:
        if not self._put:
            return
        vault_id = self._vault.vault_id
        [(chunk,)] = cursor.execute("select nextval('brain.chunk_ids')").fetchall()
        count = len(self._put)
        cursor.execute("insert into brain.chunks values (%s, %s, %s, %s)", (chunk, vault_id, count, count))
        columns = "note_id, vault_id, chunk, fragments, length, archived, at, pinned"
        with self._copying(cursor, "notes", columns) as copy:
            copy.set_types(["int4", "int4", "int8", "int4", "int4", "bool", "float8", "bool"])
            for note, _ in self._put:
                sizes = len(note.lengths), sum(note.lengths)
                copy.write_row((note.note_id, vault_id, chunk, *sizes, note.archived, note.timestamp, note.pinned))
        with self._copying(cursor, "note_rows", f"{ROW_COLUMNS}, anchors_key", binary=False) as copy:
            copy.set_types([*ROW_TYPES.split(), "text"])
            for note, _ in self._put:
                copy.write_row((*row_values(note, vault_id), anchors_keys.get(note.note_id, "")))
        with self._copying(cursor, "fragments", "note_id, section, vault_id, content") as copy:
            copy.set_types(["int4", "int4", "int4", "bytea"])
            for note, words in self._put:
                for section, text in enumerate(words.texts):
                    copy.write_row((note.note_id, section, vault_id, text))
        columns = "term, field, chunk, vault_id, counted, notes, sections, weights, lengths"
        with self._copying(cursor, "postings", columns) as copy:
            for content in packed(posting_lists(self._put), chunk, vault_id):
                copy.write(content)

    def _copying(self, cursor: Any, table: str, columns: str, *, binary: bool = True) -> AbstractContextManager[Any]:
        return copying(cursor, table, columns, binary=binary, staged=self._vault.is_checked)

    def _update_rows(self, cursor: Any) -> None:
        names = ROW_COLUMNS.replace(" ", "").split(",")
        assigned = ", ".join(f"{name} = %s" for name in names[2:])
        for note in self._updated:
            cursor.execute(
                f"update brain.note_rows set {assigned} where note_id = %s and vault_id = %s",
                (*row_values(note, self._vault.vault_id)[2:], note.note_id, self._vault.vault_id),
            )
            cursor.execute(
                "update brain.notes set archived = %s, at = %s, pinned = %s where note_id = %s and vault_id = %s",
                (note.archived, note.timestamp, note.pinned, note.note_id, self._vault.vault_id),
            )

    def _write_links(self, cursor: Any) -> None:
        with self._copying(cursor, "anchors", "term, note_id, vault_id, weight", binary=False) as copy:
            for note_id, anchors, _ in self._links:
                for term, weight in by_key(anchors).items():
                    copy.write_row((term, note_id, self._vault.vault_id, weight))
        cursor.executemany(
            "update brain.note_rows set anchors_key = %s where note_id = %s and vault_id = %s",
            [(key, note_id, self._vault.vault_id) for note_id, _, key in self._links],
        )

    def _write_sizes(self, cursor: Any, before: Counter[tuple[str, int]]) -> None:
        sizes_by_language = sizes_of((note.language, len(note.lengths), sum(note.lengths)) for note, _ in self._put)
        sizes_by_language.subtract(before)
        for language in {language for language, _ in sizes_by_language}:
            cursor.execute(
                "insert into brain.sizes values (%s, %s, %s, %s, %s) on conflict (vault_id, language) do update set"
                " notes = sizes.notes + excluded.notes, fragments = sizes.fragments + excluded.fragments,"
                " length = sizes.length + excluded.length",
                (self._vault.vault_id, language, *(sizes_by_language[language, which] for which in range(3))),
            )
