"""`import brain_cli` is the same memory without a command line."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import brain_cli
import brain_cli.library.api

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def kafka(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    for name, value in vault.brain.environ().items():
        monkeypatch.setenv(name, value)
    vault.note(
        "kafka.md", "---\ntags: [queue]\n---\n# Kafka\n\nWe chose Kafka for the order events.\n"
    )
    vault.note("redis.md", "# Redis\n\nRedis keeps the sessions.\n")
    return vault


def test_it_finds_what_the_command_finds(kafka: Vault) -> None:
    answer = brain_cli.open_vault(kafka.folder).recall("order events")
    printed = json.loads(
        kafka.brain("remember", "order events", "--json", "--vault", kafka.folder).out
    )
    assert [each.metadata.path for each in answer.results] == ["kafka.md"]
    assert answer.strategy.value == printed["strategy"]


def test_one_call_is_enough_for_one_question(kafka: Vault) -> None:
    assert brain_cli.recall("sessions", kafka.folder).results[0].metadata.title == "Redis"


def test_filters_and_settings_are_those_of_the_command(kafka: Vault) -> None:
    vault = brain_cli.open_vault(kafka.folder, limit=1)
    filtered = brain_cli.Query("redis OR kafka", brain_cli.Filters.of(tag=["queue"]))
    assert [each.metadata.path for each in vault.recall(filtered).results] == ["kafka.md"]
    assert len(vault.recall("redis kafka").results) == 1


def test_it_lists_the_notes_and_sees_new_ones(kafka: Vault) -> None:
    vault = brain_cli.open_vault(kafka.folder)
    assert {note.path for note in vault.notes()} == {"kafka.md", "redis.md"}
    kafka.note("outbox.md", "# Outbox\n")
    assert "outbox.md" in {note.path for note in vault.notes()}


def test_nothing_is_recorded_unless_asked_for(kafka: Vault) -> None:
    vault = brain_cli.open_vault(kafka.folder)
    vault.recall("sessions")
    assert not list(kafka.brain.state.rglob("*.jsonl"))
    vault.recall("sessions", touch=True)
    assert list(kafka.brain.state.rglob("*.jsonl"))


def test_a_missing_vault_is_an_error_of_the_library(kafka: Vault) -> None:
    with pytest.raises(brain_cli.BrainError):
        brain_cli.open_vault(kafka.folder / "nowhere")


def test_every_name_exists_and_importing_the_package_imports_none_of_them() -> None:
    assert all(getattr(brain_cli, name) for name in brain_cli.library.api.__all__)
    code = "import sys, brain_cli; print(*[name for name in sys.modules if name.startswith('brain_cli.')])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_a_note_is_found_changed_and_added_as_by_commands(kafka: Vault) -> None:
    vault = brain_cli.open_vault(kafka.folder)
    assert vault.find("Kafka").path == "kafka.md"
    assert b"order events" in vault.find("kafka").opened().raw
    assert vault.change("redis", lambda raw: raw + b"\nFor an hour.\n") == "redis.md"
    with vault.adding():
        assert vault.add(["redis.md", "queue.md"], b"# Queue\n") == "queue.md"
    assert vault.index().notes == 3
    assert kafka.brain("undo", "--vault", kafka.folder).code == 0
    assert kafka.brain("undo", "--vault", kafka.folder).code == 0
    assert not (kafka.folder / "queue.md").exists()
    assert b"hour" not in (kafka.folder / "redis.md").read_bytes()


def test_a_note_or_a_section_of_it_is_shown_as_by_the_command(kafka: Vault) -> None:
    kafka.note("broker.md", "---\ntype: decision\n---\n# Broker\n\nOne.\n\n## Disk\n\nFull.\n")
    vault = brain_cli.open_vault(kafka.folder)
    whole = vault.show("broker")
    assert (whole.metadata.kind, whole.line, whole.section) == ("decision", 3, None)
    assert whole.text == "\n# Broker\n\nOne.\n\n## Disk\n\nFull.\n"
    part = vault.show("broker#disk")
    assert part.text == "## Disk\n\nFull.\n"
    assert (part.raw, part.line) == (part.text.encode(), 8)


def test_the_status_counts_what_the_command_prints(kafka: Vault) -> None:
    status = brain_cli.open_vault(kafka.folder).status()
    printed = kafka.brain("status", "--json", "--vault", kafka.folder).json
    assert status.counts.notes == printed["notes"] == len(status.notes) == 2
    assert status.states == {}


def test_notes_are_pinned_rated_archived_and_extended_as_by_commands(kafka: Vault) -> None:
    vault = brain_cli.open_vault(kafka.folder)
    assert [(each.path, each.changed) for each in vault.pin(["kafka", "redis"])] == [
        ("kafka.md", True),
        ("redis.md", True),
    ]
    assert [each.changed for each in vault.pin(["kafka"], pinned=True)] == [False]
    assert vault.show("redis").metadata.pinned
    assert vault.rate(["kafka"], "useful") == ["kafka.md"]
    assert vault.status().counts.feedback == 1
    [moved] = vault.archive(["redis"])
    assert (moved.before, moved.path) == ("redis.md", "archive/redis.md")
    [back] = vault.archive(["redis"], archived=False)
    assert back.path == "redis.md"
    assert vault.append("kafka", "Later", "Still so.\n") == "kafka.md"
    assert vault.show("kafka").text.endswith("Later\n\nStill so.\n")
