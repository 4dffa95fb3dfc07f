"""Test that a question for a definition shows the sentence that defines its subject, in several
languages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brain_cli.search.question_words import is_about, subject_of_definition

if TYPE_CHECKING:
    from conftest import Vault


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("What is a hash?", "a hash"),
        ("what's RSA", "RSA"),
        ("was ist ein Hash", "ein Hash"),
        ("Qu'est-ce qu'un paquet ?", "un paquet"),
        ("cos'è un pacchetto", "un pacchetto"),
        ("¿Qué es un paquete?", "un paquete"),
        ("что такое пакет", "пакет"),
        ("which hash is fast", ""),
        ("whatever", ""),
        ("how do I define a hash", ""),
    ],
)
def test_the_subject_of_a_question_for_a_definition_is_what_follows_its_beginning(
    query: str, subject: str
) -> None:
    assert subject_of_definition(query) == subject


def test_a_note_is_about_a_subject_with_which_its_name_begins() -> None:
    assert is_about("Hash function", "a hash", "english")
    assert not is_about("Secure hash standard", "a hash", "english")
    assert not is_about("Hash function", "a", "english")


def test_a_question_for_a_definition_shows_the_opening_of_the_note_about_its_subject(
    vault: Vault,
) -> None:
    more = "\n\n".join(
        f"The hash of block {number} is stored beside the hash of its data."
        for number in range(20)
    )
    opening = "A function that turns a text of any length into one of a fixed length."
    vault.note(
        "hash.md", f"# Hash function\n\nAuthor: Mara\n\n{opening}\n\n## Storage\n\n{more}\n"
    )
    for number in range(5):
        vault.note(
            f"{number}.md",
            f"# Part {number}\n\nThe hash of part {number} has been checked twice.\n",
        )
    assert (
        opening
        in vault.brain(
            "remember", "What is a hash?", "--format", "markdown", "--vault", vault.folder
        ).out
    )
