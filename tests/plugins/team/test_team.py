"""`brain team`: people with a login each, who reads and writes which vault, and what removing
somebody leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from conftest import Brain, Vault, one_sentence
from postgres_server import Server, passing_roles
from terminal import OnTerminal

# Each person's groups; `ada` owns the tables.
PEOPLE = {
    "berta": ["board"],
    "carl": ["board", "ops"],
    "dora": ["ops"],
    "emil": ["ops"],
    "frida": [],
    "gustav": [],
    "hanna": [],
    "ivo": [],
    "jana": [],
}
# The vaults that are not for all: their readers.
READERS = {"berta": ["board"], "dora": ["ops", "jana"], "emil": ["emil"], "ivo": ["berta"]}
TABLES = ("vaults", "sizes", "notes", "terms", "vectors")


class Member(Vault):
    """A person with a home, a vault of one note, and an address of the memory."""

    def __init__(self, name: str, home: Path, address: str) -> None:
        home.mkdir()
        super().__init__(home / name, Brain(home, home / "cache"))
        self.folder.mkdir()
        self.name, self.address = name, address

    def __call__(self, *words: object, stdin: str = "") -> str:
        answer = self.brain(*words, "--memory", self.address, stdin=stdin)
        assert answer.code in (0, 1), f"{words}: {answer.err}"
        return answer.out

    def send(self, *words: object) -> str:
        return self("index", "--vault", self.folder, *words)

    def recalled(self, query: str) -> list[str]:
        return sorted(
            self("remember", query, "--format", "paths", "--no-touch", "-n", 20).split()
        )

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """Run a statement of this person's own; what it changes is not kept."""
        with psycopg.connect(self.address) as connection:
            cursor = connection.execute(statement)
            found: list[tuple[object, ...]] = [(cursor.rowcount,)]
            if cursor.description:
                found = list(cursor.fetchall())
            connection.rollback()
        return found


@pytest.fixture
def joined(server: Server, tmp_path: Path) -> Iterator[Callable[..., Member]]:
    """Return a function that invites a person; `ada` has made the memory. Logins and groups end
    with the test.
    """
    memory = server.database()
    database = memory.rpartition("/")[2]
    with passing_roles(server, database):
        server.sql(
            "postgres",
            "create role ada login createrole",
            f"alter database {database} owner to ada",
        )
        ada = Member("ada", tmp_path / "of ada", server.url(database, "ada"))
        assert "ready" in ada("team", "init")
        found = {"ada": ada}

        def join(name: str, *groups: str) -> Member:
            if name not in found:
                given = [word for group in groups for word in ("--group", group)]
                assert f":{database}:{name}:" in ada("team", "invite", name, *given)
                found[name] = Member(name, tmp_path / f"of {name}", server.url(database, name))
            return found[name]

        yield join


def readable(name: str, owner: str) -> bool:
    """Return whether a person may read the vault of another."""
    allowed = READERS.get(owner)
    return name in ("ada", owner) or not allowed or bool({name, *PEOPLE[name]} & set(allowed))


@pytest.mark.exhaustive
def test_ten_logins_read_and_write_what_the_server_lets_them(
    joined: Callable[..., Member],
) -> None:
    members = {name: joined(name, *groups) for name, groups in PEOPLE.items()}
    for name, member in members.items():
        member.note("a.md", f"# The plan of {name}\n\nOtters{name} swim.", date="2026-03-01")
        member.send()
        with psycopg.connect(member.address) as connection:
            connection.execute(
                f"select brain.put_vectors({own_vault(name)}, {vectors_of(name)})"
            )
        if name in READERS:
            member("team", "grant", name, *READERS[name])
        member("pin", f"{name}:a.md")
    members["ada"] = joined("ada")
    for name, member in members.items():
        seen = sorted(owner for owner in PEOPLE if readable(name, owner))
        assert member.recalled("plan") == [f"{owner}:a.md" for owner in seen], name
        listed = [line.partition(" ")[0] for line in member("team", "vaults").splitlines()]
        assert listed == seen
        for table in TABLES:
            [(count,)] = member.rows(f"select count(distinct vault_id) from brain.{table}")
            assert count == len(seen), (name, table)
        assert {vault for (vault,) in member.rows("select vault from brain.text")} == set(seen)
        if name == "ada":
            continue
        for owner in PEOPLE:
            word = f"otters{owner}"
            assert bool(member.recalled(word)) == readable(name, owner)
            assert bool(
                member.rows(f"select * from brain.matching('{{{word}}}', '{{1}}')")
            ) == readable(name, owner)
        writes_only_its_own(member)
        [(events,)] = member.rows(f"select count(*) from brain.events where owner <> '{name}'")
        [(pins,)] = member.rows("select count(*) from brain.pins")
        assert (events, pins) == (0, 1)


def own_vault(name: str) -> str:
    return f"(select vault_id from brain.vaults where owner = '{name}')"


def vectors_of(name: str) -> str:
    """Return SQL for made vectors of all notes of a person's vault."""
    of_notes = f"from brain.notes where vault_id = {own_vault(name)}"
    row = "'note_id', note_id, 'model', 'made', 'codes', array['1'], 'content', ''"
    return f"(select json_agg(json_build_object({row})) {of_notes})"


def writes_only_its_own(member: Member) -> None:
    """Try to write every table, and to call every function for the vault of another."""
    for attempt in (
        *(f"update brain.{table} set vault_id = default" for table in TABLES),
        *(f"delete from brain.{table}" for table in (*TABLES, "events", "pins", "written")),
        *(f"lock table brain.{table} in share mode" for table in (*TABLES, "events", "pins")),
        "insert into brain.vaults (name, origin, owner) values ('x', 'x', 'ada')",
        "insert into brain.notes select * from brain.notes",
        "insert into brain.events (owner, id, line) values ('ada', 'x', '{}')",
        "insert into brain.pins (owner, note, pinned) values ('ada', 'x', true)",
        "insert into brain.written (vault_id, kind, path, content) values (1, 'add', 'x', '')",
        "insert into brain.migrations (version) values (99)",
        "create table brain.mine ()",
        "alter table brain.notes disable row level security",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            member.rows(attempt)
    other = "frida" if member.name != "frida" else "gustav"
    for call in (
        f"change_vault({own_vault(other)}, 'x', null)",
        f"remove_vault({own_vault(other)})",
        f"new_ids({own_vault(other)}, 1)",
        f"write({own_vault(other)}, '[]', '{{}}', null, 'add', 'x.md', '')",
        f"put_vectors({own_vault(other)}, '[]')",
        f"fetched({own_vault(other)}, 1)",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            member.rows(f"select brain.{call}")
    # A note of another vault is neither replaced nor given vectors under the number of its own.
    stolen = f"(select json_agg(n) from brain.notes n where vault_id = {own_vault(other)})"
    assert member.rows(
        f"select brain.put_vectors({own_vault(member.name)}, {vectors_of(other)})"
    )
    written = (
        f"select brain.write({own_vault(member.name)}, {stolen}, '{{}}', null, null, '', '')"
    )
    assert member.rows(f"{written}, count(*) from brain.notes")
    forged = stolen.replace("json_agg(n)", "json_agg(to_jsonb(n) - 'vault_id')")
    with pytest.raises(psycopg.errors.CheckViolation):
        member.rows(written.replace(stolen, forged))


def test_a_vault_of_somebody_else_cannot_be_sent(joined: Callable[..., Member]) -> None:
    berta, carl = joined("berta"), joined("carl")
    berta.note("a.md", "# Otters")
    berta.send("--as", "shared")
    carl.note("b.md", "# Badgers")
    command = (
        "index",
        "--vault",
        carl.folder,
        "--memory",
        carl.address,
        "--as",
        "shared",
        "--yes",
    )
    refused = carl.brain(*command)
    assert (refused.code, one_sentence(refused.err)) == (3, True)
    assert "“shared” of the shared memory belongs to berta" in refused.err
    berta("team", "grant", "shared", "berta")
    refused = carl.brain(*command)
    assert "hidden from this user" in refused.err
    for words in (
        ("grant", "shared", "all"),
        ("rename", "shared", "mine"),
        ("remove", "shared", "--yes"),
    ):
        refused = carl.brain("team", *words, "--memory", carl.address)
        assert (refused.code, one_sentence(refused.err)) == (2, True), words
    assert berta.recalled("otters") == ["shared:a.md"]


@pytest.mark.exhaustive
def test_a_renamed_vault_keeps_its_histories_and_goes_on(joined: Callable[..., Member]) -> None:
    berta, carl = joined("berta"), joined("carl")
    berta.note("a.md", "# Otters\n\nThey swim.")
    berta.send("--as", "orders")
    carl("pin", "orders:a.md")
    carl("feedback", "orders:a.md", "useful")
    berta("team", "rename", "orders", "shop")
    [found] = carl.brain(
        "remember", "otters", "--memory", carl.address, "--json", "--explain"
    ).json["results"]
    assert (found["path"], found["pinned"], found["signals"]["useful"]) == (
        "shop:a.md",
        True,
        1,
    )
    assert carl("show", "orders:a.md").startswith("# Otters")
    berta.note("b.md", "# Badgers\n\nThey dig.")
    assert "as “shop”: 1 added" in berta.send()
    assert berta.recalled("badgers") == ["shop:b.md"]
    carl.note("c.md", "# Cats")
    carl.send("--as", "cats")
    refused = carl.brain("team", "rename", "cats", "shop", "--memory", carl.address)
    assert (refused.code, one_sentence(refused.err)) == (3, True)
    assert "has a vault of that name already" in refused.err
    # Histories and pins call the notes of the vault by its old name, so nobody else gets that.
    for words in (
        ("index", "--vault", carl.folder, "--as", "orders", "--yes"),
        ("team", "rename", "cats", "orders"),
    ):
        refused = carl.brain(*words, "--memory", carl.address)
        assert (refused.code, "has a vault of that name already" in refused.err) == (3, True)
    berta("team", "rename", "shop", "orders")
    assert berta.recalled("badgers") == ["orders:b.md"]


@pytest.mark.exhaustive
def test_a_vault_is_removed_after_a_question(joined: Callable[..., Member]) -> None:
    berta = joined("berta")
    berta.note("a.md", "# Otters")
    berta.send("--as", "orders")
    berta("pin", "orders:a.md")
    refused = berta.brain("team", "remove", "orders", "--memory", berta.address)
    assert (refused.code, one_sentence(refused.err)) == (2, True)
    assert "deletes 1 note and all pins there" in refused.err
    screen = OnTerminal(berta, "team", "remove", "orders", "--memory", berta.address)
    screen.wait_for("Do it?")
    screen.send("n\n")
    assert screen.end() == 3
    assert berta.recalled("otters") == ["orders:a.md"]
    assert "removed orders" in berta("team", "remove", "orders", "--yes")
    assert berta.recalled("otters") == []
    for table in TABLES:
        assert berta.rows(f"select count(*) from brain.{table}") == [(0,)]
    assert berta.rows("select count(*) from brain.pins") == [(0,)]


@pytest.mark.exhaustive
def test_a_removed_person_leaves_nothing_behind(joined: Callable[..., Member]) -> None:
    ada, berta, carl, dora = (joined(name) for name in ("ada", "berta", "carl", "dora"))
    for member in (berta, carl):
        member.note("a.md", f"# Otters of {member.name}")
        member.send()
        member("remember", "otters")
        member("pin", "berta:a.md")
    not_owner = dora.brain("team", "remove", "--person", "berta", "--memory", dora.address)
    assert (not_owner.code, one_sentence(not_owner.err)) == (3, True)
    assert "Only ada" in not_owner.err
    asked = ada.brain("team", "remove", "--person", "berta", "--memory", ada.address)
    assert (asked.code, "berta (1 note), 1 event, 1 pin" in asked.err) == (2, True), asked.err
    itself = ada.brain(
        "team", "remove", "--person", "berta", "--to", "berta", "--yes", "--memory", ada.address
    )
    assert (itself.code, "berta is the heir" in itself.err) == (2, True), itself.err
    assert "removed berta" in ada(
        "team", "remove", "--person", "berta", "--to", "dora", "--yes"
    )
    assert ada.rows("select name from brain.vaults where owner = 'dora'") == [("berta",)]
    assert ada.rows(
        "select owner::text from brain.events union all select owner::text from brain.pins"
    ) == [
        ("carl",),
        ("carl",),
    ]
    gone = berta.brain("remember", "otters", "--memory", berta.address)
    assert (gone.code, one_sentence(gone.err)) == (3, True)
    ada("team", "remove", "--person", "carl", "--yes")
    assert dora.recalled("otters") == ["berta:a.md"]
    assert (
        "no login or group “carl”"
        in ada.brain("team", "remove", "--person", "carl", "--memory", ada.address).err
    )
    assert (
        "ada owns the tables"
        in ada.brain("team", "remove", "--person", "ada", "--memory", ada.address).err
    )


def test_a_login_that_owns_something_else_is_kept_without_its_rights(
    joined: Callable[..., Member], server: Server
) -> None:
    ada, berta = joined("ada"), joined("berta")
    database = ada.address.rpartition("/")[2]
    server.sql(
        database,
        "create table public.other (it int)",
        "alter table public.other owner to berta",
    )
    assert "was kept without its rights" in ada("team", "remove", "--person", "berta", "--yes")
    assert berta.brain("remember", "otters", "--memory", berta.address).code == 3
    assert "has a login already" in ada("team", "invite", "berta")
    assert berta.recalled("otters") == []


def test_a_stale_vault_is_marked_in_status_and_in_a_recall(
    joined: Callable[..., Member],
) -> None:
    ada, berta = joined("ada"), joined("berta")
    berta.note("a.md", "# Otters")
    berta.send("--as", "orders")
    status = ("status", "--vault", berta.folder)
    assert (
        "orders (berta, sent 20"
        in berta.brain(*status, env={"BRAIN_MEMORY": berta.address}).out
    )
    with psycopg.connect(ada.address) as connection:
        connection.execute("update brain.vaults set sent = now() - interval '40 days'")
    assert (
        "orders (berta, not sent since 20"
        in berta.brain(*status, env={"BRAIN_MEMORY": berta.address}).out
    )
    answer = berta.brain("remember", "otters", "--memory", berta.address)
    assert "“orders” may be out of date: last sent by berta, 20" in answer.err
    assert "out of date" not in berta.brain("remember", "cats", "--memory", berta.address).err
    assert "nothing to send" in berta.send()
    assert "out of date" not in berta.brain("remember", "otters", "--memory", berta.address).err


def test_init_says_what_is_missing_and_repairs_what_was_changed(
    joined: Callable[..., Member], server: Server, memory: str
) -> None:
    ada, berta = joined("ada"), joined("berta")
    refused = ada.brain("team", "vaults", "--memory", memory.replace("tester@", "berta@"))
    assert (refused.code, one_sentence(refused.err)) == (3, True)
    refused = ada.brain("team", "invite", "pg_guest", "--memory", ada.address)
    assert (refused.code, "reserves names that begin with pg_" in refused.err) == (3, True)
    refused = berta.brain("team", "init", "--memory", berta.address)
    assert "Only ada" in refused.err
    with psycopg.connect(ada.address) as connection:
        connection.execute("alter table brain.notes disable row level security")
    assert "Members: berta" in ada("team", "init")
    assert berta.rows("select relrowsecurity from pg_class where relname = 'notes'") == [
        (True,)
    ]
    server.sql("postgres", "alter role berta bypassrls")
    refused = ada.brain("team", "init", "--memory", ada.address)
    assert "does not hold for berta" in refused.err
    server.sql("postgres", "alter role berta nobypassrls")


@pytest.mark.parametrize(
    "words", [("invite",), ("grant", "a"), ("rename", "a"), ("remove",), ("vaults", "a")]
)
def test_a_wrong_call_is_one_sentence(
    memory: str, brain: Brain, words: tuple[str, ...]
) -> None:
    refused = brain("team", *words, "--memory", memory)
    assert (refused.code, one_sentence(refused.err)) == (2, True)
    assert brain("team", *words).code == 2
