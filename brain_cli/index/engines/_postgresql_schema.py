"""The tables of a shared memory, and the migrations that make them.

| table     | one row for each                      | holds                                                           |
|-----------|---------------------------------------|-----------------------------------------------------------------|
| vaults    | vault                                 | its name, its generation, and facts of the whole vault          |
| sizes     | vault and language                    | numbers of notes, fragments and words; totals are sums of these |
| notes     | note                                  | the few numbers that every recall reads                         |
| note_rows | note                                  | the data of a note, and the keys that filters compare          |
| fragments | section                               | its text                                                        |
| postings  | term, field and transaction (a chunk) | the sections with the term, and its weights in them             |
| anchors   | term and note                         | the weight of the links that lead to the note with the term     |
| tags      | vault and tag                         | its terms and its number of notes                               |
| chunks    | transaction                           | how many notes it wrote, and how many of them still count       |
| events    | event of a user                       | what the user recalled and how it was judged, as a line of JSON |
| pins      | user and note                         | whether the note is pinned for that user                        |

A posting counts if its chunk is that of its note: a note that is written again leaves its old postings behind, and
`merge` removes them. While all notes of a chunk count, `postings.counted` is the document frequency of its term there:
the sections with the term in their text but not in the title, or all sections of the notes with the term in the title.
Every table of notes has the vault's id, for row level security. In `events` and `pins`, each user reads and writes only
their own rows.
"""

from __future__ import annotations

from typing import Any

from brain_cli.index.shared_store import StoreError

BODY, ABOUT, IN_LINKS = 0, 1, 2

FIRST = """
create table brain.vaults (
    vault_id int generated always as identity primary key,
    name text not null unique,
    origin text not null,
    owner name not null default current_user,
    generation bigint not null default 0,
    token text not null default '',
    oldest_date float8 not null default 0,
    projects text[] not null default '{}',
    boilerplate text[] not null default '{}'
);
create table brain.sizes (
    vault_id int not null references brain.vaults on delete cascade,
    language text not null,
    notes int not null,
    fragments bigint not null,
    length bigint not null,
    primary key (vault_id, language)
);
create table brain.notes (
    note_id int primary key,
    vault_id int not null,
    chunk bigint not null,
    fragments int not null,
    length int not null,
    archived bool not null,
    at float8 not null
);
create index on brain.notes (chunk);
create table brain.note_rows (
    note_id int primary key,
    vault_id int not null,
    path text not null,
    former_paths text[] not null,
    content_key text not null,
    row_key text not null,
    anchors_key text not null default '',
    content_hash text not null,
    language text not null,
    kind text not null,
    path_key text not null,
    tags text[] not null,
    names text[] not null,
    grams text[] not null,
    dates float8[] not null,
    properties jsonb not null,
    tells_date bool not null,
    lengths int[] not null,
    neighbours int[] not null,
    successors int[] not null,
    row_text text not null,
    record text not null,
    constraint one_note_a_path unique (vault_id, path) deferrable initially deferred
);
create index on brain.note_rows (content_hash);
create index on brain.note_rows using gin (names);
create index on brain.note_rows using gin (grams);
create index on brain.note_rows using gin (tags);
create table brain.fragments (
    note_id int not null,
    section int not null,
    vault_id int not null,
    content bytea not null,
    primary key (note_id, section)
);
create table brain.postings (
    term text collate "C" not null,
    field smallint not null,
    chunk bigint not null,
    vault_id int not null,
    notes int[] not null,
    sections int[] not null,
    weights real[] not null,
    lengths int[] not null,
    primary key (term, field, chunk)
);
create index on brain.postings (chunk);
create table brain.anchors (
    term text collate "C" not null,
    note_id int not null,
    vault_id int not null,
    weight float8 not null,
    primary key (term, note_id)
);
create index on brain.anchors (note_id);
create table brain.tags (
    vault_id int not null,
    tag text not null,
    terms text[] not null,
    notes int not null,
    primary key (vault_id, tag)
);
create index on brain.tags using gin (terms);
create table brain.chunks (
    chunk bigint primary key,
    vault_id int not null,
    notes int not null
);
create sequence brain.note_ids as int;
create sequence brain.chunk_ids;
"""

# Every user of the schema has a history in it; the policies show users only their own rows.
SECOND = """
create table brain.events (
    number bigint generated always as identity primary key,
    owner name not null default current_user,
    id text not null,
    line text not null,
    unique (owner, id)
);
create index on brain.events (owner, number);
create table brain.pins (
    owner name not null default current_user,
    note text not null,
    pinned bool not null,
    primary key (owner, note)
);
alter table brain.events enable row level security;
alter table brain.pins enable row level security;
create policy own on brain.events using (owner = current_user) with check (owner = current_user);
create policy own on brain.pins using (owner = current_user) with check (owner = current_user);
grant select, insert on brain.events to public;
grant select, insert, update, delete on brain.pins to public;
"""

# Older chunks count as changed, so their postings are counted one by one.
THIRD = """
alter table brain.postings add column counted int not null default 0;
alter table brain.chunks add column live int not null default -1;
alter table brain.notes add column pinned bool not null default false;
create index on brain.notes (note_id) where pinned;
update brain.notes n set pinned = true from brain.note_rows r
where r.note_id = n.note_id and position('"pinned":true' in r.row_text) > 0;
"""

# The frontmatter was stored as a JSON string inside JSON, which no condition matches.
FOURTH = """
update brain.note_rows set properties = (properties #>> '{}')::jsonb where jsonb_typeof(properties) = 'string';
"""

# A note that was written again lost the key of its link words, so they are compared at the next `brain index`.
FIFTH = """
update brain.note_rows r set anchors_key = 'unknown'
where r.anchors_key = '' and exists (select from brain.anchors a where a.note_id = r.note_id);
update brain.vaults set token = ''
where vault_id in (select vault_id from brain.note_rows where anchors_key = 'unknown');
"""

# Each is applied once, in order; new ones are appended. Older programs refuse a newer schema.
MIGRATIONS = (FIRST, SECOND, THIRD, FOURTH, FIFTH)
MIGRATION_LOCK = 4_724_001


def version_of(cursor: Any) -> int:
    """Return the version of the tables; 0 if there are none."""
    cursor.execute("select to_regclass('brain.migrations') is not null")
    if not cursor.fetchone()[0]:
        return 0
    cursor.execute("select coalesce(max(version), 0) from brain.migrations")
    return int(cursor.fetchone()[0])


def migrate(connection: Any) -> None:
    """Migrate the tables to this program's version, in one transaction; StoreError if theirs is later."""
    with connection.cursor() as cursor:
        if check(version_of(cursor)):
            return
    with connection.transaction(), connection.cursor() as cursor:
        # Of two processes that find an empty database, one makes the tables.
        cursor.execute("select pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
        version = version_of(cursor)
        if not version:
            cursor.execute("create schema if not exists brain")
            cursor.execute("create table brain.migrations (version int primary key, at timestamptz default now())")
        for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
            cursor.execute(statements)
            cursor.execute("insert into brain.migrations (version) values (%s)", (number,))


def check(version: int) -> bool:
    """Return whether tables have this program's version; StoreError if they have a later one."""
    if version > len(MIGRATIONS):
        raise StoreError("The shared memory was made by a later version of brain.", "Update brain.")
    return version == len(MIGRATIONS)
