"""Test that a question for a definition shows the sentence that defines its subject, in several languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brain_cli.answer.passages.definitions import defines, is_about, subject_of_definition

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
def test_the_subject_of_a_question_for_a_definition_is_what_follows_its_beginning(query: str, subject: str) -> None:
    assert subject_of_definition(query) == subject


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("A hash is a short text.", "a hash"),
        ("So it began. RSA ist ein Verfahren.", "RSA"),
        ("Пакет — это архив.", "пакет"),
        ("Il pacchetto è un archivio.", "un pacchetto"),
        ("Hashes (short texts) are stored.", "hash"),
    ],
)
def test_a_sentence_that_begins_with_the_subject_and_a_verb_of_being_defines_it(sentence: str, subject: str) -> None:
    assert defines(sentence, subject)


@pytest.mark.parametrize(
    "sentence", ["The length of a hash is 32.", "A hash was stored.", "Hashing is slow, is it not?"]
)
def test_a_sentence_about_something_else_does_not_define_the_subject(sentence: str) -> None:
    assert not defines(sentence, "a hash")


def test_a_note_is_about_a_subject_with_which_its_name_begins() -> None:
    assert is_about("Hash function", "a hash", "english")
    assert not is_about("Secure hash standard", "a hash", "english")
    assert not is_about("Hash function", "a", "english")


def test_a_question_for_a_definition_shows_the_opening_of_the_note_about_its_subject(vault: Vault) -> None:
    more = "\n\n".join(f"The hash of block {number} is stored beside the hash of its data." for number in range(20))
    opening = "A function that turns a text of any length into one of a fixed length."
    vault.note("hash.md", f"# Hash function\n\nAuthor: Mara\n\n{opening}\n\n## Storage\n\n{more}\n")
    for number in range(5):
        vault.note(f"{number}.md", f"# Part {number}\n\nThe hash of part {number} has been checked twice.\n")
    assert opening in vault.brain("remember", "What is a hash?", "--format", "markdown", "--vault", vault.folder).out


def test_a_question_for_a_definition_shows_the_sentence_that_defines_its_subject_first(vault: Vault) -> None:
    # So long that a list has no room for another passage beside it.
    definition = f"RSA is a way to hide letters{' from all who would like to read them' * 7}."
    keys = "The keeper checks the RSA keys.\n\nAll RSA letters are old.\n\nNobody counts the RSA locks."
    vault.note("letters.md", f"# Letters\n\n## Keys\n\n{keys}\n\n## Ways\n\n{definition}\n")
    passage = vault.remember("what is RSA")["results"][0]["passage"]["text"]
    assert passage == definition
