"""A word typed with a typo, or in one where the vault writes two, still tells the right note apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.search.words import is_misspelling

if TYPE_CHECKING:
    from conftest import Vault

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def test_a_typo_beside_known_words_counts_as_the_word_that_is_meant(vault: Vault) -> None:
    vault.note("environment.md", "# Environment\n\nThe server has a default environment.\n")
    vault.note("server.md", "# Server\n\nThe server has a default port. Start the server.\n")
    assert vault.order("enviroment server default")[0] == "environment"
    answer = vault.brain("remember", "enviroment server default", "--vault", vault.folder)
    assert "“environment”" in answer.err


def test_a_typo_brings_in_no_note_that_has_no_word_as_typed(vault: Vault) -> None:
    vault.note("web.md", "# Web hosting\n\nHosting of pages on the web.\n")
    vault.note("games.md", "# Games\n\nWhoever will cheat is out.\n")
    assert vault.order("cheap web hosting") == ["web"]


def test_a_word_whose_stem_alone_is_near_is_not_taken_for_it(vault: Vault) -> None:
    vault.note("film.md", "# Film\n\nThe film has a relevant scene.\n")
    assert "relevant" not in vault.brain("remember", "film reeves", "--vault", vault.folder).err


def test_a_word_that_shares_no_more_than_a_stem_is_not_suggested(vault: Vault) -> None:
    vault.note(
        "a.md", "# Fichiers\n\nLe menu montre les fichiers ouverts récemment.\n", lang="fr"
    )
    assert vault.remember("recette")["corrections"] == []
    assert vault.remember("fichirs")["corrections"] == [
        {"word": "fichirs", "read_as": "fichiers"}
    ]


def test_a_short_word_with_another_letter_is_not_taken_for_a_word_of_the_vault(
    vault: Vault,
) -> None:
    vault.note("prices.md", "# Price list\n\nThe price of a stool.\n")
    assert vault.remember("prick")["corrections"] == []
    vault.note(
        "needles.md", "# Needle stick\n\nReport it, and see the doctor about the injection.\n"
    )
    assert vault.remember("injektion")["corrections"] == [
        {"word": "injektion", "read_as": "injection"}
    ]


def test_the_corrected_word_is_still_said_to_be_unknown(vault: Vault) -> None:
    vault.note("server.md", "# Server\n\nThe server has an environment.\n")
    answer = vault.remember("server enviroment")
    assert answer["unknown"] == ["enviroment"]
    assert answer["corrections"] == [{"word": "enviroment", "read_as": "environment"}]


def test_a_compound_finds_the_note_whose_name_has_its_two_words(vault: Vault) -> None:
    vault.note("Heap Sort.md", "# Heap Sort\n\nIts worst case is n log n.\n")
    vault.note(
        "Quick Sort.md",
        "# Quick Sort\n\nThe worst case is quadratic: a worst case of all cases.\n",
    )
    answer = vault.remember("heapsort worst case")
    assert answer["results"][0]["path"] == "Heap Sort.md"
    assert answer["unknown"] == []


def test_two_words_find_the_note_whose_name_writes_them_as_one(vault: Vault) -> None:
    vault.note("Jordannormalform.md", "# Jordannormalform\n\nEine Matrix mit Blöcken.\n")
    vault.note(
        "Normalform.md",
        "# 3. Normalform\n\nDie Normalform einer Tabelle, eine Normalform von vielen.\n",
    )
    assert vault.order("jordan normalform")[0] == "Jordannormalform"


def test_two_words_that_a_name_has_apart_are_not_joined(vault: Vault) -> None:
    vault.note("Front matter.md", "# Front matter\n\nThe head of a page.\n")
    vault.note("Frontmatter.md", "# Frontmatter\n\nA method: frontmatter, frontmatter.\n")
    assert vault.order("front matter") == ["Front matter"]


def test_a_word_of_the_vault_is_not_taken_apart(vault: Vault) -> None:
    vault.note("Heap Sort.md", "# Heap Sort\n\nA tree.\n")
    vault.note("b.md", "# Sorting\n\nThe heapsort of a library.\n")
    assert vault.order("heapsort")[0] == "b"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("tabel", "table"),
        ("verfy", "verify"),
        ("vidoe", "video"),
        ("inere", "innere"),
        ("powershel", "powershell"),
    ],
)
def test_one_letter_left_out_added_mistaken_or_swapped_is_a_typo(
    typed: str, meant: str
) -> None:
    assert is_misspelling(typed, meant, 1)
    assert is_misspelling(meant, typed, 1)


@pytest.mark.parametrize(
    ("typed", "other"), [("reeves", "relevant"), ("word", "word"), ("abcd", "badc")]
)
def test_other_words_and_the_word_itself_are_not_typos(typed: str, other: str) -> None:
    assert not is_misspelling(typed, other, 1)


@given(st.text(LETTERS, min_size=1), st.text(LETTERS, min_size=1, max_size=1), st.data())
def test_a_letter_put_in_anywhere_is_a_typo(
    word: str, letter: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(word)))
    assert is_misspelling(word, word[:place] + letter + word[place:], 1)


def test_notes_with_only_misspelled_words_are_ranked_by_how_well_they_match(
    vault: Vault,
) -> None:
    for number in range(3):
        vault.note(
            f"{number}.md",
            f"# Note {number}\n\nA fastify server has decorators. The decorators of fastify.\n",
        )
        vault.note(f"tea-{number}.md", f"# Tea {number}\n\nTea and cake, number {number}.\n")
    vault.note("z.md", "# Decorators of fastify\n\nThe decorators.\n")
    assert vault.order("fastfy decoraters")[0] == "z"


def test_three_slips_in_three_words_find_their_note(vault: Vault) -> None:
    vault.note(
        "fugitive.md",
        "# Fugitive\n\nAmend a commit in vim with fugitive: ca amends the last commit.\n",
    )
    for number in range(6):
        vault.note(
            f"{number}.md",
            f"# Note {number}\n\nThe comet and the communities, seen from window {number}.\n",
        )
    answer = vault.brain("remember", "fugitve ammend comit", "--json", "--vault", vault.folder)
    assert answer.json["results"][0]["path"] == "fugitive.md"
    assert [each["read_as"] for each in answer.json["corrections"]] == [
        "fugitive",
        "amend",
        "commit",
    ]
