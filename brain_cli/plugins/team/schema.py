"""The tables of a shared memory, and the functions that write them.

| table   | one row for each   | holds                                                        |
|---------|--------------------|--------------------------------------------------------------|
| vaults  | vault              | its name, its owner, and facts of the whole vault            |
| sizes   | vault and language | numbers of notes, fragments and words, summed up by a memory |
| notes   | note               | its metadata, texts, weighted words, and the keys to find it |
| vectors | note and model     | the vectors of its passages                                  |
| codes   | code of a note     | codes of its meaning, a row each: all are compared           |
| terms   | term and vault     | in how many fragments the term is                            |
| events  | event of a user    | what the user recalled and how it was judged, a line of JSON |
| logins  | user               | nothing: its row is locked while events of the user are kept |
| pins    | user and note      | whether the note is pinned for that user                     |
| written | change of a note   | what was written here and its vault gets later (written.py)  |

`keys` and `texts`, a section a line, are explained in note.py. `places` holds the weights of each
of a note's terms, as the text of a JSON list: the fragments that it adds to the document frequency,
its number in the links to the note, its weight in title, tags and path, and then for each section
with the term three numbers: the section, the weight, and the part of the weight that is in links.

Members (team.py) read the rows of the vaults that name no readers, or name them or a group of
theirs; that is row level security. They have no right to write a table. They write by functions
with the rights of the owner of the tables, which check that a vault is theirs or a group's, count
sizes and terms themselves, and give out names and ids, so that nobody takes those of others. Who
may not write a table cannot lock it either.
"""

from collections.abc import Mapping
from typing import Any

from brain_cli.errors import UnreachableError

VERSION = 13
EARLIER = (
    "was made by an earlier version of brain",
    "Its owner makes it anew: drop schema brain cascade, then brain team init.",
)
TABLES = ("vaults", "sizes", "notes", "terms", "vectors", "codes")

TABLES_SQL = """
create table brain.migrations (version int primary key, at timestamptz default now());
create table brain.vaults (
    vault_id bigint generated always as identity primary key,
    name text not null unique check (name <> ''),
    origin text not null,
    owner name not null default session_user,
    token text not null default '',
    readers name[] not null default '{}' check (array_position(readers, null) is null),
    former_names text[] not null default '{}' check (array_position(former_names, null) is null),
    sent timestamptz not null default now(),
    facts jsonb not null default '{}' check (jsonb_typeof(facts) = 'object'),
    -- The number of the note that was added last: see note_id.
    last_note int not null default 0
);
create table brain.events (
    number bigint generated always as identity primary key,
    owner name not null default session_user,
    id text not null,
    line text not null,
    unique (owner, id)
);
create index events_owner_number_idx on brain.events (owner, number);
create table brain.logins (owner name primary key);
create table brain.pins (
    owner name not null default session_user,
    note text not null,
    pinned bool not null,
    primary key (owner, note)
);
create table brain.written (
    number bigint generated always as identity primary key,
    vault_id bigint not null references brain.vaults on delete cascade,
    author name not null default session_user,
    at timestamptz not null default clock_timestamp(),
    kind text not null check (kind in ('add', 'append', 'archive', 'restore')),
    path text not null check (path <> ''),
    content bytea not null,
    fetched bool not null default false
);
create index written_waiting on brain.written (vault_id, number) where not fetched;
create table brain.sizes (
    vault_id bigint not null references brain.vaults on delete cascade,
    language text not null,
    notes bigint not null check (notes between 0 and 1e9),
    fragments bigint not null check (fragments between 0 and 1e12),
    length bigint not null check (length between 0 and 1e15),
    primary key (vault_id, language)
);
create table brain.notes (
    -- The vault and a number in it, so that no vault takes the ids of another.
    note_id bigint primary key check (note_id >> 32 = vault_id),
    vault_id bigint not null references brain.vaults on delete cascade,
    archived bool not null,
    pinned bool not null,
    at float8 not null check (at between -1e11 and 1e12),
    lengths int[] not null check (
        array_position(lengths, null) is null and 0 <= all (lengths)
            and coalesce(array_ndims(lengths), 1) = 1),
    language text not null,
    path text not null check (path <> ''),
    kind text not null,
    path_key text not null,
    content_hash text not null,
    version text not null,
    former_paths text[] not null check (array_position(former_paths, null) is null),
    neighbours bigint[] not null check (array_position(neighbours, null) is null),
    properties jsonb not null,
    keys text[] not null check (array_position(keys, null) is null),
    places jsonb not null check (jsonb_typeof(places) = 'object'),
    record text not null check (json_array_length(record::json) > 3),
    texts text not null check (
        json_array_length(('[' || replace(texts, E'\\n', ',') || ']')::json) =
            cardinality(lengths)),
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
    content bytea not null,
    primary key (note_id, model),
    foreign key (note_id, vault_id) references brain.notes (note_id, vault_id) on delete cascade
);
alter table brain.vectors alter content set storage external;
create table brain.codes (
    note_id bigint not null,
    model text not null,
    vault_id bigint not null,
    code bit varying not null,
    foreign key (note_id, model) references brain.vectors on delete cascade
);
create index codes_note on brain.codes (note_id, model);
create table brain.terms (
    term text collate "C" not null,
    vault_id bigint not null references brain.vaults on delete cascade,
    fragments bigint not null check (fragments between 0 and 1e12),
    primary key (term, vault_id)
);
create index terms_gone on brain.terms (vault_id) where fragments <= 0;
"""
# These run again with each `brain team init`, which repairs what somebody has changed by hand.
# Inside `security definer`, the current user is the owner of the tables; the user who asks is the
# session's.
FUNCTIONS = """
-- The roles that somebody is or belongs to; none of those whom the user who asks cannot stand for.
-- In a subquery, it is
-- computed once, and not for each vault.
create or replace function brain.roles(who name) returns name[] language sql stable
    set search_path = pg_catalog as $$
    select array(select rolname from pg_roles where pg_has_role(who, oid, 'usage'))
    where pg_has_role(session_user, who, 'member') $$;
create or replace function brain.writable(who name) returns setof bigint
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select vault_id from brain.vaults
    where array[owner, current_user] && (select brain.roles(who)) $$;
create or replace function brain.readable(who name) returns setof bigint
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    with mine as materialized (select brain.roles(who) as roles)
    select vault_id from brain.vaults, mine
    where readers = '{}' or readers && roles or array[owner, current_user] && roles $$;
-- The readable notes that have a key, with the sum of its weights. Under row level security no
-- plan may use the index
-- of the keys: `@>` is not leakproof. So this looks them up as the owner, and leaves out the notes
-- of other vaults.
-- `offset 0` keeps the plan from comparing all notes with all keys at once, whose decompression it
-- does not count.
create or replace function brain.matching(keys text[], weights float8[])
    returns table (note_id bigint, archived bool, worth float8) rows 500
    language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select n.note_id, n.archived, sum(a.weight)
    from unnest(keys, weights) as a(key, weight)
    cross join lateral (
        select m.note_id, m.archived, m.vault_id from brain.notes m
            where m.keys @> array[a.key] offset 0) as n
    where n.vault_id in (select brain.readable(session_user))
    group by 1, 2 $$;
-- A section's text; null if somebody has stored something else.
create or replace function brain.text_of(section text) returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
    begin return section::json ->> 'text'; exception when others then return null; end $$;
create or replace function brain.check_own(own_vault bigint) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
        if own_vault not in (select brain.writable(session_user))
            then raise insufficient_privilege; end if;
    end $$;
-- A name that another's vault has or had is not free, because histories and pins call notes by it.
create or replace function brain.check_free(called text) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
        if exists (select from brain.vaults v, unnest(v.name || v.former_names) as taken
            where v.vault_id not in (select brain.writable(session_user)) and (taken = called
                or starts_with(taken, called || ':') or starts_with(called, taken || ':'))) then
            raise unique_violation;
        end if;
    end $$;
-- The vault of a name, made if it is new; none if this user may not see it. A vault of this origin
-- that had the name
-- is the one that is meant.
create or replace function brain.open_vault(called text, from_origin text)
    returns table (id bigint, name text, owner name, origin text, is_writable bool)
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    declare meant bigint := (
        select vault_id from brain.vaults v where v.name = called or v.origin = from_origin
            and called = any(v.former_names) and vault_id in (select brain.writable(session_user))
        order by v.origin = from_origin desc, v.name = called desc limit 1);
    begin
        if meant is null then
            perform brain.check_free(called);
            insert into brain.vaults as v (name, origin) values (called, from_origin)
                returning vault_id into meant;
        end if;
        return query select v.vault_id, v.name, v.owner, v.origin, v.vault_id in (select
            brain.writable(session_user))
            from brain.vaults v where v.vault_id = meant
                and v.vault_id in (select brain.readable(session_user));
    end $$;
-- Null keeps the name, or the readers.
create or replace function brain.change_vault(own_vault bigint, called text, read_by name[])
    returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
        perform brain.check_own(own_vault), brain.check_free(called);
        update brain.vaults set name = coalesce(called, name), readers = coalesce(read_by, readers),
            former_names = case when called is null then former_names
                else array_remove(former_names || name, called) end where vault_id = own_vault;
    end $$;
-- The number of pins that go with it.
create or replace function brain.remove_vault(own_vault bigint) returns bigint
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    declare called text; pins bigint;
    begin
        perform brain.check_own(own_vault);
        delete from brain.vaults where vault_id = own_vault returning name into called;
        delete from brain.pins where starts_with(note, called || ':');
        get diagnostics pins = row_count;
        return pins;
    end $$;
create or replace function brain.new_ids(own_vault bigint, amount int) returns setof bigint
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    declare last int;
    begin
        perform brain.check_own(own_vault);
        update brain.vaults set last_note = last_note + greatest(amount, 0)
            where vault_id = own_vault
            returning last_note into last;
        return query select (own_vault << 32) + last - amount + n from generate_series(1, amount)
            as n;
    end $$;
-- Notes that replace those with their ids and paths, and others that go; with a change that the
-- vault gets later, and
-- with the facts of the whole vault (sending.py). The next `brain index` compares all notes,
-- unless it is the one that
-- sends the facts.
create or replace function brain.write(
    own_vault bigint, added json, gone bigint[], new_facts jsonb, change text, at_path text,
        new_content bytea)
    returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    declare
        own brain.notes;
        ids bigint[] := gone || array(select note_id from json_to_recordset(added)
            as s(note_id bigint));
        paths text[] := array(select path from json_to_recordset(added) as s(path text));
    begin
        perform brain.check_own(own_vault);
        own.vault_id := own_vault;
        update brain.vaults set token = coalesce(new_facts ->> 'token', ''), facts =
            coalesce(new_facts - 'token', facts),
            sent = case when new_facts is null then sent else now() end where vault_id = own_vault;
        with deleted as (
            delete from brain.notes where vault_id = own_vault and (note_id = any(ids)
                or path = any(paths))
            returning language, lengths, places),
        sized as (
            update brain.sizes s set notes = s.notes - d.notes, fragments = s.fragments -
                d.fragments,
                length = s.length - d.length from (
                    select language, count(*) as notes, sum(cardinality(lengths)) as fragments,
                        sum((select coalesce(sum(length), 0) from unnest(lengths) as length))
                            as length
                    from deleted group by 1) as d
            where s.vault_id = own_vault and s.language = d.language)
        update brain.terms t set fragments = greatest(t.fragments - d.fragments, 0) from (
            select term, sum(least(greatest((place::json ->> 0)::int, 0), cardinality(lengths)))
                as fragments
            from deleted, jsonb_each_text(places) as words(term, place) group by 1) as d
        where t.vault_id = own_vault and t.term = d.term;
        with inserted as (
            insert into brain.notes select * from json_populate_recordset(own, added) as s
                where s.vault_id = own_vault
            returning language, lengths, places),
        sized as (
            insert into brain.sizes as was
            select own_vault, language, count(*), sum(cardinality(lengths)),
                sum((select coalesce(sum(length), 0) from unnest(lengths) as length))
                    from inserted group by language
            on conflict (vault_id, language) do update set notes = was.notes + excluded.notes,
                fragments = was.fragments + excluded.fragments, length = was.length +
                    excluded.length)
        insert into brain.terms as was
        select term, own_vault, sum(least(greatest((place::json ->> 0)::int, 0),
            cardinality(lengths)))
        from inserted, jsonb_each_text(places) as words(term, place) group by 1 order by 1
        on conflict (term, vault_id) do update set fragments = was.fragments + excluded.fragments;
        delete from brain.terms where vault_id = own_vault and fragments <= 0;
        if change is not null then
            insert into brain.written (vault_id, kind, path, content)
            values (own_vault, change, at_path, new_content);
        end if;
    end $$;
-- The vectors of notes with their codes, which go with their note when it is replaced.
create or replace function brain.put_vectors(own_vault bigint, added json) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
        perform brain.check_own(own_vault);
        with inserted as (
            insert into brain.vectors
            select n.note_id, s.model, n.vault_id, s.content
            from json_populate_recordset(null::brain.vectors, added) as s
            join brain.notes n using (note_id)
            where n.vault_id = own_vault on conflict do nothing returning note_id, model)
        insert into brain.codes
        select note_id, model, own_vault, unnest(s.codes)
        from json_to_recordset(added) as s(note_id bigint, model text, codes bit varying[])
        join inserted using (note_id, model);
    end $$;
-- The vault has the changes up to a number; with 0: it was compared, and is as it was sent.
create or replace function brain.fetched(own_vault bigint, change bigint) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
        perform brain.check_own(own_vault);
        update brain.written set fetched = true, content = '' where vault_id = own_vault
            and number = change;
        update brain.vaults set sent = now() where vault_id = own_vault;
    end $$;
-- A reader that sees the number of an event has seen all lower ones of the same user: the row is
-- locked.
create or replace function brain.record(ids text[], lines text[]) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
        insert into brain.logins as own values (session_user) on conflict (owner) do update
            set owner = own.owner;
        insert into brain.events (id, line)
        select e.id, e.line from unnest(ids, lines) with ordinality as e(id, line, place)
            order by e.place
        on conflict (owner, id) do nothing;
    end $$;
create or replace function brain.pin(named text, is_pinned bool) returns void
    language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into brain.pins (note, pinned) values (named, is_pinned)
    on conflict (owner, note) do update set pinned = excluded.pinned $$;
-- These have the rights of the owner who calls them.
create or replace function brain.make_role(called name) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    begin
        if not exists (select from pg_roles where rolname = called) then
            execute format('create role %I nologin', called);
        end if;
    end $$;
-- Whether the login is new.
create or replace function brain.add_member(person name, hashed text, groups name[]) returns bool
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    declare
        is_new bool := not exists (select from pg_roles where rolname = person);
        role name;
    begin
        if is_new then execute format('create role %I login password %L', person, hashed); end if;
        foreach role in array groups || ('brain_' || current_database())::name loop
            perform brain.make_role(role);
            execute format('grant %I to %I', role, person);
        end loop;
        return is_new;
    end $$;
-- Whether the login is gone: one that is used for something else is kept.
create or replace function brain.remove_member(person name, heir name) returns bool
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    begin
        if heir <> '' then update brain.vaults set owner = heir where owner = person; end if;
        delete from brain.vaults where owner = person;
        delete from brain.events where owner = person;
        delete from brain.logins where owner = person;
        delete from brain.pins where owner = person;
        if exists (select from pg_roles where rolname = person) then
            execute format('revoke %I from %I', 'brain_' || current_database(), person);
            begin
                execute format('drop role %I', person);
            exception when dependent_objects_still_exist or insufficient_privilege then
                return false;
            end;
        end if;
        return true;
    end $$;
create or replace view brain.text with (security_invoker = true) as
    select v.name as vault, n.path, s.place::int - 1 as section, brain.text_of(s.content) as text
    from brain.notes n join brain.vaults v using (vault_id)
    cross join lateral unnest(string_to_array(n.texts, E'\\n')) with ordinality
        as s(content, place);
"""
READABLE = "vault_id in (select brain.readable(current_user))"
MINE = "owner = current_user"
# The rows of each table that a user may read.
POLICIES = {
    **dict.fromkeys((*TABLES, "written"), READABLE),
    **dict.fromkeys(("events", "pins", "logins"), MINE),
}
RIGHTS = (
    FUNCTIONS,
    *(
        f"""
alter table brain.{table} enable row level security;
drop policy if exists reading on brain.{table};
create policy reading on brain.{table} for select using ({read});
"""
        for table, read in POLICIES.items()
    ),
    """
revoke all on all tables in schema brain from public;
revoke all on all functions in schema brain from public;
do $$
declare members name := 'brain_' || current_database();
begin
    if exists (select from pg_roles where rolname = members) then
        execute format('revoke all on all tables in schema brain from %1$I;
            grant usage on schema brain to %1$I;
            grant select on all tables in schema brain to %1$I;
            grant execute on all functions in schema brain to %1$I', members);
    end if;
end $$
""",
)


def make_tables(connection: Any, limits: tuple[str, Mapping[str, object]]) -> None:
    """Make the tables where there are none, in one transaction; UnreachableError if theirs is of
    another version.

    Of two processes that find an empty database one fails, with a unique violation.
    """
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute(*limits)
        [(made,)] = cursor.execute("select to_regclass('brain.migrations')").fetchall()
        if made:
            found = cursor.execute("select max(version) from brain.migrations").fetchall()
            check_version(found[0][0])
            return
        for statement in ("create schema if not exists brain", TABLES_SQL, *RIGHTS):
            cursor.execute(statement)
        cursor.execute("insert into brain.migrations (version) values (%s)", (VERSION,))


def check_version(version: int | None) -> None:
    """Raise UnreachableError if tables have another version than this program's."""
    if (version or 0) > VERSION:
        raise UnreachableError(
            "The shared memory was made by a later version of brain.", "Update brain."
        )
    if version != VERSION:
        raise UnreachableError(f"The shared memory {EARLIER[0]}.", EARLIER[1])
