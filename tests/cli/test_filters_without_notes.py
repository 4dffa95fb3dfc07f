"""A filter that lets no note through names those that are near it."""

from __future__ import annotations

import pytest
from conftest import Vault


@pytest.fixture
def notes(vault: Vault) -> Vault:
    vault.note(
        "decisions/kafka.md",
        "# Kafka\n\nKafka replays.\n",
        type="decision",
        tags=["queues/kafka"],
    )
    vault.note("plan.md", "# Plan\n\nA plan for Kafka.\n", project="orders", tags=["planning"])
    return vault


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tag", "planing"], "No note has the tag “planing”.|Did you mean “planning”?"),
        (["--tag", "x"], "No note has the tag “x”.|Known: queues, queues/kafka, planning."),
        (["--type", "decisions"], "No note has the type “decisions”.|Did you mean “decision”?"),
        (["--in", "order"], "No note has the project “order”.|Did you mean “orders”?"),
        (["--where", "colour=red"], "No note has “colour”.|Known: project, tags, type."),
        (["--where", "projct=orders"], "No note has “projct”.|Did you mean “project”?"),
        (
            ["--where", "project=order"],
            "No note has the project “order”.|Did you mean “orders”?",
        ),
        (["tag:planing"], "No note has the tag “planing”.|Did you mean “planning”?"),
    ],
)
def test_a_name_that_no_note_has_is_answered_with_the_nearest(
    notes: Vault, options: list[str], said: str
) -> None:
    answer = notes.brain("remember", "kafka", *options, "--vault", notes.folder)
    assert answer.code == 1
    message, hint = said.split("|")
    assert answer.err.splitlines()[:2] == [f"brain: {message}", f"  {hint}"]


def test_recent_names_the_nearest_too(notes: Vault) -> None:
    answer = notes.brain("recent", "--type", "decisions", "--vault", notes.folder)
    assert answer.err.splitlines()[:2] == [
        "brain: No note has the type “decisions”.",
        "  Did you mean “decision”?",
    ]


@pytest.mark.parametrize(
    "options",
    [["--tag", "queues"], ["--tag", "-planing"], ["--type", "note", "--tag", "queues"]],
)
def test_a_name_that_some_note_has_is_no_mistake(notes: Vault, options: list[str]) -> None:
    answer = notes.brain("remember", "kafka", *options, "--vault", notes.folder)
    assert "No note has" not in answer.err
