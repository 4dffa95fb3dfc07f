"""Words that stand near each other say more than the same words far apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.search.bm25 import look_up
from brain_cli.search.relevance import MAX_WORDS_APART, Proximity, distances_in
from brain_cli.vault.analyzer import query_words

if TYPE_CHECKING:
    from conftest import Vault

BETWEEN = "one tall green lamp stands beside seven yellow wooden chairs under painted ceilings"


def test_the_note_with_the_words_side_by_side_comes_first(vault: Vault) -> None:
    vault.note("apart.md", f"# Monday\n\nThe garden {BETWEEN} with its walls.\n")
    vault.note("together.md", f"# Tuesday\n\n{BETWEEN} with its garden walls.\n")
    found = vault.relevances("garden walls")
    assert found["together"] > found["apart"]


def test_one_word_has_no_proximity(vault: Vault) -> None:
    vault.note("once.md", "# Monday\n\nA garden with its walls.\n")
    vault.note("other.md", "# Tuesday\n\nA garden with its trees.\n")
    found = vault.relevances("garden")
    assert found["once"] == found["other"]


def test_two_words_side_by_side_add_their_nearness_times_its_weight(vault: Vault) -> None:
    from brain_cli.index.directory import index_directory_of
    from brain_cli.index.snapshot import open_snapshot

    vault.note("a.md", "The garden walls.\n")
    vault.order("garden")
    snapshot = open_snapshot(index_directory_of(str(vault.folder), str(vault.brain.cache)))
    found = [look_up(snapshot, word) for word in query_words("garden walls", ["english"])]
    least = min(each.weight for each in found)
    assert Proximity(snapshot, found).of(0, 10 * least) == pytest.approx(0.55 * 0.1)
    assert Proximity(snapshot, found).of(0, least) == pytest.approx(0.55 * 0.4)


@given(st.lists(st.sampled_from(["a", "b", "c", "other"]), max_size=30))
def test_the_least_distance_of_two_words_is_found(text: list[str]) -> None:
    places = {"a": 0, "b": 1, "c": 2}
    at = {term: [spot for spot, each in enumerate(text) if each == term] for term in places}
    expected = {}
    for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
        least = min(
            (abs(i - j) for i in at[one] for j in at[other]), default=MAX_WORDS_APART + 1
        )
        if least <= MAX_WORDS_APART:
            expected[places[one], places[other]] = least
    assert distances_in(text, places) == expected
