"""SQL statements that find notes by their words.

    match    = (about + best section + whole) / 2, each a Σ of weight * saturation over the words
    evidence = match + complete * max(0, Σ weight - match) * (matched weight / Σ weight) ** completeness

The candidates of a request are the notes with the most evidence; brain ranks them itself. First every note gets an
upper bound, for which each word counts in its best section; the evidence of the likely ones is then computed exactly.
In both, the terms of one word in one section add up.
"""

from __future__ import annotations

from brain_cli.index.engines._postgresql_frequencies import ASKED

# All postings of the words in texts, including those that no longer count, whose chunk is not that of their note.
PLACES = """places as materialized (
    select a.word, q.chunk, p.note_id, p.section, p.weight, p.length
    from asked a
    join brain.postings q on q.term = a.term and q.field = 0
    cross join lateral unnest(q.notes, q.sections, q.weights, q.lengths) as p(note_id, section, weight, length)
    where q.term = any(%(terms)s::text[])),
titles as materialized (
    select a.word, q.chunk, p.note_id, p.weight
    from asked a
    join brain.postings q on q.term = a.term and q.field = 1
    cross join lateral unnest(q.notes, q.weights) as p(note_id, weight)
    where q.term = any(%(terms)s::text[])),
links as materialized (
    select a.word, n.chunk, l.note_id, l.weight
    from asked a join brain.anchors l on l.term = a.term join brain.notes n on n.note_id = l.note_id
    where l.term = any(%(terms)s::text[]))"""

SCORED = f"""with {ASKED},
weighted(word, weight) as (select * from unnest(%(words)s::int[], %(weights)s::float8[])),
{PLACES},
-- The postings of words with several terms, added up by section; nothing is read if there are none.
added_up as (
    select word, note_id, chunk, sum(weight::float8) as weight, max(length) as length
    from places where cardinality(%(several)s::int[]) > 0 and word = any(%(several)s::int[])
    group by word, note_id, chunk, section),
in_notes as materialized (
    select word, note_id, chunk, sum(body) as body, max(tf) as tf, sum(about) as about
    from (
        select word, note_id, chunk, weight as body,
            weight / (%(flat)s::float8 + %(section_slope)s::float8 * length) as tf, 0::float8 as about
        from (
            select word, note_id, chunk, weight::float8 as weight, length from places
            where word <> all(%(several)s::int[])
            union all select * from added_up) as each
        union all select word, note_id, chunk, 0, 0, weight from titles
        union all select word, note_id, chunk, 0, 0, weight from links) as each
    group by 1, 2, 3),
summed as (
    select note_id, chunk, archived, sum(weight) as covered,
        sum(weight * about / (about + %(k1)s::float8)) as about,
        sum(weight * (about + tf) / (about + tf + %(k1)s::float8)) as section,
        sum(weight * whole / (whole + %(k1)s::float8)) as whole
    from (
        select i.note_id, i.chunk, n.archived, w.weight, i.about, i.tf,
            i.about + i.body / (%(flat)s::float8 + %(note_slope)s::float8 * n.length) as whole
        from in_notes i join weighted w using (word) join brain.notes n on n.note_id = i.note_id and n.chunk = i.chunk)
        as each
    group by 1, 2, 3),
scored as materialized (
    select note_id, chunk, archived, covered, about, whole, {{evidence}} as score
    from (select *, {{match}} as match from summed) as matched)"""

MATCH = "(%(k1)s::float8 + 1) * (section + whole) / 2 / %(worth)s::float8"
EVIDENCE = """match + %(complete)s::float8 * greatest(0, 1 - match)
        * least(1, covered / %(worth)s::float8) ^ %(completeness)s::float8"""
SCORED = SCORED.format(evidence=EVIDENCE, match=MATCH)

# The evidence of the likely notes, each with its best section, in which its words add up.
EXACT = f"""
of_likely as (
    select p.word, p.note_id, p.section, sum(p.weight::float8) as weight, max(p.length) as length
    from likely l join places p using (note_id, chunk)
    group by 1, 2, 3),
gains as (
    select b.note_id, b.section, sum(w.weight * (
        (i.about + b.tf) / (i.about + b.tf + %(k1)s::float8) - i.about / (i.about + %(k1)s::float8))) as gain
    from (
        select *, weight / (%(flat)s::float8 + %(section_slope)s::float8 * length) as tf from of_likely) as b
    join weighted w using (word) join likely l using (note_id)
    join in_notes i on i.word = b.word and i.note_id = l.note_id and i.chunk = l.chunk
    group by 1, 2),
best_sections as (select note_id, max(gain) as gain from gains group by 1),
exact as materialized (
    select note_id, archived, is_in_scope, {EVIDENCE} as score
    from (
        select l.*, {MATCH.replace("section", "about + coalesce(gain, 0)")} as match
        from likely l left join best_sections using (note_id)) as matched),"""

# Without words to rank by: the notes with dates nearest to the requested times, or else the newest.
DATED = f"""with {ASKED},
{PLACES},
scored as materialized (
    select n.note_id, n.chunk, n.archived, {{score}} as score
    from brain.notes n join brain.note_rows r using (note_id))"""
EXACTLY_DATED = """
exact as (select * from likely),"""
NEWEST = "n.at"
NEAREST = """-coalesce((
        select min(greatest(0, s.since - d.seconds, d.seconds - s.before))
        from unnest(r.dates) as d(seconds), unnest(%(since)s::float8[], %(before)s::float8[]) as s(since, before)),
    1e18)"""

CANDIDATES = """
%(scored)s,
in_scope as materialized (select s.note_id, s.score, s.archived from scored s %(scope)s),
likely as materialized (
    select s.*, e.is_in_scope from (
        select note_id, bool_or(is_in_scope) as is_in_scope from (
            (select note_id, true as is_in_scope from in_scope where archived = %%(archived)s
                order by score desc, note_id limit 2 * %%(most)s)
            union all
            (select note_id, true from in_scope where archived order by score desc, note_id limit 2 * %%(anywhere)s)
            union all
            (select note_id, false from scored order by score desc, note_id limit 2 * %%(anywhere)s)) as each
        group by 1) as e
    join scored s using (note_id)),
%(exact)s
best as (
    select * from (
        (select note_id, score from exact where is_in_scope and archived = %%(archived)s
            order by score desc, note_id limit %%(most)s)
        union
        (select note_id, score from exact where is_in_scope and archived
            order by score desc, note_id limit %%(anywhere)s)
        union
        (select note_id, score from exact order by score desc, note_id limit %%(anywhere)s)) as each),
near as materialized (
    select distinct unnest(neighbours) as note_id from brain.note_rows
    where note_id = any(array(select note_id from best order by score desc, note_id limit %%(linked_to)s))),
farther as materialized (
    select distinct unnest(neighbours) as note_id from brain.note_rows
    where note_id = any(array(select note_id from near)) and cardinality(neighbours) <= %%(most_links)s),
pinned as (
    select note_id from brain.notes where pinned
    union all
    select r.note_id from brain.note_rows r join brain.vaults v using (vault_id)
    where r.vault_id = any(array(select vault_id from brain.vaults))
        and r.path = any(array(
            select substr(p.note, char_length(v.name) + 2) from brain.pins p
            join brain.vaults v on starts_with(p.note, v.name || ':')
            where p.owner = current_user and p.pinned))
        and v.name || ':' || r.path in (select note from brain.pins where owner = current_user and pinned)),
named as materialized (select note_id from brain.note_rows where names && %%(names)s::text[]),
joining as materialized (
    select note_id from (
        -- Notes that match, and are linked with the best.
        (select note_id from scored
        where (note_id in (select note_id from near union all select note_id from farther)) is true
        order by score desc, note_id limit %%(most_joined)s)
        union
        (select note_id from in_scope where (note_id in (select note_id from pinned)) is true
        order by score desc, note_id limit %%(anywhere)s)
        union
        select note_id from named) as j
    where (note_id in (select note_id from best)) is not true),
chosen as materialized (
    select note_id, chunk from brain.notes where note_id = any(array(
        select note_id from best union all select note_id from joining))),
"""

# The postings of the words in the chosen notes, one row for each word and field.
PLACES_OF_CHOSEN = """in_texts as (
    select p.word, p.note_id, p.section, sum(p.weight::float8) as weight
    from chosen c join places p using (note_id, chunk) group by 1, 2, 3),
in_titles as (
    select t.word, t.note_id, sum(t.weight::float8) as weight
    from chosen c join titles t using (note_id, chunk) group by 1, 2),
in_anchors as (
    select l.word, l.note_id, sum(l.weight) as weight
    from chosen c join links l using (note_id, chunk) group by 1, 2),
in_links as (
    select a.word, p.note_id, p.section, sum(p.weight::float8) as weight
    from asked a
    join brain.postings q on q.term = a.term and q.field = 2
    cross join lateral unnest(q.notes, q.sections, q.weights) as p(note_id, section, weight)
    join chosen c on c.note_id = p.note_id and c.chunk = q.chunk
    where q.term = any(%(terms)s::text[]) group by 1, 2, 3)
select 'body' as field, word, array_agg(note_id), array_agg(section), array_agg(weight) from in_texts group by word
union all
select 'in_links', word, array_agg(note_id), array_agg(section), array_agg(weight) from in_links group by word
union all
select 'about', word, array_agg(note_id), null::int[], array_agg(weight) from in_titles group by word
union all
select 'anchors', word, array_agg(note_id), null::int[], array_agg(weight) from in_anchors group by word
union all
select 'elsewhere', word, null, null, array[sum(weight)] from links
where (note_id in (select note_id from chosen)) is not true group by word
"""

CHOSEN = """union all
select 'best', null, array_agg(note_id order by score desc, note_id), null, null from best
union all
select 'joined', null, array_agg(note_id order by note_id), null, null from joining
union all
select 'named', null, array_agg(note_id), null, null from named
union all
select 'matched', count(*)::int, null, null, null from in_scope where archived = %(archived)s
"""

GIVEN = f"""with {ASKED},
{PLACES},
chosen as materialized (select note_id, chunk from brain.notes where note_id = any(%(note_ids)s::int[])),
{PLACES_OF_CHOSEN}"""
