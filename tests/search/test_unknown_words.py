"""Words of the query that no note of the vault has are named, so that a reader knows what was not found."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Vault


def test_a_word_that_no_note_has_is_unknown(vault: Vault) -> None:
    vault.note("a.md", "# Lighthouse\n\nThe lighthouse keeper lit the lamp.\n")
    assert vault.remember("lighthouse photosynthesis")["unknown"] == ["photosynthesis"]


def test_stop_words_and_other_forms_of_a_known_word_are_not_unknown(vault: Vault) -> None:
    vault.note("a.md", "# Lighthouse\n\nThe lighthouse keeper lit the lamps.\n")
    assert vault.remember("who is the keeper of which lamp in the lighthouses?")["unknown"] == []


def test_a_word_of_the_archive_alone_is_known(vault: Vault) -> None:
    vault.note("archive/a.md", "# Zeppelin\n\nThe zeppelin burned.\n")
    vault.note("b.md", "# Lighthouse\n\nThe lighthouse keeper lit the lamp.\n")
    assert vault.remember("zeppelin")["unknown"] == []
