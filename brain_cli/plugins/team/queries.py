"""The SQL statements that read a shared memory. They find and count; no formula stands here."""

from __future__ import annotations

# A vault that was not sent for so long is marked.
STALE = "30 days"
TOTALS = """
select (select max(version) from brain.migrations), coalesce(sum(s.notes), 0)::bigint,
    coalesce(sum(s.fragments), 0)::bigint, coalesce(sum(s.length), 0)::bigint,
    array(select language from brain.sizes where notes > 0 group by 1 order by sum(notes) desc, 1),
    (select coalesce(sum(generation), 0)::bigint from brain.vaults),
    (select coalesce(min(oldest_date) filter (where oldest_date > 0), 0) from brain.vaults),
    array(select distinct unnest(projects) from brain.vaults),
    array(select distinct unnest(boilerplate) from brain.vaults),
    (select coalesce(jsonb_object_agg(name, format('%%s, %%s', owner, sent::date)), '{}') from brain.vaults
        where sent < now() - %(stale)s::interval),
    (select coalesce(jsonb_object_agg(tag, notes), '{}') from (
        select tag, sum(notes::int)::bigint as notes from brain.vaults, jsonb_each_text(tags) as t(tag, notes)
        group by 1) as e)
from brain.sizes s
"""
FREQUENCIES = """
select term, sum(fragments)::bigint, sum(anchored) from brain.terms where term = any(%(terms)s::text[]) group by 1
"""
# The first terms with each of some prefixes.
PREFIXED = """
select found.* from unnest(%(firsts)s::text[], %(lasts)s::text[]) as p(first, last) cross join lateral (
    select term, sum(fragments)::bigint, sum(anchored) from brain.terms where term >= p.first and term < p.last
    group by 1 order by 1 limit %(most)s) as found
"""
# The terms that may be meant by words that no note has: those of about the length that have one of the word's pieces.
NEAR = """
select term, sum(fragments)::bigint, sum(anchored) from (
    select distinct t.*
    from jsonb_to_recordset(%(words)s::jsonb)
        as w(variants text[], first text, last text, shortest int, longest int, pieces text[])
    join brain.terms t on t.term >= w.first and t.term < w.last and char_length(t.term) between w.shortest and w.longest
        and exists (select from unnest(w.pieces) as piece where position(piece in t.term) > 0)
    where not exists (select from brain.terms k where k.term = any(w.variants) and k.fragments > 0)) as near
group by 1
"""
MATCHED = """
matched as materialized (select * from brain.matching(%(keys)s::text[], %(weights)s::float8[])),
in_scope as {in_scope},
best as materialized (
    select note_id, max(worth) as worth from (
        (select note_id, worth from in_scope where archived = %(archived)s
            order by worth desc, note_id limit %(most)s)
        union all
        (select note_id, worth from in_scope where archived order by worth desc, note_id limit %(aside)s)
        union all
        (select note_id, worth from matched where %(restricted)s or %(archived)s
            order by worth desc, note_id limit %(aside)s)) as each
    group by 1),
pinned as (
    select s.note_id from in_scope s join brain.notes n using (note_id)
    where n.pinned or n.note_id = any(%(own_pins)s::bigint[])),
"""
ALL_IN_SCOPE = "not materialized (select * from matched)"
SOME_IN_SCOPE = "materialized (select m.* from matched m join brain.notes n using (note_id) where {scope})"
# The notes near to a question; of those that are nearest to it, the ones that meet a condition.
NEAREST = """
nearest as materialized (
    select v.note_id from (
        select note_id, (
            select min(bit_count(code # %(code)s::varbit)) from unnest(codes) as code
            where length(code) = length(%(code)s)) as apart
        from brain.vectors where model = %(model)s order by 2, 1
        limit case when %(restricted)s then null else %(most_compared)s end) as v
    join brain.notes n using (note_id) where v.apart is not null and n.archived = %(archived)s and {scope}
    order by v.apart, v.note_id limit %(most_near)s),
"""
# Without keys: the newest notes.
NEWEST = """
best as materialized (
    select note_id, at as worth from brain.notes n where archived = %(archived)s and {scope}
    order by at desc, note_id limit %(most)s),
pinned as (select note_id from brain.notes n where (pinned or note_id = any(%(own_pins)s::bigint[])) and {scope}),
"""
DATED = """
dated as (
    select d.note_id from unnest(%(since)s::float8[], %(before)s::float8[]) as s(since, before)
    cross join lateral (
        select note_id from brain.dates where at >= s.since and at < s.before
        order by at desc limit %(most_aside)s) as d),
-- Of some kinds and of all, the newest notes; and all notes that this user has pinned.
standing as (
    select s.note_id from unnest(%(kinds)s::text[]) as k(kind) cross join lateral (
        select note_id from brain.notes where kind = k.kind and not archived order by at desc limit %(most_aside)s) as s
    union all
    (select note_id from brain.notes where cardinality(%(kinds)s::text[]) > 0 order by at desc limit %(most_aside)s)
    union all
    select note_id from unnest(%(own_pins)s::bigint[]) as note_id where cardinality(%(kinds)s::text[]) > 0),
"""
CHOSEN = """
ranks as materialized (select note_id, row_number() over (order by worth desc, note_id) as place from best),
-- A note with many links passes on no activation, and would fill the list alone.
linked as materialized (
    select unnest(n.neighbours) as note_id, min(place) as near
    from (select * from ranks where place <= %(linked_to)s offset 0) as r
    cross join lateral (select neighbours from brain.notes where note_id = r.note_id offset 0) as n
    where cardinality(n.neighbours) <= %(most_links)s
    group by 1 order by near, note_id limit %(most_linked)s),
-- Notes that match, and pass on activation to the best over one other note.
farther as (
    select note_id from {matched} m where note_id in (
        select unnest(neighbours) from brain.notes
        where note_id = any(array(select note_id from linked)) and cardinality(neighbours) <= %(most_links)s)
    order by worth desc, note_id limit %(most_farther)s),
chosen as materialized (
    select note_id, min(place) as place, min(near) as near,
        min(place) is not null or min(near) <= %(shown_with)s or note_id in (select note_id from {matched}) as is_whole
    from (
        select note_id, place, null::bigint as near from ranks
        union all select note_id, %(most)s, null from pinned
        union all select note_id, %(most)s, null from dated
        union all select note_id, %(most)s, null from standing
        union all select note_id, %(most)s, null from nearest
        union all select note_id, null, near from linked
        union all select note_id, null, null from farther) as each
    group by 1)
"""
# Some notes by their ids, and those within two links of them.
BY_ID = """
near as (select unnest(neighbours) as note_id from brain.notes where note_id = any(%(note_ids)s::bigint[])),
farther as (
    select unnest(neighbours) as note_id from brain.notes
    where note_id = any(array(select note_id from near)) and cardinality(neighbours) <= %(most_links)s),
chosen as materialized (
    select note_id, min(place) as place, 0 as near, true as is_whole from (
        select unnest(%(note_ids)s::bigint[]) as note_id, 1 as place
        union all select note_id, null from near
        union all select note_id, null from farther) as each
    group by 1)
"""
# Whole notes; the texts of the best ones come with them, those of others are fetched when they are read. The planner
# does not count decompression: `|| '{}'` unpacks the words of a note once for all terms, and `offset 0` keeps it so.
WHOLE = """
select n.note_id, v.name, n.lengths, n.neighbours,
    case when n.former_paths <> '{}' or v.former_names <> '{}' then array(
        select vault || ':' || path
        from unnest(v.name || v.former_names) as vault, unnest(n.path || n.former_paths) as path
        where vault <> v.name or path <> n.path) else '{}' end,
    n.archived, n.tells_date,
    case when c.place is null then 1 else (
        select count(*) from brain.notes d where d.content_hash = n.content_hash) end,
    case when c.is_whole then n.record end,
    case when c.is_whole then (select '{' || string_agg(to_json(term) || ':' || (unpacked.places ->> term), ',') || '}'
        from (select n.places || '{}' as places offset 0) as unpacked, unnest(%(terms)s::text[]) as term
        where unpacked.places ? term) end,
    case when c.place is not null and n.fragments <= %(long)s
        and sum(n.fragments) filter (where n.fragments <= %(long)s) over (order by c.place, c.note_id) <= %(sections)s
        then n.texts end
from chosen c cross join lateral (select * from brain.notes where note_id = c.note_id offset 0) as n
join brain.vaults v using (vault_id)
order by c.place, c.near, c.note_id
"""
TEXTS = """
select note_id, texts from brain.notes where note_id = any(%(note_ids)s::bigint[])
"""
# The vectors of some notes; with note 0, those of a sample of all notes.
VECTORS = """
select note_id, content from brain.vectors where model = %(model)s and note_id = any(%(note_ids)s::bigint[])
union all
select 0, content from brain.vectors tablesample bernoulli (%(percent)s) repeatable (1) where model = %(model)s
"""
NAMED = """
with readings as (
    select v.vault_id, r.path, r.key
    from unnest(%(vaults)s::text[], %(paths)s::text[], %(keys_there)s::text[]) as r(vault, path, key)
    join brain.vaults v on r.vault = any(v.former_names || v.name)),
named as (
    select n.note_id, n.vault_id, n.path, true as by_path
    from readings r join brain.notes n on n.vault_id = r.vault_id and n.path = r.path
    union all
    select n.note_id, n.vault_id, n.path, false
    from brain.matching(array[%(key)s::text], '{1}') join brain.notes n using (note_id)
    union all
    select n.note_id, n.vault_id, n.path, false
    from readings r, brain.matching(array[r.key], '{1}') as m
    join brain.notes n using (note_id) where n.vault_id = r.vault_id)
select distinct v.name, n.path, n.note_id from named n join brain.vaults v using (vault_id)
where n.by_path or not exists (select from named where by_path)
order by 1, 2 limit %(most)s
"""
EVENTS = """
select number, line from brain.events where owner = current_user and number >= %(since)s order by number
"""
# The pins of this user, each with the note that has its path, if there is one.
PINS = """
select p.note, p.pinned, (
    select n.note_id from brain.vaults v cross join unnest(v.name || v.former_names) as name_then join brain.notes n
        on n.vault_id = v.vault_id and n.path = substr(p.note, char_length(name_then) + 2)
    where starts_with(p.note, name_then || ':') limit 1)
from brain.pins p where p.owner = current_user
"""
# The lock orders the events of one user: a reader that sees a number has seen all lower ones.
RECORD = """
insert into brain.events (id, line)
select e.id, e.line from (select pg_advisory_xact_lock(hashtextextended(current_user, 4724002))) as locked,
    unnest(%(ids)s::text[], %(lines)s::text[]) with ordinality as e(id, line, place) order by e.place
on conflict (owner, id) do nothing
"""
PIN = """
insert into brain.pins (note, pinned) values (%(note)s, %(pinned)s)
on conflict (owner, note) do update set pinned = excluded.pinned
"""
# A vault of this origin that has or had the name is the one that is meant.
VAULT = """
select vault_id, name, owner, origin, vault_id in (select brain.writable(current_user)) from brain.vaults
where name = %(name)s or origin = %(origin)s and %(name)s = any(former_names)
order by origin = %(origin)s desc, name = %(name)s desc limit 1
"""
NEW_VAULT = f"""
insert into brain.vaults (name, origin)
select %(name)s, %(origin)s where not exists ({VAULT}) on conflict do nothing
"""
VAULTS = """
select name, owner::text, readers::text[],
    (select coalesce(sum(notes), 0)::bigint from brain.sizes s where s.vault_id = v.vault_id), sent::date::text,
    sent < now() - %s::interval
from brain.vaults v order by name
"""
HEALTH = """
select (select coalesce(sum(generation), 0)::bigint from brain.vaults), coalesce(sum(notes), 0)::bigint,
    coalesce(sum(fragments), 0)::bigint, (
        select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class
        where relnamespace = 'brain'::regnamespace and relkind = 'r')
from brain.sizes
"""
