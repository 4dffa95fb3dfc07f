"""The words of a link belong to the note that it leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Vault

MODEL = "# Hidden Markov Model\n\nA sequence of states that nobody sees, and what each of them emits.\n"


@pytest.mark.parametrize(
    "link",
    [
        "[[Hidden Markov Model|HMM]]",
        "[HMM](Hidden%20Markov%20Model.md)",
        "[HMM][model]\n\n[model]: </Hidden Markov Model>",
        "[HMM]\n\n[HMM]: </Hidden Markov Model>",
    ],
)
def test_a_note_is_found_by_the_words_of_the_links_to_it(vault: Vault, link: str) -> None:
    vault.note("Hidden Markov Model.md", MODEL)
    vault.note("speech.md", f"# Speech\n\nWe decode with an {link}\n")
    assert vault.order("HMM")[0] == "Hidden Markov Model"


def test_a_note_that_says_a_word_itself_comes_before_one_that_only_links_with_it(
    vault: Vault,
) -> None:
    vault.note("links.md", "# One\n\nWe ran it through [[elsewhere|zither]] again.\n")
    vault.note("says.md", "# Two\n\nWe ran it through the zither again.\n")
    assert vault.order("zither") == ["says", "links"]


def test_more_links_with_a_word_count_more(vault: Vault) -> None:
    for name in ("once", "often"):
        vault.note(f"{name}.md", f"# {name}\n\nSome text.\n")
    vault.note("a.md", "# A\n\n[[once|zither]] [[often|zither]]\n")
    vault.note("b.md", "# B\n\n[[often|zither]]\n")
    found = vault.order("zither")
    assert found.index("often") < found.index("once")


def test_an_edit_of_the_note_that_links_updates_its_target(vault: Vault) -> None:
    vault.note("Hidden Markov Model.md", MODEL)
    vault.note("speech.md", "# Speech\n\nWe decode with [[Hidden Markov Model]].\n")
    assert vault.order("HMM") == []
    vault.note("speech.md", "# Speech\n\nWe decode with a [[Hidden Markov Model|HMM]].\n")
    assert vault.order("HMM")[0] == "Hidden Markov Model"
    vault.note("speech.md", "# Speech\n\nWe decode with [[Hidden Markov Model]] once again.\n")
    assert vault.order("HMM") == []


def test_an_edit_that_leaves_the_links_alone_keeps_the_anchor_text(vault: Vault) -> None:
    vault.note("Hidden Markov Model.md", MODEL)
    vault.note("speech.md", "# Speech\n\nWe decode with an [[Hidden Markov Model|HMM]].\n")
    vault.order("HMM")
    vault.note(
        "speech.md",
        "# Speech\n\nNow we decode with an [[Hidden Markov Model|HMM]], and quickly.\n",
    )
    vault.note("Hidden Markov Model.md", f"{MODEL}\nMore of it.\n")
    assert vault.order("HMM")[0] == "Hidden Markov Model"


def test_the_anchor_text_follows_a_note_that_is_renamed(vault: Vault) -> None:
    vault.note("Model.md", MODEL)
    vault.note("speech.md", "# Speech\n\nWe decode with an [[Hidden Markov Model|HMM]].\n")
    assert vault.order("HMM")[0] == "Model"
    (vault.folder / "Model.md").rename(vault.folder / "Renamed.md")
    assert vault.order("HMM")[0] == "Renamed"


def test_a_deleted_link_target_leaves_only_the_note_that_links(vault: Vault) -> None:
    note = vault.note("Hidden Markov Model.md", MODEL)
    vault.note("speech.md", "# Speech\n\nWe decode with an [[Hidden Markov Model|HMM]].\n")
    vault.order("HMM")
    note.unlink()
    assert vault.order("HMM") == ["speech"]
