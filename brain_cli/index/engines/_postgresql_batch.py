"""The steps of a transaction that writes notes: lock the vault, merge chunks, and lay out rows and posting lists."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from psycopg.types.json import Jsonb

from brain_cli.index.engines._postgresql_copy import POSTING_NUMBERS, Posting, PostingList
from brain_cli.index.engines._postgresql_schema import ABOUT, BODY, IN_LINKS
from brain_cli.index.shared_store import StoreError
from brain_cli.index.shared_store_values import NoteWords, StoredNote, VaultFacts
from brain_cli.index.shared_terms import storable, stored_term

LOCK_SECONDS = 10
ROW_COLUMNS = (
    "note_id, vault_id, path, former_paths, content_key, row_key, content_hash, language, kind, path_key, tags, names,"
    " grams, dates, properties, tells_date, lengths, neighbours, successors, row_text, record"
)
ROW_TYPES = (
    "int4 int4 text text[] text text text text text text text[] text[] text[] float8[] jsonb bool int4[] int4[] int4[]"
    " text text"
)

MERGED = f"""
with live as materialized (
    select q.term, q.field, q.vault_id, p.*, n.fragments from brain.postings q
    cross join lateral unnest(q.notes, q.sections, q.weights, q.lengths) as p(note_id, section, weight, length)
    join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk
    where q.chunk = any(%(chunks)s::bigint[])),
titles as (select term, note_id from live where field = {ABOUT} group by 1, 2),
placed as (
    select l.*, case l.field when {ABOUT} then l.fragments when {BODY} then (t.term is null)::int else 0 end as counts
    from live l left join titles t using (term, note_id))
insert into brain.postings (term, field, chunk, vault_id, counted, notes, sections, weights, lengths)
select term, field, %(chunk)s, vault_id, sum(counts), array_agg(note_id), array_agg(section), array_agg(weight),
    array_agg(length)
from placed group by term, field, vault_id
"""


def lock(cursor: Any, vault_id: int, generation: int) -> None:
    """Lock the vault until the end of the transaction; StoreError if another process has written it meanwhile."""
    cursor.execute(f"set local lock_timeout = '{LOCK_SECONDS}s'")
    cursor.execute("select generation from brain.vaults where vault_id = %s for update", (vault_id,))
    found = cursor.fetchone()
    if not found or found[0] != generation:
        raise StoreError("Another process has sent notes of this vault meanwhile.", "Run `brain index` again.")


def count_left(cursor: Any, notes: Mapping[int, int]) -> None:
    """Subtract notes that no longer count from their chunks; `notes` has their number by chunk."""
    cursor.execute(
        "update brain.chunks c set live = c.live - g.count from unnest(%s::bigint[], %s::int[]) as g(chunk, count)"
        " where c.chunk = g.chunk",
        (list(notes), list(notes.values())),
    )


def merge(cursor: Any, vault_id: int, chunks: list[int]) -> None:
    """Merge the postings of some chunks that still count into one chunk."""
    [(chunk,)] = cursor.execute("select nextval('brain.chunk_ids')").fetchall()
    cursor.execute(MERGED, {"chunk": chunk, "chunks": chunks})
    cursor.execute("delete from brain.postings where chunk = any(%s::bigint[])", (chunks,))
    cursor.execute("delete from brain.chunks where chunk = any(%s::bigint[])", (chunks,))
    cursor.execute("update brain.notes set chunk = %s where chunk = any(%s::bigint[])", (chunk, chunks))
    cursor.execute(
        "insert into brain.chunks values (%s, %s, %s, %s)", (chunk, vault_id, cursor.rowcount, cursor.rowcount)
    )


@contextmanager
def copying(cursor: Any, table: str, columns: str, *, binary: bool, staged: bool) -> Iterator[Any]:
    """Copy rows into a table, if `staged` through a temporary one, because COPY does not support row level security."""
    target = f"{table}_sent" if staged else f"brain.{table}"
    if staged:
        cursor.execute(f"create temporary table {target} (like brain.{table} including defaults) on commit drop")
    with cursor.copy(f"copy {target} ({columns}) from stdin{' (format binary)' * binary}") as copy:
        yield copy
    if staged:
        cursor.execute(f"insert into brain.{table} ({columns}) select {columns} from {target}")


def write_facts(cursor: Any, vault_id: int, facts: VaultFacts, *, staged: bool) -> None:
    cursor.execute(
        "update brain.vaults set token = %s, oldest_date = %s, projects = %s, boilerplate = %s where vault_id = %s",
        (facts.token, facts.oldest_date, list(map(storable, facts.projects)), list(facts.boilerplate), vault_id),
    )
    cursor.execute("delete from brain.tags where vault_id = %s", (vault_id,))
    with copying(cursor, "tags", "vault_id, tag, terms, notes", binary=False, staged=staged) as copy:
        copy.set_types(["int4", "text", "text[]", "int4"])
        for tag, (terms, notes) in facts.tags.items():
            copy.write_row((vault_id, storable(tag), list(map(storable, terms)), notes))


def sizes_of(rows: Iterable[Sequence[Any]]) -> Counter[tuple[str, int]]:
    """Return the numbers of notes (0), fragments (1) and words (2) by language."""
    found: Counter[tuple[str, int]] = Counter()
    for language, fragments, length in rows:
        found[language, 0] += 1
        found[language, 1] += fragments
        found[language, 2] += length
    return found


def row_values(note: StoredNote, vault_id: int) -> tuple[object, ...]:
    """Return the values of ROW_COLUMNS."""
    keys = note.keys
    properties = {storable(key): list(map(storable, values)) for key, values in keys.properties.items()}
    return (
        *(note.note_id, vault_id, storable(note.path), list(map(storable, note.former_paths))),
        *(note.content_key, note.row_key, note.content_hash, note.language),
        *(storable(keys.kind), storable(keys.path), _storable(keys.tags), _storable(keys.names), _storable(keys.grams)),
        *(list(keys.dates), Jsonb(properties), note.tells_date, list(note.lengths)),
        *(list(note.neighbours), list(note.successors), note.row, note.record),
    )


def _storable(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(map(storable, texts)))


def posting_lists(notes: Iterable[tuple[StoredNote, NoteWords]]) -> Iterator[Posting]:
    """Yield the posting lists of some notes in the order of the index."""
    lists: defaultdict[tuple[str, int], PostingList] = defaultdict(list)
    # Sections of a note with the term in its title are counted for the title.
    counted: Counter[tuple[str, int]] = Counter()
    for note, words in notes:
        note_id = note.note_id
        for term, weight in words.about.items():
            key = stored_term(term), ABOUT
            lists[key] += (note_id, 0, weight, 0)
            counted[key] += len(note.lengths)
        for section, (body, in_links) in enumerate(zip(words.bodies, words.in_links, strict=True)):
            length = note.lengths[section]
            for term, weight in body.items():
                lists[stored_term(term), BODY] += (note_id, section, weight, length)
            for term, weight in in_links.items():
                lists[stored_term(term), IN_LINKS] += (note_id, section, weight, length)
            for term in words.about.keys() & body.keys():
                counted[stored_term(term), BODY] -= 1
    for term, field in sorted(lists):
        places = lists[term, field]
        in_sections = len(places) // POSTING_NUMBERS if field == BODY else 0
        yield field, term, in_sections + counted[term, field], places


def by_key(term_weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of terms by the keys under which they are stored."""
    found: dict[str, float] = {}
    for term, weight in term_weights.items():
        key = stored_term(term)
        found[key] = found.get(key, 0.0) + weight
    return found
