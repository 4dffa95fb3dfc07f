"""The SQL statements that read a shared memory. They find and count; no formula stands here."""

# The numbers of a whole memory: `languages` are sorted by frequency, `stale` has the owner and date
# of vaults that were not sent for 30 days, and `facts` those of each vault by name, as sending.py
# writes them.
TOTALS = """
select (select max(version) from brain.migrations) as version,
    coalesce(sum(least(greatest(notes, 0), 1e9)), 0)::bigint as notes,
    coalesce(sum(least(greatest(fragments, 0), 1e12)), 0)::bigint as fragments,
    coalesce(sum(least(greatest(length, 0), 1e15)), 0)::bigint as length,
    array(select language from brain.sizes where notes > 0 group by 1
        order by sum(notes) desc, 1) as languages,
    (select coalesce(jsonb_object_agg(name, format('%%s, %%s', owner, sent::date)), '{}')
        from brain.vaults
        where sent < now() - interval '30 days') as stale,
    (select coalesce(jsonb_object_agg(name, facts::text), '{}') from brain.vaults
        where facts <> '{}') as facts
from brain.sizes
"""
FREQUENCIES = """
select term, sum(least(greatest(fragments, 0), 1e12))::bigint from brain.terms
    where term = any(%(terms)s::text[]) group by 1
"""
# The first terms with each of some prefixes; the last character of Unicode comes after them.
PREFIXED = """
select found.* from unnest(%(prefixes)s::text[]) as prefix cross join lateral (
    select term, sum(least(greatest(fragments, 0), 1e12))::bigint from brain.terms
        where term >= prefix and term < prefix || chr(1114111)
    group by 1 order by 1 limit 501) as found
"""
# The terms that may be meant by words that no note has: those that begin as other forms of the word
# do, and those of about its length that have one of its pieces.
NEAR = """
select term, sum(least(greatest(fragments, 0), 1e12))::bigint from (
    select distinct t.*
    from json_to_recordset(%(words)s)
        as w(language text, variants text[], form text, letter text, length int, edits int, pieces
            text[])
    join brain.terms t on t.term >= w.letter and t.term < w.letter || chr(1114111)
        and (starts_with(t.term, w.form)
        or char_length(t.term) between w.length - w.edits and w.length + w.edits
        and exists (select from unnest(w.pieces) as piece where position(piece in t.term) > 0))
    where w.language in (select language from brain.sizes where notes > 0)
        and not exists (select from brain.terms k where k.term = any(w.variants)
            and k.fragments > 0)) as near
group by 1
"""
# The best notes that have some of the keys; and some of those that are archived, or do not meet the
# condition.
MATCHED = """
matched as materialized (select * from brain.matching(%(keys)s::text[], %(weights)s::float8[])),
judged as {source},
best as materialized (
    (select note_id, worth from judged where is_asked order by worth desc, note_id limit %(most)s)
    union all (select note_id, worth from judged where not is_asked and archived
        order by worth desc, note_id limit %(aside)s)
    union all (select note_id, worth from judged where not is_asked and not archived
        order by worth desc, note_id limit %(aside)s)),
"""
ALL_ARE_ASKED = """
not materialized (select *, archived = %(archived)s as is_asked from matched)
"""
SOME_ARE_ASKED = """
materialized (select m.*, m.archived = %(archived)s and {scope} as is_asked from matched m
    join brain.notes n using (note_id))
"""
# Without keys: the newest notes.
NEWEST = """
best as materialized (
    select note_id, at as worth from brain.notes n where archived = %(archived)s and {scope}
    order by at desc, note_id limit %(most)s),
"""
BY_ID = "best as (select %(note_id)s::bigint as note_id, 1 as worth),"
ALL_NOTES = "(select note_id, at as worth from brain.notes)"
NO_BEST = "best as (select note_id, at as worth from brain.notes where false),"
NO_MORE = "select note_id from best"
# The notes that this user has pinned, or all have.
PINNED = """
select * from (
    select note_id from brain.notes n where (pinned or note_id = any(array(
        select n.note_id from brain.pins p, brain.vaults v, unnest(v.name || v.former_names)
            as name_then, brain.notes n
        where p.owner = current_user and p.pinned and starts_with(p.note, name_then || ':')
            and n.vault_id = v.vault_id and n.path = substr(p.note, char_length(name_then) + 2))))
                and {scope}
    order by at desc limit %(most_aside)s) as pinned
"""
# The notes near to a question; of those that are nearest to it, the ones that meet the condition. A
# note has several codes, so more of them are taken.
NEAREST = """
select * from (
    select v.note_id from (
        select note_id, min(apart) as apart from (
            select note_id, bit_count(code # %(code)s::varbit) as apart from brain.codes
            where model = %(model)s and length(code) = length(%(code)s::varbit) order by 2, 1
            limit case when %(restricted)s then null else 4 * %(most_compared)s end) as c
        group by note_id order by 2, 1
        limit case when %(restricted)s then null else %(most_compared)s end) as v
    join brain.notes n using (note_id) where n.archived = %(archived)s and {scope}
    order by v.apart, v.note_id limit %(most_near)s) as nearest
"""
# More notes that come, each kind if the question has the parameter.
MORE = {
    "since": """
select note_id from unnest(%(since)s::float8[], %(before)s::float8[]) as s(since, before) cross
    join lateral (
    select note_id from brain.notes where at >= s.since and at < s.before
    order by at desc limit %(most_aside)s) as d
union all (select note_id from brain.notes where keys && %(months)s::text[] order by at desc limit
%(most_aside)s)""",
    # The newest notes of some kinds, and of all.
    "kinds": """
select note_id from unnest(%(kinds)s::text[]) as k(kind) cross join lateral (
    select note_id from brain.notes where kind = k.kind and not archived order by at desc
        limit %(most_aside)s) as s
union all (select note_id from brain.notes order by at desc limit %(most_aside)s)""",
    "code": NEAREST,
}
# The notes to fetch: the best, those linked with them, and more. `not_found` are those that a
# command names alone.
CHOSEN = """
ranks as materialized (select note_id, row_number() over (order by worth desc, note_id)
    as place from best),
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
        where note_id = any(array(select note_id from linked))
            and cardinality(neighbours) <= %(most_links)s)
    order by worth desc, note_id limit %(most_farther)s),
chosen as materialized (
    select note_id, min(place) as place, bool_and(not_found) as not_found from (
        select note_id, place, false as not_found from ranks
        union all select note_id, %(most)s, false from ({more}) as more
        union all select note_id, %(most)s + near, false from linked
        union all select note_id, null, false from farther
        union all select note_id, null, true from unnest(%(kept)s::bigint[]) as note_id) as each
    group by 1)
"""
# Whole notes; the texts of the best ones come with them, a section a line, those of others are
# fetched when they are read. The former paths begin with the vault's name; the record and the
# places are JSON (note.py). The planner does not count decompression: `|| '{}'` unpacks the words
# of a note once for all terms, and `offset 0` keeps it so.
WHOLE = """
select n.note_id, v.name as vault, n.path, n.lengths, n.archived, n.record, c.not_found,
    case when n.former_paths <> '{}' or v.former_names <> '{}' then array(
        select vault || ':' || path
        from unnest(v.name || v.former_names) as vault, unnest(n.path || n.former_paths) as path
        where vault <> v.name or path <> n.path) else '{}' end as former_paths,
    (select '{' || string_agg(to_json(term) || ':' || (unpacked.places ->> term), ',') || '}'
        from (select n.places || '{}' as places offset 0) as unpacked, unnest(%(terms)s::text[])
            as term
        where unpacked.places ? term) as places,
    case when c.place <= %(with_texts)s and cardinality(n.lengths) <= %(long)s then n.texts end
        as texts
from chosen c cross join lateral (select * from brain.notes where note_id = c.note_id offset 0) as n
join brain.vaults v using (vault_id)
order by c.place, c.note_id
"""
TEXTS = """
select note_id, texts from brain.notes where note_id = any(%(note_ids)s::bigint[])
"""
# All notes in the form of `WHOLE` with all their terms, in portions.
EVERY_NOTE = """
select n.note_id, v.name as vault, n.path, n.lengths, n.archived, n.record, false
    as not_found, n.former_paths, n.texts,
    case jsonb_typeof(n.places) when 'object' then (
        select '{' || string_agg(to_json(term) || ':' || place, ',') || '}'
        from jsonb_each_text(n.places) as words(term, place)) else '[]' end as places
from brain.notes n join brain.vaults v using (vault_id) where n.note_id > %s
    order by n.note_id limit 200
"""
# The vectors of some notes; with note 0, those of a sample of all notes.
VECTORS = """
select note_id, content from brain.vectors where model = %(model)s
    and note_id = any(%(note_ids)s::bigint[])
union all
select 0, content from brain.vectors tablesample bernoulli (%(percent)s) repeatable (1)
    where model = %(model)s
"""
# The notes with a name, in all vaults or in one.
NAMED = """
select distinct v.name || ':' || n.path as path, n.note_id, n.path = r.path as by_path
from json_to_recordset(%(readings)s) as r(vault text, path text, key text)
cross join lateral brain.matching(array[r.key], '{1}') join brain.notes n using (note_id)
join brain.vaults v using (vault_id) where r.vault in ('', v.name)
    or r.vault = any(v.former_names) and not exists (select from brain.vaults where name = r.vault)
order by by_path desc, 1 limit 50
"""
# The events of this user after the last one that is known, or all if the server does not know that
# one.
EVENTS = """
select known.number is not null as is_known, array(
    select line from brain.events
    where owner = current_user and number > coalesce(known.number, 0) order by number) as lines
from (select max(number) as number from brain.events
    where owner = current_user and id = %(id)s and line = %(line)s) as known
"""
PINS = "select note, pinned from brain.pins where owner = current_user"
VAULTS = """
select name, owner::text, readers::text[],
    (select coalesce(sum(least(greatest(notes, 0), 1e9)), 0)::bigint from brain.sizes s
        where s.vault_id = v.vault_id), sent::date::text,
    sent < now() - interval '30 days'
from brain.vaults v order by name
"""
HEALTH = """
select coalesce(sum(least(greatest(notes, 0), 1e9)), 0)::bigint as notes,
    coalesce(sum(least(greatest(fragments, 0), 1e12)), 0)::bigint as fragments, (
    select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class
    where relnamespace = 'brain'::regnamespace and relkind = 'r') as size_bytes
from brain.sizes
"""
