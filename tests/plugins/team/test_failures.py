"""A server that fails in whatever way costs one sentence, loses nothing, and leaves the vault able
to answer.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from conftest import Brain, Vault, one_sentence
from examples import in_ci
from postgres_server import Server, binaries, invited

# Breaks a server for one memory: yields the address to use meanwhile.
Break = Callable[[Server, str], AbstractContextManager[str]]
FULL = """
create function brain.full_disk() returns trigger language plpgsql as
$$ begin raise exception 'could not extend file' using errcode = '53100'; end $$
"""


def database_of(memory: str) -> str:
    return memory.rpartition("/")[2]


@contextmanager
def role(server: Server, memory: str, attributes: str = "") -> Iterator[str]:
    """Yield the address for a member, who is no administrator of the server."""
    try:
        yield invited(server, memory, "a_writer", attributes)
    finally:
        server.sql(database_of(memory), "drop owned by a_writer", "drop role a_writer")


@contextmanager
def down(server: Server, memory: str) -> Iterator[str]:
    yield "postgresql://127.0.0.1:9/memory"


@contextmanager
def silent(server: Server, memory: str) -> Iterator[str]:
    """A host that takes connections and never says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield f"postgresql://127.0.0.1:{listening.getsockname()[1]}/memory?connect_timeout=2"


@contextmanager
def slow(server: Server, memory: str) -> Iterator[str]:
    """Statements wait for somebody else's lock for longer than the administrator lets them."""
    import psycopg

    database = database_of(memory)
    server.sql("postgres", f"alter database {database} set statement_timeout = '200ms'")
    with psycopg.connect(server.url(database)) as connection:
        connection.execute("lock table brain.notes in access exclusive mode")
        yield memory
    server.sql("postgres", f"alter database {database} reset statement_timeout")


@contextmanager
def full(server: Server, memory: str) -> Iterator[str]:
    trigger = "before insert on brain.{0} for each statement execute function brain.full_disk()"
    tables = ("notes", "events")
    server.sql(
        database_of(memory),
        FULL,
        *(f"create trigger full_disk {trigger.format(table)}" for table in tables),
    )
    yield memory
    server.sql(database_of(memory), "drop function brain.full_disk cascade")


@contextmanager
def read_only(server: Server, memory: str) -> Iterator[str]:
    server.sql(
        "postgres",
        f"alter database {database_of(memory)} set default_transaction_read_only = on",
    )
    yield memory
    server.sql(
        "postgres", f"alter database {database_of(memory)} reset default_transaction_read_only"
    )


@contextmanager
def crowded(server: Server, memory: str) -> Iterator[str]:
    with role(server, memory, "connection limit 0") as address:
        yield address


@contextmanager
def later_version(server: Server, memory: str) -> Iterator[str]:
    server.sql(database_of(memory), "insert into brain.migrations (version) values (99)")
    yield memory
    server.sql(database_of(memory), "delete from brain.migrations where version = 99")


@contextmanager
def without_tls(server: Server, memory: str) -> Iterator[str]:
    yield f"{memory}?sslmode=require"


@contextmanager
def without_password(server: Server, memory: str) -> Iterator[str]:
    with _sworn(server, memory) as address:
        yield address


@contextmanager
def wrong_password(server: Server, memory: str) -> Iterator[str]:
    with _sworn(server, memory) as address:
        file = server.folder / "wrong"
        file.write_text("*:*:*:a_writer:wrong\n")
        file.chmod(0o600)
        yield f"{address}?passfile={file}"


@contextmanager
def _sworn(server: Server, memory: str) -> Iterator[str]:
    """Yield the address for a role whose password the server asks for."""
    rules = Path(server.data) / "pg_hba.conf"
    before = rules.read_text()
    with role(server, memory, "password 'right'") as address:
        rules.write_text(f"host all a_writer 127.0.0.1/32 scram-sha-256\n{before}")
        server.sql("postgres", "select pg_reload_conf()")
        yield address
        rules.write_text(before)
        server.sql("postgres", "select pg_reload_conf()")


FAILURES: dict[str, tuple[Break, bool]] = {
    "does not answer.": (down, False),
    "does not answer. ": (silent, False),
    "answers too slowly": (slow, False),
    "is full: its disk has no space left": (full, True),
    "is read-only": (read_only, True),
    "has no connection left": (crowded, False),
    "was made by a later version of brain": (later_version, False),
    "does not offer TLS": (without_tls, False),
    "requires a password": (without_password, False),
    "refuses this user or password": (wrong_password, False),
}


# It waits for two seconds four times.
SILENT = in_ci("does not answer. ")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "said", [SILENT if breaks is silent else said for said, (breaks, _) in FAILURES.items()]
)
def test_a_failure_is_one_sentence_and_loses_nothing(
    server: Server, vault: Vault, memory: str, said: str
) -> None:
    breaks, still_reads = FAILURES[said]
    vault.note("a.md", "# Otters\n\nThey swim.")
    assert vault.brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    vault.note("b.md", "# Badgers\n\nThey dig.")
    with breaks(server, memory) as address:
        indexed = vault.brain("index", "--vault", vault.folder, env={"BRAIN_MEMORY": address})
        asked = vault.brain("remember", "otters", "--memory", address)
        beside = vault.brain(
            "remember", "badgers", "--vault", vault.folder, env={"BRAIN_MEMORY": address}
        )
        told = vault.brain("status", "--vault", vault.folder, env={"BRAIN_MEMORY": address})
    assert (indexed.code, asked.code, told.code) == (3, 0 if still_reads else 3, 0)
    assert "1 added" in indexed.out
    for answer in (indexed, asked):
        assert said.strip() in answer.err
        assert one_sentence(answer.err), answer.err
    if not still_reads:
        assert beside.code == 0
        assert "b.md" in beside.out
        assert "This answer is from the vault alone" in beside.err
    repaired = vault.brain("index", "--vault", vault.folder, "--memory", memory)
    assert "1 added" in repaired.out, repaired.err
    found = vault.brain("remember", "badgers", "--memory", memory, "--format", "paths")
    assert found.out == "notes:b.md\n"


def test_a_memory_without_notes_says_so(vault: Vault, memory: str) -> None:
    answer = vault.brain("remember", "otters", "--memory", memory)
    assert (answer.code, one_sentence(answer.err)) == (3, True)
    assert "holds no notes yet" in answer.err


def test_a_memory_of_an_earlier_version_says_how_to_make_it_anew(
    server: Server, vault: Vault, memory: str
) -> None:
    vault.note("a.md", "# Otters\n\nThey swim.")
    index = ("index", "--vault", vault.folder, "--memory", memory)
    assert vault.brain(*index).code == 0
    database = database_of(memory)
    server.sql(database, "update brain.migrations set version = 5")
    for command in (index, ("remember", "otters", "--memory", memory)):
        answer = vault.brain(*command)
        assert (answer.code, one_sentence(answer.err)) == (3, True)
        assert "was made by an earlier version of brain" in answer.err
    server.sql(database, "drop schema brain cascade")
    assert "ready" in vault.brain("team", "init", "--memory", memory).out
    assert "1 added" in vault.brain(*index).out


@pytest.mark.exhaustive
def test_a_role_that_may_write_sends_a_vault(
    server: Server, vault: Vault, memory: str, brain: Brain
) -> None:
    """The owner of the tables has made them; the role sends a vault of its own."""
    vault.note("a.md", "# Otters\n\nThey swim.")
    assert vault.brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    with role(server, memory) as address:
        sent = brain("index", "--vault", vault.folder, "--memory", address, "--as", "theirs")
        assert sent.code == 0, sent.err
        (vault.folder / "a.md").unlink()
        vault.note("b.md", "# Badgers\n\nThey dig.")
        assert (
            brain(
                "index", "--vault", vault.folder, "--memory", address, "--as", "theirs", "--yes"
            ).code
            == 0
        )
        found = brain("remember", "badgers", "--memory", address, "--format", "paths")
        assert found.out == "theirs:b.md\n", found.err


@pytest.mark.exhaustive
def test_a_dump_is_restored_with_notes_history_and_pins(
    server: Server, vault: Vault, memory: str
) -> None:
    vault.note("a.md", "# Otters\n\nThey swim.")
    assert vault.brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    assert vault.brain("feedback", "notes:a.md", "useful", "--memory", memory).code == 0
    assert vault.brain("pin", "notes:a.md", "--memory", memory).code == 0
    folder = binaries()
    assert folder
    dumped = subprocess.run(
        [folder / "pg_dump", "--schema=brain", memory],
        capture_output=True,
        check=True,
        env={**os.environ, "PGPASSFILE": "/"},
    )
    restored = server.database()
    subprocess.run(
        [folder / "psql", "-q", "-v", "ON_ERROR_STOP=1", restored],
        input=dumped.stdout,
        check=True,
    )
    elsewhere = Brain(vault.brain.home / "elsewhere", vault.brain.home / "elsewhere" / "cache")
    elsewhere.home.mkdir()
    answer = elsewhere(
        "remember", "otters", "--memory", restored, "--json", "--explain", "--no-touch"
    ).json
    [found] = answer["results"]
    assert (found["path"], found["signals"]["useful"]) == ("notes:a.md", 1)
    assert elsewhere("show", "notes:a.md", "--memory", restored, "--json").json["pinned"]
    # The vault goes on with the restored memory.
    vault.note("b.md", "# Badgers\n\nThey dig.")
    assert vault.brain("index", "--vault", vault.folder, "--memory", restored).code == 0


def test_doctor_and_status_report_the_memory(vault: Vault, memory: str) -> None:
    vault.note("a.md", "# Otters\n\nThey swim.")
    told = {"BRAIN_MEMORY": memory}
    assert vault.brain("index", "--vault", vault.folder, env=told).code == 0
    for command in ("doctor", "status"):
        out = vault.brain(command, "--vault", vault.folder, env=told).out
        [line] = [line for line in out.splitlines() if "PostgreSQL" in line]
        for part in ("1 note", "1 vault", "MB"):
            assert part in line


@pytest.mark.parametrize(
    "command",
    [
        ["remember", "tea"],
        in_ci(["show", "a:tea.md"]),
        in_ci(["add", "Tea"]),
        in_ci(["team"]),
        in_ci(["index"]),
    ],
)
def test_a_missing_driver_is_named_by_every_command(vault: Vault, command: list[str]) -> None:
    vault.note("tea.md", "# Tea")
    code = "import sys; sys.modules['psycopg'] = None; from brain_cli.__main__ import main; sys.exit(main())"
    words = [
        *command,
        "--vault",
        str(vault.folder),
        "--memory",
        "postgresql://127.0.0.1:9/memory",
    ]
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=vault.brain.environ(),
        check=False,
    )
    assert done.returncode == 3
    assert "The shared memory needs the package psycopg." in done.stderr
    assert "postgresql]" in done.stderr
