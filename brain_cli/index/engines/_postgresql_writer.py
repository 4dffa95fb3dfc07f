"""Writing the notes of one vault into a shared memory: each batch is one transaction, all or nothing.

A vault's row is locked while a batch is written, so of several writers of one vault one waits; writers of different
vaults share no row.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from brain_cli.index.engines._postgresql_copy import PostingList, packed
from brain_cli.index.engines._postgresql_errors import in_one_sentence
from brain_cli.index.engines._postgresql_schema import ABOUT, BODY, IN_LINKS
from brain_cli.index.store import KnownNote, NoteWords, StoredNote, StoreError, VaultFacts
from brain_cli.index.stored_terms import storable, stored_term

LOCK_SECONDS = 10
# Chunks of which less than this share still counts are written anew.
LIVE_SHARE = 0.5
SMALL_NOTES, MOST_SMALL = 50, 32
ROW_COLUMNS = (
    "note_id, vault_id, path, former_paths, content_key, row_key, content_hash, language, kind, path_key, tags, names,"
    " grams, dates, properties, tells_date, lengths, neighbours, successors, row_text, record"
)
ROW_TYPES = (
    "int4 int4 text text[] text text text text text text text[] text[] text[] float8[] jsonb bool int4[] int4[] int4[]"
    " text text"
)


class PostgresVault:
    """One vault in a shared memory, on the connection of its store."""

    def __init__(self, connection: Any, parameters: Mapping[str, str], vault_id: int) -> None:
        self.connection = connection
        self.parameters = parameters
        self.vault_id = vault_id
        [(self.generation, self.token)] = self.rows(
            "select generation, token from brain.vaults where vault_id = %s", (vault_id,)
        )

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
        """Write chunks anew of which most no longer counts, and merge small ones."""
        sizes = self.rows(
            "select c.chunk, c.notes, count(n.note_id) from brain.chunks c left join brain.notes n using (chunk)"
            " where c.vault_id = %s group by 1, 2",
            (self.vault_id,),
        )
        small = [chunk for chunk, _, live in sizes if live <= SMALL_NOTES]
        stale = {chunk for chunk, notes, live in sizes if live < LIVE_SHARE * notes}
        if len(small) > MOST_SMALL:
            stale.update(small)
        if stale:
            with in_one_sentence(self.parameters), self.connection.transaction(), self.connection.cursor() as cursor:
                lock(cursor, self)
                merge(cursor, self.vault_id, sorted(stale))

    def rows(self, statement: str, parameters: tuple[object, ...]) -> list[Any]:
        with in_one_sentence(self.parameters), self.connection.cursor() as cursor:
            found: list[Any] = cursor.execute(statement, parameters).fetchall()
        return found


class PostgresWriter:
    """One batch: it is collected, and written when it is committed."""

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

    def cancel(self) -> None:
        """Forget the batch: nothing has been written yet."""
        self.__init__(self._vault)  # type: ignore[misc]

    def commit(self) -> None:
        vault = self._vault
        with in_one_sentence(vault.parameters), vault.connection.transaction(), vault.connection.cursor() as cursor:
            lock(cursor, vault)
            before = self._take_out(cursor)
            self._write_notes(cursor)
            self._update_rows(cursor)
            self._write_links(cursor)
            self._write_sizes(cursor, before)
            if self._facts:
                write_facts(cursor, vault.vault_id, self._facts)
            cursor.execute("update brain.vaults set generation = generation + 1 where vault_id = %s", (vault.vault_id,))
        vault.generation += 1

    def _take_out(self, cursor: Any) -> Counter[tuple[str, int]]:
        """Delete what is replaced or removed; return what it was in numbers."""
        gone = [note.note_id for note, _ in self._put] + self._removed
        cursor.execute(
            "select r.language, n.fragments, n.length from brain.notes n join brain.note_rows r using (note_id)"
            " where n.note_id = any(%s::int[]) and n.vault_id = %s",
            (gone, self._vault.vault_id),
        )
        before = _sizes(cursor.fetchall())
        for table in ("notes", "note_rows", "fragments"):
            cursor.execute(
                f"delete from brain.{table} where note_id = any(%s::int[]) and vault_id = %s",
                (gone, self._vault.vault_id),
            )
        cursor.execute(
            "delete from brain.anchors where note_id = any(%s::int[]) and vault_id = %s",
            (self._removed + [note_id for note_id, *_ in self._links], self._vault.vault_id),
        )
        return before

    def _write_notes(self, cursor: Any) -> None:
        if not self._put:
            return
        vault_id = self._vault.vault_id
        [(chunk,)] = cursor.execute("select nextval('brain.chunk_ids')").fetchall()
        cursor.execute("insert into brain.chunks values (%s, %s, %s)", (chunk, vault_id, len(self._put)))
        with cursor.copy("copy brain.notes from stdin (format binary)") as copy:
            copy.set_types(["int4", "int4", "int8", "int4", "int4", "bool", "float8"])
            for note, _ in self._put:
                copy.write_row(
                    (note.note_id, vault_id, chunk, len(note.lengths), sum(note.lengths), note.archived, note.timestamp)
                )
        with cursor.copy(f"copy brain.note_rows ({ROW_COLUMNS}) from stdin") as copy:
            copy.set_types(ROW_TYPES.split())
            for note, _ in self._put:
                copy.write_row(_row(note, vault_id))
        with cursor.copy("copy brain.fragments from stdin (format binary)") as copy:
            copy.set_types(["int4", "int4", "int4", "bytea"])
            for note, words in self._put:
                for section, text in enumerate(words.texts):
                    copy.write_row((note.note_id, section, vault_id, text))
        columns = "term, field, chunk, vault_id, notes, sections, weights, lengths"
        with cursor.copy(f"copy brain.postings ({columns}) from stdin (format binary)") as copy:
            for content in packed(_posting_lists(self._put), chunk, vault_id):
                copy.write(content)

    def _update_rows(self, cursor: Any) -> None:
        names = ROW_COLUMNS.replace(" ", "").split(",")
        assigned = ", ".join(f"{name} = %s" for name in names[2:])
        for note in self._updated:
            cursor.execute(
                f"update brain.note_rows set {assigned} where note_id = %s and vault_id = %s",
                (*_row(note, self._vault.vault_id)[2:], note.note_id, self._vault.vault_id),
            )
            cursor.execute(
                "update brain.notes set archived = %s, at = %s where note_id = %s and vault_id = %s",
                (note.archived, note.timestamp, note.note_id, self._vault.vault_id),
            )

    def _write_links(self, cursor: Any) -> None:
        with cursor.copy("copy brain.anchors from stdin") as copy:
            for note_id, anchors, _ in self._links:
                for term, weight in _by_key(anchors).items():
                    copy.write_row((term, note_id, self._vault.vault_id, weight))
        cursor.executemany(
            "update brain.note_rows set anchors_key = %s where note_id = %s and vault_id = %s",
            [(key, note_id, self._vault.vault_id) for note_id, _, key in self._links],
        )

    def _write_sizes(self, cursor: Any, before: Counter[tuple[str, int]]) -> None:
        now = _sizes((note.language, len(note.lengths), sum(note.lengths)) for note, _ in self._put)
        now.subtract(before)
        for language in {language for language, _ in now}:
            cursor.execute(
                "insert into brain.sizes values (%s, %s, %s, %s, %s) on conflict (vault_id, language) do update set"
                " notes = sizes.notes + excluded.notes, fragments = sizes.fragments + excluded.fragments,"
                " length = sizes.length + excluded.length",
                (self._vault.vault_id, language, *(now[language, which] for which in range(3))),
            )


def lock(cursor: Any, vault: PostgresVault) -> None:
    """Hold the vault until the end of the transaction; StoreError where another process has written it meanwhile."""
    cursor.execute(f"set local lock_timeout = '{LOCK_SECONDS}s'")
    cursor.execute("select generation from brain.vaults where vault_id = %s for update", (vault.vault_id,))
    found = cursor.fetchone()
    if not found or found[0] != vault.generation:
        raise StoreError("Another process has sent notes of this vault meanwhile.", "Run `brain index` again.")


def merge(cursor: Any, vault_id: int, chunks: list[int]) -> None:
    """Write the postings of some chunks that still count as one chunk."""
    [(chunk,)] = cursor.execute("select nextval('brain.chunk_ids')").fetchall()
    cursor.execute(
        "insert into brain.postings (term, field, chunk, vault_id, notes, sections, weights, lengths)"
        " select q.term, q.field, %s, q.vault_id, array_agg(p.note_id), array_agg(p.section), array_agg(p.weight),"
        " array_agg(p.length) from brain.postings q"
        " cross join lateral unnest(q.notes, q.sections, q.weights, q.lengths) as p(note_id, section, weight, length)"
        " join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk"
        " where q.chunk = any(%s::bigint[]) group by q.term, q.field, q.vault_id",
        (chunk, chunks),
    )
    cursor.execute("delete from brain.postings where chunk = any(%s::bigint[])", (chunks,))
    cursor.execute("delete from brain.chunks where chunk = any(%s::bigint[])", (chunks,))
    cursor.execute("update brain.notes set chunk = %s where chunk = any(%s::bigint[])", (chunk, chunks))
    cursor.execute("insert into brain.chunks values (%s, %s, %s)", (chunk, vault_id, cursor.rowcount))


def write_facts(cursor: Any, vault_id: int, facts: VaultFacts) -> None:
    cursor.execute(
        "update brain.vaults set token = %s, oldest_date = %s, projects = %s, boilerplate = %s where vault_id = %s",
        (facts.token, facts.oldest_date, list(map(storable, facts.projects)), list(facts.boilerplate), vault_id),
    )
    cursor.execute("delete from brain.tags where vault_id = %s", (vault_id,))
    with cursor.copy("copy brain.tags (vault_id, tag, terms, notes) from stdin") as copy:
        copy.set_types(["int4", "text", "text[]", "int4"])
        for tag, (terms, notes) in facts.tags.items():
            copy.write_row((vault_id, storable(tag), list(map(storable, terms)), notes))


def _sizes(rows: Iterable[tuple[str, int, int]]) -> Counter[tuple[str, int]]:
    """Return the numbers of notes (0), fragments (1) and words (2) by language."""
    found: Counter[tuple[str, int]] = Counter()
    for language, fragments, length in rows:
        found[language, 0] += 1
        found[language, 1] += fragments
        found[language, 2] += length
    return found


def _row(note: StoredNote, vault_id: int) -> tuple[object, ...]:
    """Return the values of ROW_COLUMNS."""
    keys = note.keys
    properties = {storable(key): list(map(storable, values)) for key, values in keys.properties.items()}
    return (
        *(note.note_id, vault_id, storable(note.path), list(map(storable, note.former_paths))),
        *(note.content_key, note.row_key, note.content_hash, note.language),
        *(storable(keys.kind), storable(keys.path), _storable(keys.tags), _storable(keys.names), _storable(keys.grams)),
        *(list(keys.dates), json.dumps(properties), note.tells_date, list(note.lengths)),
        *(list(note.neighbours), list(note.successors), note.row, note.record),
    )


def _storable(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(map(storable, texts)))


def _posting_lists(notes: Iterable[tuple[StoredNote, NoteWords]]) -> Iterable[tuple[int, str, PostingList]]:
    """Yield the posting lists of some notes by field and term, in the order of the index."""
    lists: dict[tuple[str, int], PostingList] = {}
    for note, words in notes:
        for term, weight in _by_key(words.about).items():
            lists.setdefault((term, ABOUT), PostingList()).add(note.note_id, 0, weight, 0)
        for section, (body, in_links) in enumerate(zip(words.bodies, words.in_links, strict=True)):
            length = note.lengths[section]
            for field, bag in ((BODY, body), (IN_LINKS, in_links)):
                for term, weight in _by_key(bag).items():
                    lists.setdefault((term, field), PostingList()).add(note.note_id, section, weight, length)
    return ((field, term, lists[term, field]) for term, field in sorted(lists))


def _by_key(bag: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of terms by the keys under which they are stored."""
    found: dict[str, float] = {}
    for term, weight in bag.items():
        key = stored_term(term)
        found[key] = found.get(key, 0.0) + weight
    return found
