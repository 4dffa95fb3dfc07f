"""SQL statements that count the fragments with each word of a query: document frequencies.

`asked` numbers the words of a query and lists the terms of each. For a chunk whose notes all count, the document
frequency is `postings.counted`. Postings are read one by one only if notes of a chunk no longer count, and for a word
with several terms, because one fragment may have two of them.
"""

from __future__ import annotations

ASKED = "asked(word, term) as (select * from unnest(%(numbers)s::int[], %(terms)s::text[]))"

# The words of the query in titles, and in links to notes.
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

COUNTED = """
lists as materialized (
    select a.word, a.term, q.field, q.chunk, q.counted, c.live = c.notes as is_whole
    from asked a join brain.postings q on q.term = a.term and q.field <= 1 join brain.chunks c using (chunk)
    where q.term = any({terms})),
links as materialized (
    select a.word, a.term, l.note_id, n.chunk, n.fragments, c.live = c.notes as is_whole
    from asked a join brain.anchors l on l.term = a.term join brain.notes n on n.note_id = l.note_id
    join brain.chunks c using (chunk)
    where l.term = any({terms})),
several as materialized (
    select word from (select word, term from lists union select word, term from links) as each
    group by 1 having count(*) > 1),
-- The lists that are read posting by posting.
read as materialized (
    select * from lists where not is_whole or word in (select word from several)),
read_links as materialized (
    select * from links where not is_whole or word in (select word from several)),
about as materialized (
    select r.word, p.note_id, n.fragments
    from read r join brain.postings q on q.term = r.term and q.field = r.field and q.chunk = r.chunk
    cross join lateral unnest(q.notes) as p(note_id)
    join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk
    where r.field = 1 and q.term = any({terms})
    union select word, note_id, fragments from read_links),
bodies as (
    select distinct r.word, p.note_id, p.section
    from read r join brain.postings q on q.term = r.term and q.field = r.field and q.chunk = r.chunk
    cross join lateral unnest(q.notes, q.sections) as p(note_id, section)
    join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk
    where r.field = 0 and q.term = any({terms})),
-- Links lead to notes of whole chunks, too: all fragments of such a note count, unless the word is in its title.
linked as materialized (
    select * from links where is_whole and word not in (select word from several)),
in_their_chunks as materialized (
    select t.word, q.field, p.note_id
    from (select distinct word, term, chunk from linked) as t
    join brain.postings q on q.term = t.term and q.field <= 1 and q.chunk = t.chunk
    cross join lateral unnest(q.notes) as p(note_id)
    where q.term = any({terms})),
of_linked as (
    select l.word, l.note_id, p.field, count(*) as places
    from linked l join in_their_chunks p using (word, note_id)
    group by 1, 2, 3),
totals as (select word, sum(found)::bigint as found from (
    select word, sum(counted) as found from lists
    where is_whole and word not in (select word from several) group by 1
    union all
    select b.word, count(*) from bodies b left join about t using (word, note_id) where t.word is null group by 1
    union all
    select word, sum(fragments) from about group by 1
    union all
    select l.word, sum(l.fragments - coalesce(b.places, 0))
    from linked l
    left join of_linked b on b.word = l.word and b.note_id = l.note_id and b.field = 0
    left join of_linked t on t.word = l.word and t.note_id = l.note_id and t.field = 1
    where t.word is null
    group by 1) as counted
group by 1)
"""
FREQUENCIES = f"""
with {ASKED},
{COUNTED.format(terms="%(terms)s::text[]")}
select word, found from totals
"""

# The words that some note has.
KNOWN = """known as materialized (
    select a.word from asked_words a join brain.postings q on q.term = a.term and q.field <= 1
    where q.term = any(%(terms)s::text[])
    union
    select a.word from asked_words a join brain.anchors l on l.term = a.term where l.term = any(%(terms)s::text[]))"""
ASKED_WORDS = ASKED.replace("asked(", "asked_words(")

# For unknown words: the terms of similar length that begin with the same letter and contain one of the word's pieces,
# its stems that are terms, and the first terms with its prefix, each with its frequency. Brain computes the edit
# distances itself.
NEAR = f"""
with {ASKED_WORDS},
{KNOWN},
sought as materialized (
    select *
    from unnest(%(places)s::int[], %(firsts)s::text[], %(lasts)s::text[], %(shortest)s::int[], %(longest)s::int[],
        %(pieces)s::text[], %(others)s::text[], %(thirds)s::text[])
        as s(word, first, last, shortest, longest, piece, other, third)
    where s.word not in (select word from known)),
near as (
    select distinct q.term from sought s cross join lateral (
        select term from brain.postings
        where field <= 1 and term >= s.first and term < s.last
            and char_length(term) between s.shortest and s.longest
            and (position(s.piece in term) > 0 or position(s.other in term) > 0 or position(s.third in term) > 0)
        -- This makes the server begin with the words, and read nothing if all are known.
        offset 0) as q
    union
    select s.stem from unnest(%(of_stems)s::int[], %(stems)s::text[]) as s(word, stem)
    where s.word not in (select word from known)
    union
    select q.term
    from unnest(%(of_beginnings)s::int[], %(beginnings)s::text[], %(ends)s::text[]) as s(word, beginning, after)
    cross join lateral (
        select distinct term from brain.postings
        where field <= 1 and term >= s.beginning and term < s.after
        order by 1 limit %(most_begun)s) as q
    where s.word not in (select word from known)),
asked as materialized (select row_number() over ()::int as word, term from near),
{COUNTED.format(terms="array(select term from asked)")}
select null::int as word, term, found from asked join totals using (word)
union all
select word, null, null from known
"""
# The pairs of words that no title, path, tag or link has together, but some have as a compound.
WRITTEN_AS_ONE = f"""
with {ASKED},
{ABOUT}
select p.place from unnest(%(firsts)s::int[], %(seconds)s::int[], %(wholes)s::int[]) with ordinality
    as p(first, second, whole, place)
where exists (select from about where word = p.whole)
    and not exists (select from about a join about b using (note_id) where a.word = p.first and b.word = p.second)
"""
