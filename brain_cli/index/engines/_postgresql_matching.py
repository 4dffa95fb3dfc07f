"""Statements that find notes by their words.

`asked` numbers the words of a query and lists the terms under which each stands.

    match    = (about + best section + whole) / 2, each a Σ of weight * saturation over the words
    evidence = match + 0.7 * max(0, Σ weight - match) * (matched weight / Σ weight) ** 8

By this evidence a request is cut to its candidates; brain ranks those itself.
"""

from __future__ import annotations

ASKED = "asked(word, term) as (select * from unnest(%(numbers)s::int[], %(terms)s::text[]))"

# Each live place of the asked words in bodies: several terms of one word add up.
BODY = """body as materialized (
    select a.word, p.note_id, p.section, sum(p.weight::float8) as weight, max(p.length) as length
    from asked a
    join brain.postings q on q.term = a.term and q.field = 0
    cross join lateral unnest(q.notes, q.sections, q.weights, q.lengths) as p(note_id, section, weight, length)
    join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk
    where q.term = any(%(terms)s::text[])
    group by 1, 2, 3)"""

ABOUT = """titles as materialized (
    select a.word, p.note_id, sum(p.weight::float8) as weight
    from asked a
    join brain.postings q on q.term = a.term and q.field = 1
    cross join lateral unnest(q.notes, q.weights) as p(note_id, weight)
    join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk
    where q.term = any(%(terms)s::text[])
    group by 1, 2),
links as materialized (
    select a.word, l.note_id, sum(l.weight) as weight
    from asked a join brain.anchors l on l.term = a.term join brain.notes n on n.note_id = l.note_id
    where l.term = any(%(terms)s::text[])
    group by 1, 2),
about as materialized (
    select word, note_id, sum(weight) as weight
    from (select * from titles union all select * from links) as both_of_them
    group by 1, 2)"""

FREQUENCIES = f"""
with {ASKED},
stands as (
    select a.word, p.note_id, p.section
    from asked a
    join brain.postings q on q.term = a.term and q.field = 0
    cross join lateral unnest(q.notes, q.sections) as p(note_id, section)
    join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk
    where q.term = any(%(terms)s::text[])
    group by 1, 2, 3),
{ABOUT}
select word, sum(found)::bigint from (
    select word, count(*) as found from stands s
    where not exists (select from about b where b.word = s.word and b.note_id = s.note_id)
    group by 1
    union all
    select b.word, sum(n.fragments) from about b join brain.notes n using (note_id) group by 1) as counted
group by 1
"""

# The pairs whose compound some note has in its title, path, tags or links to it, and whose words none has together.
WRITTEN_AS_ONE = f"""
with {ASKED},
{ABOUT}
select p.place from unnest(%(firsts)s::int[], %(seconds)s::int[], %(wholes)s::int[]) with ordinality
    as p(first, second, whole, place)
where exists (select from about where word = p.whole)
    and not exists (select from about a join about b using (note_id) where a.word = p.first and b.word = p.second)
"""

SCORED = f"""with {ASKED},
weighted(word, weight) as (select * from unnest(%(words)s::int[], %(weights)s::float8[])),
{BODY},
{ABOUT},
in_notes as (select word, note_id, sum(weight) as weight from body group by 1, 2),
wholes as (
    select word, note_id, coalesce(b.weight, 0) as body, coalesce(a.weight, 0) as about
    from in_notes b full join about a using (word, note_id)),
notes_scored as (
    select s.note_id, n.archived, sum(w.weight) as covered,
        sum(w.weight * s.about / (s.about + %(k1)s::float8)) as about,
        sum(w.weight * s.tf / (s.tf + %(k1)s::float8)) as whole
    from (
        select word, note_id, about, about + body / (%(flat)s::float8 + %(note_slope)s::float8 * m.length) as tf
        from wholes join brain.notes m using (note_id)) as s
    join weighted w using (word) join brain.notes n on n.note_id = s.note_id
    group by 1, 2),
sections as (
    select note_id, section, sum(weight * (
        (about + tf) / (about + tf + %(k1)s::float8) - about / (about + %(k1)s::float8))) as gain
    from (
        select b.note_id, b.section, w.weight, coalesce(a.weight, 0) as about,
            b.weight / (%(flat)s::float8 + %(section_slope)s::float8 * b.length) as tf
        from body b join weighted w using (word) left join about a using (word, note_id)) as each
    group by 1, 2),
best_sections as (select note_id, max(gain) as gain from sections group by 1),
matched as (
    select note_id, archived, covered,
        (%(k1)s::float8 + 1) * (about + coalesce(gain, 0) + whole) / 2 / %(worth)s::float8 as match
    from notes_scored left join best_sections using (note_id)),
scored as materialized (
    select note_id, archived,
        match + 0.7 * greatest(0, 1 - match) * least(1, covered / %(worth)s::float8) ^ 8 as score
    from matched)"""

# Without words to rank by: the notes that are dated nearest to the times asked for, or else the newest.
DATED = f"""with {ASKED},
{BODY},
{ABOUT},
scored as materialized (
    select n.note_id, n.archived, {{score}} as score from brain.notes n join brain.note_rows r using (note_id))"""
NEWEST = "n.at"
NEAREST = """-coalesce((
        select min(greatest(0, s.since - d.seconds, d.seconds - s.before))
        from unnest(r.dates) as d(seconds), unnest(%(since)s::float8[], %(before)s::float8[]) as s(since, before)),
    1e18)"""

CANDIDATES = """
%(scored)s,
in_scope as materialized (select s.* from scored s %(scope)s),
best as (
    select * from (
        (select note_id, score from in_scope where archived = %%(archived)s
            order by score desc, note_id limit %%(most)s)
        union
        (select note_id, score from in_scope where archived
            order by score desc, note_id limit %%(anywhere)s)
        union
        (select note_id, score from scored order by score desc, note_id limit %%(anywhere)s)) as each),
near as materialized (
    select distinct unnest(neighbours) as note_id from brain.note_rows
    where note_id = any(array(select note_id from best order by score desc, note_id limit %%(linked_to)s))),
farther as materialized (
    select distinct unnest(neighbours) as note_id from brain.note_rows
    where note_id = any(array(select note_id from near)) and cardinality(neighbours) <= %%(most_links)s),
joining as materialized (
    select note_id from (
        -- Notes that match, and are linked with the best.
        (select note_id from scored
        where (note_id in (select note_id from near union all select note_id from farther)) is true
        order by score desc, note_id limit %%(most)s)
        union
        select note_id from brain.note_rows where names && %%(names)s::text[]) as j
    where (note_id in (select note_id from best)) is not true),
chosen as materialized (select note_id from best union all select note_id from joining),
"""

# The places of the asked words in the chosen notes, a row for each word and field.
PLACES = """in_links as (
    select a.word, p.note_id, p.section, p.weight::float8 as weight
    from asked a
    join brain.postings q on q.term = a.term and q.field = 2
    cross join lateral unnest(q.notes, q.sections, q.weights) as p(note_id, section, weight)
    join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk
    where q.term = any(%(terms)s::text[]))
select 'body' as field, word, array_agg(note_id), array_agg(section), array_agg(weight)
    from body where (note_id in (select note_id from chosen)) is true group by word
union all
select 'in_links', word, array_agg(note_id), array_agg(section), array_agg(weight)
    from in_links where (note_id in (select note_id from chosen)) is true group by word
union all
select 'about', word, array_agg(note_id), null::int[], array_agg(weight)
    from titles where (note_id in (select note_id from chosen)) is true group by word
union all
select 'anchors', word, array_agg(note_id), null::int[], array_agg(weight)
    from links where (note_id in (select note_id from chosen)) is true group by word
"""

CHOSEN = """union all
select 'best', null, array_agg(note_id order by score desc, note_id), null, null from best
union all
select 'joined', null, array_agg(note_id order by note_id), null, null from joining
union all
select 'matched', count(*)::int, null, null, null from in_scope where archived = %(archived)s
"""

GIVEN = f"""with {ASKED},
{BODY},
{ABOUT},
chosen as (select unnest(%(note_ids)s::int[]) as note_id),
{PLACES}"""
