-- A shared memory as version 3 of the tables made it, on 22 November 2026: its statements, and what a vault and two users
-- had in it. The postings are left out.
create schema brain;
create table brain.migrations (version int primary key, at timestamptz default now());
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
alter table brain.postings add column counted int not null default 0;
alter table brain.chunks add column live int not null default -1;
alter table brain.notes add column pinned bool not null default false;
create index on brain.notes (note_id) where pinned;
update brain.notes n set pinned = true from brain.note_rows r
where r.note_id = n.note_id and position('"pinned":true' in r.row_text) > 0;
insert into brain.migrations (version) values (1), (2), (3);
insert into brain.vaults (name, origin, generation, token) values ('notes', '0123456789abcdef', 4, 'token');
insert into brain.sizes values (1, 'english', 1, 1, 2);
insert into brain.notes values (nextval('brain.note_ids'), 1, 1, 1, 2, false, 1.79e9);
insert into brain.fragments values (1, 0, 1, 'Otters');
insert into brain.chunks values (1, 1, 1, 1);
insert into brain.postings values ('otter', 0, 1, 1, '{1}', '{0}', '{1}', '{2}', 1);
insert into brain.pins (note, pinned) values ('notes:a.md', true);
insert into brain.events (id, line) values ('1', '{"id":"1","at":1790000000.0,"event":"feedback","notes":[["notes:a.md","0000000000000000",1700000000.0]],"value":"useful"}');
