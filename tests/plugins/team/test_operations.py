"""A shared memory over time: several hosts, a standby, and dumps while writers send."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import Vault
from postgres_server import Server, binaries
from test_killed_writers import NOTES, rewrite, torn
from watching import until


def index(vault: Vault, memory: str, *options: object) -> str:
    answer = vault.brain("index", "--vault", vault.folder, "--memory", memory, *options)
    assert answer.code == 0, answer.err
    return answer.out


def test_the_next_host_answers_where_the_first_is_down(vault: Vault, memory: str) -> None:
    vault.note("a.md", "# Otters\n\nThey swim.")
    hosts = memory.replace("127.0.0.1:", "127.0.0.1:9,127.0.0.1:")
    assert "1 added" in index(vault, hosts)
    assert (
        vault.brain("remember", "otters", "--memory", hosts, "--format", "paths").out
        == "notes:a.md\n"
    )


@pytest.mark.exhaustive
def test_a_standby_answers_and_the_primary_keeps_the_history(
    server: Server, vault: Vault, memory: str
) -> None:
    vault.note("a.md", "# Otters\n\nThey swim.")
    index(vault, memory)
    standby = Server(server)
    try:
        hosts = memory.replace("127.0.0.1:", f"127.0.0.1:{standby.port},127.0.0.1:")
        both = f"{hosts}?target_session_attrs=prefer-standby"
        answer = vault.brain("remember", "otters", "--memory", both, "--format", "{path}")
        assert (answer.out, answer.err) == ("notes:a.md\n", "")
        assert vault.brain("pin", "notes:a.md", "--memory", both).code == 0
        database = memory.rpartition("/")[2]
        assert server.sql(database, "select count(*)::int from brain.events") == [(1,)]
        assert server.sql(database, "select note from brain.pins") == [("notes:a.md",)]
        vault.note("b.md", "# Badgers\n\nThey dig.")
        index(vault, both)
        asked = ("remember", "badgers", "--memory", both, "--format", "paths", "--no-touch")
        until(lambda: vault.brain(*asked).out == "notes:b.md\n")
        alone = vault.brain("remember", "otters", "--memory", standby.url(database))
        assert (alone.code, "is read-only. This was not recorded" in alone.err) == (0, True)
    finally:
        standby.remove()


@pytest.mark.exhaustive
def test_a_dump_while_a_writer_sends_is_whole_and_goes_on_elsewhere(
    server: Server, vault: Vault, memory: str
) -> None:
    folder = binaries()
    assert folder
    rewrite(vault, 0)
    index(vault, memory)
    for round_ in (1, 2):
        rewrite(vault, round_)
        command = [
            sys.executable,
            "-m",
            "brain_cli",
            "index",
            "--vault",
            str(vault.folder),
            "--memory",
            memory,
        ]
        writer = subprocess.Popen(command, env=vault.brain.environ(), stdout=subprocess.DEVNULL)
        dumped = subprocess.run(
            [folder / "pg_dump", "--schema=brain", memory], capture_output=True, check=True
        )
        assert writer.wait(60) == 0
    restored = server.database()
    environ = {**os.environ, "PGOPTIONS": "--client-min-messages=warning"}
    subprocess.run(
        [folder / "psql", "-q", "-v", "ON_ERROR_STOP=1", restored],
        input=dumped.stdout,
        check=True,
        env=environ,
    )
    assert torn(server, restored.rpartition("/")[2]) == []
    # The vault goes on under its name, without a question.
    (vault.folder / "one more.md").write_text("# Walrus\n")
    assert "as “notes”" in index(vault, restored)
    assert (
        vault.brain("remember", "walrus", "--memory", restored, "--format", "paths").out
        == "notes:one more.md\n"
    )
    assert server.sql(
        restored.rpartition("/")[2], "select sum(notes)::int from brain.sizes"
    ) == [(NOTES + 1,)]
