"""SQL statements that read the data of notes, and a user's own events and pins."""

from __future__ import annotations

TOTALS = """
select coalesce(sum(s.notes), 0), coalesce(sum(s.fragments), 0), coalesce(sum(s.length), 0),
    array(select language from brain.sizes where notes > 0 group by 1 order by sum(notes) desc, 1),
    (select coalesce(sum(generation), 0) from brain.vaults),
    (select coalesce(min(oldest_date) filter (where oldest_date > 0), 0) from brain.vaults),
    array(select distinct unnest(projects) from brain.vaults),
    array(select distinct unnest(boilerplate) from brain.vaults)
from brain.sizes s
"""

# The notes that are linked with the nearest.
LINKED = """array(
    select unnest(neighbours) from brain.note_rows where note_id = any(%(nearest)s::int[]) limit %(most_linked)s)"""

# All notes in one row, column by column, because the driver would take long for thousands of rows.
NOTES = f"""
with asked as materialized (
    select note_id, vault_id, content_hash, row_text, lengths, neighbours, successors, tells_date, former_paths
    from brain.note_rows where note_id = any(%(note_ids)s::int[] || {LINKED})),
copies as (
    select content_hash, count(*)::int as found from brain.note_rows
    where content_hash = any(array(select content_hash from asked)) group by 1),
-- A relay passes activation between notes, so it must be linked with at least two, one of which may be shown.
relays as (
    select note_id from (
        select note_id in (
                select unnest(%(receivers)s::int[]) union all select unnest({LINKED})) as receives,
            unnest(neighbours) as note_id
        from asked
        union all
        select false, unnest(neighbours) from brain.note_rows where note_id = any(%(known)s::int[])) as each
    group by 1 having count(*) > 1 and bool_or(receives)
    except select note_id from asked
    except select unnest(%(known)s::int[])),
in_order as (
    select a.*, v.name, c.found from asked a join brain.vaults v using (vault_id) join copies c using (content_hash)
    order by note_id),
relays_in_order as (
    select note_id, neighbours from brain.note_rows
    where note_id = any(array(select note_id from relays)) and cardinality(neighbours) between 2 and %(most_links)s
    order by note_id)
select * from (
    select array_agg(note_id), array_agg(name), array_agg(row_text), array_agg(tells_date), array_agg(found),
        string_agg(array_send(lengths), ''), string_agg(array_send(neighbours), ''),
        string_agg(array_send(successors), ''),
        jsonb_object_agg(note_id, former_paths) filter (where cardinality(former_paths) > 0)
    from in_order) as notes
cross join (select array_agg(note_id), string_agg(array_send(neighbours), '') from relays_in_order) as relayed
"""
RECORDS = f"select note_id, record from brain.note_rows where note_id = any(%(note_ids)s::int[] || {LINKED})"
# The first sections of the best notes.
BEGINNINGS = """
select note_id, section, content from brain.fragments
where note_id = any(%(best)s::int[]) and section < %(sections)s
"""
TEXTS = """
select f.note_id, f.section, f.content
from unnest(%(note_ids)s::int[], %(sections)s::int[]) as asked(note_id, section)
join brain.fragments f using (note_id, section) where f.note_id = any(%(note_ids)s::int[])
"""
NAMED = """
with readings as (
    select v.vault_id, r.path, r.name
    from unnest(%(vaults)s::text[], %(paths)s::text[], %(names_there)s::text[]) as r(vault, path, name)
    join brain.vaults v on v.name = r.vault),
named as (
    select note_id, vault_id, path, true as by_path from brain.note_rows
    where path = any(%(paths)s::text[]) and (vault_id, path) in (select vault_id, path from readings)
    union all
    select note_id, vault_id, path, false from brain.note_rows n
    where names && %(names)s::text[] or (names && %(names_there)s::text[]
        and exists (select from readings r where r.vault_id = n.vault_id and r.name = any(n.names))))
select v.name, n.path, n.note_id from named n join brain.vaults v using (vault_id)
where n.by_path or not exists (select from named where by_path)
order by 1, 2 limit %(most)s
"""
EVENTS = """
select number, line from brain.events where owner = current_user and number >= %(since)s order by number
"""
PINS = "select note, pinned from brain.pins where owner = current_user"
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
PREFIXED = """
select distinct term from brain.postings
where field <= 1 and term >= %(first)s and term < %(last)s order by 1 limit %(most)s
"""
WORDS_LIKE = """
select distinct term from brain.postings
where field <= 1 and term >= %(first)s and term < %(last)s
    and char_length(term) between %(shortest)s and %(longest)s
"""
KNOWN = """
select distinct term from brain.postings where term = any(%(terms)s::text[]) and field <= 1
"""
NAMED_LIKE = """
select note_id from brain.note_rows, lateral (
    select count(*) as shared from unnest(grams) as gram where gram = any(%(grams)s::text[])) as counted
where grams && %(grams)s::text[]
order by shared / sqrt(cardinality(grams)) desc, note_id limit %(most)s
"""
NAMES = "select names from brain.note_rows where names && %(keys)s::text[] order by note_id limit %(most)s"
TAGS = "select tag, sum(notes)::int from brain.tags group by 1 order by 2 desc, 1 limit %(most)s"
TAGS_OF_WORDS = """
select distinct on (tag) tag, terms from brain.tags
where terms && %(terms)s::text[] and terms <@ %(terms)s::text[]
"""
