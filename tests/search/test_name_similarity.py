"""A note is found by its name, as exactly or as loosely as people write names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brain_cli.search.names import NAME_WEIGHT, QueryLetters, likeness, name_match
from brain_cli.vault.analyzer import query_words

if TYPE_CHECKING:
    from conftest import Vault


def test_the_note_of_that_name_comes_before_notes_whose_names_say_more(vault: Vault) -> None:
    vault.note("Callouts.md", "# Callouts\n\nBoxes for remarks.\n")
    for name in ("Callout manager", "Callout colours for themes", "A callout a day"):
        vault.note(f"{name}.md", f"# {name}\n\nA callout, and another callout.\n")
    assert vault.order("callout")[0] == "Callouts"


def test_a_long_question_that_says_a_whole_name_finds_the_note(vault: Vault) -> None:
    vault.note("configuration/page.md", "# Configure page\n\nSettings of one kind.\n")
    for section in ("menus", "markup", "outputs"):
        vault.note(
            f"{section}.md", f"# Page {section}\n\nThe behavior of {section}: how they look.\n"
        )
    assert vault.order("Configure page behavior.")[0] == "configuration/page"


def test_a_name_that_no_word_matches_is_found_by_its_letters(vault: Vault) -> None:
    vault.note("Eigenvektoren.md", "# Eigenvektoren\n\nRichtungen, die bleiben.\n")
    vault.note("Determinante.md", "# Determinante\n\nEine Zahl für eine Matrix.\n")
    assert vault.order("Eigenvektorraum") == ["Eigenvektoren"]


def test_a_name_that_the_query_says_in_full_adds_the_whole_weight_of_names(
    vault: Vault,
) -> None:
    from brain_cli.index.directory import index_directory_of
    from brain_cli.index.snapshot import open_snapshot

    vault.note("Flint.md", "# Flint\n\nA stone.\n")
    vault.order("flint")
    snapshot = open_snapshot(index_directory_of(str(vault.folder), str(vault.brain.cache)))
    [note_id] = snapshot.note_table.rows
    assert likeness(
        snapshot, note_id, QueryLetters(query_words("flint", ["english"]))
    ) == pytest.approx(NAME_WEIGHT)
    assert likeness(snapshot, note_id, QueryLetters(query_words("bread", ["english"]))) == 0.0


def test_a_name_that_has_the_whole_query_fits_twice_as_well_as_one_that_has_next_to_nothing_of_it() -> (
    None
):
    asked = [(("flint",), 0.1), (("axe", "axes"), 0.9)]
    assert name_match([frozenset({"flint", "axe"})], asked) == pytest.approx(1.0)
    assert name_match([frozenset({"flint"})], asked) == pytest.approx(0.55)
    assert name_match(
        [frozenset({"flint", "quarri"}), frozenset({"bread"})], asked
    ) == pytest.approx(0.275)
    assert name_match([], asked) == 0.0


def test_a_sentence_of_which_only_one_word_is_like_a_name_finds_nothing(vault: Vault) -> None:
    vault.note("Plantuml.md", "# Plantuml\n\nDiagrams from text.\n")
    assert vault.order("chlorophyll and photosynthesis of plantumbras") == []
    assert vault.order("plantumbl") == ["Plantuml"]


def test_of_two_notes_with_the_name_the_one_that_others_link_to_is_first(vault: Vault) -> None:
    vault.note("snippets/a.md", "# Kanban\n\nColours for kanban boards: kanban.\n", salience=1)
    vault.note("plugins/b.md", "# Kanban\n\nBoards.\n", salience=0)
    for number in range(3):
        vault.note(f"{number}.md", f"# Review {number}\n\nWe use [[plugins/b|Kanban]] daily.\n")
    assert vault.order("kanban")[:2] == ["plugins/b", "snippets/a"]


def test_an_abbreviation_in_brackets_is_a_name_of_the_note(vault: Vault) -> None:
    vault.note("Maps of Content (MOC).md", "# Maps of Content (MOC)\n\nA page of links.\n")
    vault.note("MOC files.md", "# MOC files\n\nHow to update a MOC: every MOC has a script.\n")
    for asked in ("MOC", "maps of content"):
        assert vault.remember(asked)["results"][0]["path"] == "Maps of Content (MOC).md"
        assert vault.remember(asked)["strategy"] == "single-strong"


def test_a_word_in_brackets_that_abbreviates_nothing_is_not_a_name_of_its_own(
    vault: Vault,
) -> None:
    vault.note("Induction (proof).md", "# Induction (proof)\n\nFrom one number to the next.\n")
    vault.note("Proof.md", "# Proof\n\nAn argument.\n")
    assert vault.order("proof")[0] == "Proof"
    assert vault.order("induction")[0] == "Induction (proof)"


def test_the_file_name_of_a_folder_note_says_nothing_and_its_folder_does(vault: Vault) -> None:
    vault.note("sections/index.md", "# About these pages\n\nThe files index and page.\n")
    vault.note(
        "branch.md",
        "# Files of a branch\n\nThe index of a branch differs from the page of a leaf.\n",
    )
    assert vault.order("what does an index differ in")[0] == "branch"
    assert vault.order("sections")[0] == "sections/index"


def test_a_query_like_no_name_finds_nothing(vault: Vault) -> None:
    vault.note("Eigenvektoren.md", "# Eigenvektoren\n\nRichtungen, die bleiben.\n")
    assert vault.order("Sauerteig") == []


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        ("what is photosynthesis", "Plants and their light.", "en"),
        (
            "could you please tell me something about photosynthesis?",
            "Plants and their light.",
            "en",
        ),
        ("Was bedeutet eigentlich Photosynthese?", "Pflanzen und ihr Licht.", "de"),
        ("cos'è la fotosintesi", "Le piante e la loro luce.", "it"),
        ("что такое фотосинтез", "Растения и их свет.", "ru"),
        ("qu'est-ce que c'est la photosynthèse ?", "Les plantes et leur lumière.", "fr"),
        ("¿qué es la fotosíntesis?", "Las plantas y su luz.", "es"),
        ("o que é a fotossíntese?", "As plantas e a sua luz.", "pt"),
        ("wat is fotosynthese", "Planten en hun licht.", "nl"),
        ("vad är fotosyntes", "Växter och deras ljus.", "sv"),
    ],
)
def test_question_words_cost_nothing(
    vault: Vault, question: str, text: str, language: str
) -> None:
    name = max(question.strip("?¿ ").split(), key=len)
    vault.note("light.md", f"# {name.capitalize()}\n\n{text}\n", lang=language)
    vault.note("other.md", f"# Other\n\n{text}\n", lang=language)
    assert vault.relevances(question)["light"] == pytest.approx(
        vault.relevances(name.rstrip("?"))["light"], abs=0.04
    )


def test_a_question_without_a_stop_word_is_in_the_language_of_its_question_words(
    vault: Vault,
) -> None:
    vault.note(
        "en.md",
        "# Filler\n\nThis is about the filler of a text, and about nothing that is not in it.\n",
        lang="en",
    )
    vault.note(
        "archiv.md",
        "# Speicher\n\nEin Speicher ist billig, und er ist für das Archiv da.\n",
        lang="de",
    )
    assert vault.remember("billiger Speicher fürs Archiv")["unknown"] == []
    assert vault.remember("filler text fürs")["unknown"] == []


def test_a_query_of_only_question_words_is_searched(vault: Vault) -> None:
    vault.note("tell.md", "# William Tell\n\nHe shot an apple.\n")
    assert vault.order("tell") == ["tell"]


@pytest.mark.parametrize(
    ("asked", "written"),
    [("met", "meet"), ("went", "goes"), ("mice", "mouse"), ("chose", "choose")],
)
def test_an_irregular_form_finds_the_others(vault: Vault, asked: str, written: str) -> None:
    vault.note("a.md", f"# Diary\n\nThey {written} in the garden.\n")
    assert vault.order(f"garden {asked}") == ["a"]
    assert vault.relevances(f"{asked} garden")["a"] == pytest.approx(
        vault.relevances(f"{written} garden")["a"], abs=0.05
    )


@pytest.mark.parametrize(
    ("asked", "written"), [("Überblick", "Ueberblick"), ("Größe", "Groesse")]
)
def test_an_umlaut_may_be_written_as_two_letters(
    vault: Vault, asked: str, written: str
) -> None:
    vault.note("a.md", f"# Notiz\n\nEin {written} und nichts weiter.\n", lang="de")
    assert vault.order(asked) == ["a"]
    assert vault.order(written) == ["a"]
