"""Test that a question for the notes about a subject lists them, before notes that only mention it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brain_cli.search.question_words import subject_of_listing

if TYPE_CHECKING:
    from conftest import Vault


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("what do I know about kafka?", "kafka"),
        ("What did we learn about event sourcing", "event sourcing"),
        ("everything about tea", "tea"),
        ("my notes on green tea", "green tea"),
        ("was weiß ich über Tee", "Tee"),
        ("alles zu Tee", "Tee"),
        ("que sais-je sur le thé ?", "le thé"),
        ("cosa so su Kafka", "Kafka"),
        ("qué sé sobre el té", "el té"),
        ("всё о чае", "чае"),
        ("what do I know about the way kafka orders its events", ""),
        ("what about kafka", ""),
        ("notes onboarding", ""),
        ("everything", ""),
    ],
)
def test_the_subject_is_what_follows_the_beginning_of_such_a_question(
    query: str, subject: str
) -> None:
    assert subject_of_listing(query) == subject


def test_the_notes_named_after_the_subject_come_first_and_none_is_a_strong_match(
    vault: Vault,
) -> None:
    vault.note("tea.md", "# Green tea\n\nIt is steamed.\n")
    vault.note("pot.md", "---\ntags: [tea]\n---\n# The pot\n\nBrown, from Bolesławiec.\n")
    vault.note("cake.md", f"# Cake\n\n{'Tea and tea with tea. ' * 3}\n")
    asked = vault.brain(
        "remember", "what do I know about tea", "--json", "--vault", vault.folder
    ).json
    assert asked["strategy"] == "many-weak"
    assert {each["path"] for each in asked["results"][:2]} == {"tea.md", "pot.md"}
    few = vault.brain(
        "remember", "what do I know about tea", "--json", "-n", "1", "--vault", vault.folder
    ).json
    assert (few["strategy"], few["results"][0]["path"]) == (
        "many-weak",
        asked["results"][0]["path"],
    )


def test_one_note_about_the_subject_is_no_list(vault: Vault) -> None:
    vault.note("tea.md", "# Green tea\n\nIt is steamed.\n")
    vault.note("cake.md", "# Cake\n\nWith tea.\n")
    listed = vault.brain(
        "remember", "everything about tea", "--json", "--vault", vault.folder
    ).json
    plain = vault.brain("remember", "tea", "--json", "--vault", vault.folder).json
    assert listed["strategy"] == plain["strategy"] == "single-strong"
    assert [each["path"] for each in listed["results"]] == [
        each["path"] for each in plain["results"]
    ]
