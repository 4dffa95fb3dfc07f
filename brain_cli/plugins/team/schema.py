"""The tables of a shared memory.

| table   | one row for each   | holds                                                        |
|---------|--------------------|--------------------------------------------------------------|
| vaults  | vault              | its name, its owner, and facts of the whole vault            |
| sizes   | vault and language | numbers of notes, fragments and words, summed up by a memory |
| notes   | note               | its metadata, texts, weighted words, and the keys to find it |
| vectors | note and model     | codes of its meaning, and the vectors of its passages        |
| terms   | term and vault     | in how many fragments the term is                            |
| events  | event of a user    | what the user recalled and how it was judged, a line of JSON |
| pins    | user and note      | whether the note is pinned for that user                     |
| written | change of a note   | what was written here and its vault gets later (written.py)  |

`keys` and `texts`, a section a line, are explained in note.py. `places` holds the weights of each
of a note's terms, as the text of a JSON list: the fragments that it adds to the document frequency,
its number in the links to the note, its weight in title, tags and path, and then for each section
with the term three numbers: the section, the weight, and the part of the weight that is in links.

Every table of notes has the vault's id, for row level security: members (admin.py) read the vaults
that name no readers, or name them or a group of theirs; they write the vaults that they or a group
of theirs own. In `events` and `pins`, users see only their own rows.
"""

from __future__ import annotations

from typing import Any

from brain_cli.errors import UnreachableError

VERSION = 12
EARLIER = (
    "was made by an earlier version of brain",
    "Let the owner of its tables run `brain index` once.",
)
TABLES = ("vaults", "sizes", "notes", "terms", "vectors")

# Made once, and kept by every later version.
KEPT = """
create table if not exists brain.vaults (
    vault_id bigint generated always as identity primary key,
    name text not null unique,
    origin text not null,
    owner name not null default current_user,
    token text not null default ''
);
alter table brain.vaults add column if not exists readers name[] not null default '{}',
    add column if not exists former_names text[] not null default '{}',
    add column if not exists sent timestamptz not null default now(),
    add column if not exists facts jsonb not null default '{}' check (jsonb_typeof(facts) = 'object');
create table if not exists brain.events (
    number bigint generated always as identity primary key,
    owner name not null default current_user,
    id text not null,
    line text not null,
    unique (owner, id)
);
create index if not exists events_owner_number_idx on brain.events (owner, number);
create table if not exists brain.pins (
    owner name not null default current_user,
    note text not null,
    pinned bool not null,
    primary key (owner, note)
);
create table if not exists brain.written (
    number bigint generated always as identity primary key,
    vault_id bigint not null references brain.vaults on delete cascade,
    author name not null default current_user,
    at timestamptz not null default clock_timestamp(),
    kind text not null,
    path text not null,
    content bytea not null,
    fetched bool not null default false
);
create index if not exists written_waiting on brain.written (vault_id, number) where not fetched;
grant select, insert on brain.events to public;
grant select, insert, update, delete on brain.pins to public;
"""

# The notes of earlier versions are sent again by the next `brain index` of each vault.
NOTES = """
drop view if exists brain.text;
drop table if exists brain.sizes, brain.notes, brain.note_rows, brain.fragments, brain.dates, brain.terms,
    brain.vectors, brain.postings, brain.anchors, brain.tags, brain.chunks;
drop sequence if exists brain.note_ids, brain.chunk_ids;
-- No policy may use a column whose type changes.
drop policy if exists reading on brain.vaults;
alter table brain.vaults alter column vault_id type bigint;
update brain.vaults set token = '';
create table brain.sizes (
    vault_id bigint not null references brain.vaults on delete cascade,
    language text not null,
    notes bigint not null,
    fragments bigint not null,
    length bigint not null,
    primary key (vault_id, language)
);
create sequence brain.note_ids;
create table brain.notes (
    note_id bigint primary key,
    vault_id bigint not null references brain.vaults on delete cascade,
    archived bool not null,
    pinned bool not null,
    at float8 not null,
    lengths int[] not null,
    language text not null,
    path text not null,
    kind text not null,
    path_key text not null,
    content_hash text not null,
    version text not null,
    former_paths text[] not null,
    neighbours bigint[] not null,
    properties jsonb not null,
    keys text[] not null,
    places jsonb not null,
    record text not null,
    texts text not null,
    constraint one_note_a_path unique (vault_id, path) deferrable initially deferred,
    -- For the references below, so that nobody adds vectors to a note of another vault.
    unique (note_id, vault_id)
) with (toast_tuple_target = 256);
-- Links are followed from note to note, so they stay in the rows.
alter table brain.notes alter neighbours set storage main, alter lengths set storage main;
create index notes_keys on brain.notes using gin (keys) with (fastupdate = off);
create index notes_at on brain.notes (at desc);
create index notes_kind on brain.notes (kind, at desc);
create index notes_pinned on brain.notes (note_id) where pinned;
create table brain.vectors (
    note_id bigint not null,
    model text not null,
    vault_id bigint not null,
    codes bit varying[] not null,
    content bytea not null,
    primary key (note_id, model),
    foreign key (note_id, vault_id) references brain.notes (note_id, vault_id) on delete cascade
) with (toast_tuple_target = 128);
-- The codes, which are compared one by one, stay in the rows, and the vectors out of their way.
alter table brain.vectors alter codes set storage main, alter content set storage external;
create table brain.terms (
    term text collate "C" not null,
    vault_id bigint not null references brain.vaults on delete cascade,
    fragments bigint not null,
    primary key (term, vault_id)
);
create index terms_gone on brain.terms (vault_id) where fragments <= 0;
create view brain.text with (security_invoker = true) as
    select v.name as vault, n.path, s.place::int - 1 as section, s.content::json ->> 'text' as text
    from brain.notes n join brain.vaults v using (vault_id)
    cross join lateral unnest(string_to_array(n.texts, E'\\n')) with ordinality as s(content, place);
"""
READABLE, WRITABLE = (
    f"vault_id in (select brain.{may}(current_user))" for may in ("readable", "writable")
)
MINE = "owner = current_user"
MY_VAULT = "owner = any((select brain.roles(current_user))::name[])"
# The rows of each table that a user may read, and write; of a vault that is being made, only the
# owner is known.
POLICIES = {
    **dict.fromkeys((*TABLES, "written"), (READABLE, WRITABLE)),
    **dict.fromkeys(("events", "pins"), (MINE, MINE)),
    "vaults": (READABLE, MY_VAULT),
}
# Who may do what. `brain team init` runs this again, which repairs what somebody has changed by hand.
RIGHTS = (
    """
-- The roles that a user is or belongs to.
create or replace function brain.roles(who name) returns name[] language sql stable set search_path = pg_catalog as $$
    select array(select rolname from pg_roles where pg_has_role(who, oid, 'usage')) $$;
-- Inside these functions, the current user is the owner of the tables.
create or replace function brain.writable(who name) returns setof bigint
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select vault_id from brain.vaults where owner = any(brain.roles(who)) or pg_has_role(who, current_user, 'usage') $$;
create or replace function brain.readable(who name) returns setof bigint
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select vault_id from brain.vaults where readers = '{}' or readers && brain.roles(who)
    union select brain.writable(who) $$;
-- The readable notes that have a key, with the sum of its weights. Under row level security no plan may use the index
-- of the keys: `@>` is not leakproof. So this looks them up as the owner, and leaves out the notes of other vaults.
-- `offset 0` keeps the plan from comparing all notes with all keys at once, whose decompression it does not count.
create or replace function brain.matching(keys text[], weights float8[])
    returns table (note_id bigint, archived bool, worth float8) rows 500
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select n.note_id, n.archived, sum(a.weight)
    from unnest(keys, weights) as a(key, weight)
    cross join lateral (
        select m.note_id, m.archived, m.vault_id from brain.notes m where m.keys @> array[a.key] offset 0) as n
    where n.vault_id in (select brain.readable(session_user))
    group by 1, 2 $$;
revoke execute on function brain.matching from public;
""",
    *(
        f"""
alter table brain.{table} enable row level security;
drop policy if exists reading on brain.{table};
drop policy if exists writing on brain.{table};
create policy reading on brain.{table} for select using ({read});
create policy writing on brain.{table} using ({write});
"""
        for table, (read, write) in POLICIES.items()
    ),
    f"""
do $$
declare members name := 'brain_' || current_database();
begin
    if exists (select from pg_roles where rolname = members) then
        execute format('grant usage on schema brain to %1$I;
            grant select on all tables in schema brain to %1$I;
            grant insert, update, delete on {", ".join(f"brain.{table}" for table in TABLES)} to %1$I;
            grant insert (vault_id, kind, path, content), update (content, fetched) on brain.written to %1$I;
            grant usage on all sequences in schema brain to %1$I;
            grant execute on function brain.matching to %1$I', members);
    end if;
end $$
""",
)


def migrate(connection: Any) -> None:
    """Bring the tables to this program's version, in one transaction; UnreachableError if theirs is
    later.
    """
    with connection.transaction(), connection.cursor() as cursor:
        # Of two processes that find an empty database, one makes the tables.
        cursor.execute("select pg_advisory_xact_lock(4724001)")
        [(migrations,)] = cursor.execute("select to_regclass('brain.migrations')").fetchall()
        if not migrations:
            cursor.execute("create schema if not exists brain")
            cursor.execute(
                "create table brain.migrations (version int primary key, at timestamptz default now())"
            )
        [(version,)] = cursor.execute(
            "select coalesce(max(version), 0) from brain.migrations"
        ).fetchall()
        if not is_current(version):
            for statement in (KEPT, NOTES, *RIGHTS):
                cursor.execute(statement)
            cursor.execute("insert into brain.migrations (version) values (%s)", (VERSION,))


def is_current(version: int) -> bool:
    """Return whether tables have this program's version; UnreachableError if they have a later one."""
    if version > VERSION:
        raise UnreachableError(
            "The shared memory was made by a later version of brain.", "Update brain."
        )
    return version == VERSION
