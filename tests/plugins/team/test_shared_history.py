"""The history of a shared memory is the user's own, on the server, and counts on every machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Brain, Vault
from postgres_server import Server, invited

AN_HOUR_AGO = "2026-11-21T08:00:00Z"


@pytest.fixture
def shared(vault: Vault, memory: str) -> str:
    """A memory with two notes about otters of the vault `notes`."""
    vault.note("a.md", "# Otters\n\nOne.")
    vault.note("b.md", "# Otters\n\nTwo.")
    assert vault.brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    return memory


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[str], Brain]:
    """Return a function that makes a machine with a name: a home of its own."""

    def make(name: str) -> Brain:
        home = tmp_path / f"machine {name}"
        home.mkdir()
        return Brain(home, home / "cache")

    return make


def recall(brain: Brain, memory: str) -> None:
    answer = brain("remember", "otters", "--memory", memory, "--now", AN_HOUR_AGO)
    assert answer.code == 0, answer.err


def signals(brain: Brain, memory: str, name: str = "notes:a.md") -> dict[str, float]:
    """Return the signals of a note, as a recall that records nothing sees them."""
    answer = brain(
        "remember", "otters", "--memory", memory, "--json", "--explain", "--no-touch"
    )
    found: dict[str, float] = next(
        each["signals"] for each in answer.json["results"] if each["path"] == name
    )
    return found


def test_recalls_and_feedback_count_on_every_machine_of_the_user(
    shared: str, machine: Callable[[str], Brain]
) -> None:
    office, home = machine("office"), machine("home")
    for _ in range(2):
        recall(office, shared)
    assert office("feedback", "notes:a.md", "useful", "--memory", shared).code == 0
    for brain in (home, office, home):
        found = signals(brain, shared)
        assert (found["accesses"], found["useful"]) == (2, 1)
    # The copy on the machine may be lost.
    shutil.rmtree(home.state)
    assert signals(home, shared)["accesses"] == 2


def test_a_recall_counts_for_strength_as_it_does_in_a_vault(vault: Vault, shared: str) -> None:
    for memory in (shared, "off"):
        for _ in range(3):
            words = (
                "remember",
                "otters",
                "--vault",
                vault.folder,
                "--memory",
                memory,
                "--now",
                AN_HOUR_AGO,
            )
            assert vault.brain(*words).code == 0
    alone = vault.remember("otters")["results"]
    by_path = {each["path"]: each["signals"] for each in alone}
    for name in ("a.md", "b.md"):
        assert signals(vault.brain, shared, f"notes:{name}") == pytest.approx(by_path[name])


def test_users_see_their_own_history_and_pins_alone(
    server: Server, shared: str, machine: Callable[[str], Brain]
) -> None:
    database = shared.rpartition("/")[2]
    invited(server, shared, "someone_else")
    other = server.url(database, "someone_else")
    recall(machine("mine"), shared)
    theirs = machine("theirs")
    assert signals(theirs, other)["accesses"] == 0
    assert theirs("pin", "notes:a.md", "--memory", other).code == 0
    recall(theirs, other)
    assert signals(theirs, other)["accesses"] == 1
    assert not machine("mine again")("show", "notes:a.md", "--memory", shared, "--json").json[
        "pinned"
    ]
    rows = server.sql(
        database, "set role someone_else", "select distinct owner::text from brain.events"
    )
    assert rows == [("someone_else",)]
    forged = "insert into brain.events (owner, id, line) values ('tester', 'x', '{}')"
    with pytest.raises(Exception, match="permission denied"):
        server.sql(database, "set role someone_else", forged)
    server.sql(database, "drop owned by someone_else", "drop role someone_else")


def test_events_that_the_server_refuses_are_reported(
    server: Server, shared: str, machine: Callable[[str], Brain]
) -> None:
    database, brain = shared.rpartition("/")[2], machine("office")
    server.sql("postgres", f"alter database {database} set default_transaction_read_only = on")
    answer = brain("remember", "otters", "--memory", shared, "--now", AN_HOUR_AGO)
    judged = brain("feedback", "notes:a.md", "useful", "--memory", shared)
    server.sql("postgres", f"alter database {database} reset default_transaction_read_only")
    assert (answer.code, "is read-only. This was not recorded." in answer.err) == (0, True)
    assert (judged.code, "is read-only." in judged.err) == (3, True)
    assert "notes:a.md" in answer.out
    recall(brain, shared)
    found = signals(machine("home"), shared)
    assert (found["accesses"], found["useful"]) == (1, 0)


def test_an_event_that_is_sent_twice_counts_once(
    shared: str, machine: Callable[[str], Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection may break after the server has taken an event and before it answers."""
    from brain_cli.plugins.team.store import Store

    written = Store.written

    def twice(store: Store, statement: str, *parameters: object) -> list[Any]:
        written(store, statement, *parameters)
        return written(store, statement, *parameters)

    monkeypatch.setattr(Store, "written", twice)
    recall(machine("office"), shared)
    assert signals(machine("home"), shared)["accesses"] == 1


def test_a_server_restored_from_a_backup_is_copied_again(
    server: Server, shared: str, machine: Callable[[str], Brain]
) -> None:
    database, brain = shared.rpartition("/")[2], machine("office")
    for _ in range(3):
        recall(brain, shared)
    assert signals(brain, shared)["accesses"] == 3
    server.sql(database, "delete from brain.events where number > 1")
    assert signals(brain, shared)["accesses"] == 1


def test_a_vault_answers_for_a_server_that_is_down_and_keeps_the_recall(
    vault: Vault, shared: str
) -> None:
    down = {"BRAIN_MEMORY": "postgresql://127.0.0.1:9/nowhere"}
    answer = vault.brain(
        "remember", "otters", "--vault", vault.folder, "--now", AN_HOUR_AGO, env=down
    )
    assert (
        "This answer is from the vault alone, and is kept in the vault's history." in answer.err
    )
    assert vault.remember("otters")["results"][0]["signals"]["accesses"] == 1
