"""Test which passages of an answer are quoted, and that the quick search for the best one finds the same passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brain_cli.answer.passages.selection import Source, best_passage, passages
from brain_cli.answer.passages.several_in_one import several_in_one
from brain_cli.answer.passages.term_weights import TermWeights
from brain_cli.types import Fragment
from brain_cli.vault.boilerplate import line_hash

if TYPE_CHECKING:
    from conftest import Vault

WORDS = ("lamp", "keeper", "harbour", "storm", "boat", "cliff", "tide", "rope")
# The index has a compound as a whole, too: `lamp-keeper`.
TERMS = (*WORDS, "lampkeep")
REPEATED = "The lamp footer of the keeper."
BOILERPLATE = frozenset(map(line_hash, [REPEATED, f"- {REPEATED}", "Keeper:"]))
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=3, max_size=9).map(lambda words: f"The {' '.join(words)} stands.")
LINES = st.one_of(
    SENTENCES,
    SENTENCES.map("- {}".format),
    SENTENCES.map("| a | {} |".format),
    st.sampled_from(["", "```", "| boat | lamp |\n|---|---|"]),
    st.sampled_from([REPEATED, f"- {REPEATED}", "The lamp-keeper's rope.", "Keeper: Mara", "Is the tide in?"]),
)
SECTIONS = st.lists(LINES, min_size=1, max_size=60).map("\n".join)


@given(st.lists(SECTIONS, min_size=1, max_size=4), st.dictionaries(st.sampled_from(TERMS), st.floats(0.1, 9.0)))
@example(["The lamp lamp lamp stands.", f"```\nThe lamp lamp lamp stands.\n{REPEATED}"], {"keeper": 1.0})
def test_the_best_passage_is_the_first_of_all(sections: list[str], term_weights: dict[str, float]) -> None:
    sources = [
        Source("a.md", "A note", "english", Fragment((f"Part {number}",), text, 1, 2), BOILERPLATE)
        for number, text in enumerate(sections)
    ]
    every = passages(sources, TermWeights(term_weights))
    assert best_passage(sources, TermWeights(term_weights)) == (every[0].key_point if every else None)


@given(SECTIONS, st.dictionaries(st.sampled_from(WORDS), st.floats(0.1, 9.0)))
def test_passages_beside_the_best_one_follow_it_as_far_as_they_fit(
    section: str, term_weights: dict[str, float]
) -> None:
    source = Source("a.md", "A note", "english", Fragment(("Part",), section, 1, 2), frozenset(), usual_chars=60)
    found = passages([source], TermWeights(term_weights))
    quoted = several_in_one(found, TermWeights(term_weights))
    if quoted is None:
        assert not found
        return
    best = found[0].key_point
    assert quoted.line == best.line
    assert set(best.text.split("\n")) <= set(quoted.text.split("\n"))
    assert len(quoted.text) <= max(320, len(best.text))
    # A lead-in that was said is not said again, so that a passage may be there in part, but by whole lines.
    assert set(quoted.text.split("\n")) <= {line for each in found for line in each.key_point.text.split("\n")}


@pytest.mark.parametrize("gap", ["\n\n", " "])
def test_passages_of_one_note_are_read_in_its_order(gap: str) -> None:
    section = f"Find the rope.{gap}Tie the boat with it.{gap}The harbour log is full of storm.{gap}Wait for the tide."
    term_weights = TermWeights({"rope": 2.0, "boat": 1.0, "harbour": 3.0, "storm": 3.0, "tide": 2.0})
    source = Source("a.md", "A note", "english", Fragment((), section, 1, 1), frozenset(), usual_chars=10)
    found = several_in_one(passages([source], term_weights), term_weights)
    assert found is not None
    assert found.text.split("\n") == ["Find the rope.", "The harbour log is full of storm.", "Wait for the tide."]


def test_a_lead_in_comes_before_its_items_whichever_of_them_is_the_best() -> None:
    section = "Update one version at a time:\n\n- save the harbour log\n- read the rope list\n- ring the storm bell"
    term_weights = TermWeights({"harbour": 2.0, "storm": 3.0})
    source = Source("a.md", "A note", "english", Fragment((), section, 1, 1), frozenset(), usual_chars=30)
    found = several_in_one(passages([source], term_weights), term_weights)
    assert found is not None
    lead_in, harbour, *_, storm = found.text.split("\n")
    assert (lead_in, harbour, storm) == tuple(section.replace("\n\n", "\n").split("\n")[place] for place in (0, 1, 3))


@pytest.mark.parametrize("place", range(3))
def test_a_result_is_quoted_wherever_it_is_ranked(vault: Vault, place: int) -> None:
    for number in range(3):
        vault.note(f"{number}.md", f"# Note {number}\n\nThe lighthouse keeper number {number} lit a lamp.\n")
    result = vault.remember("lighthouse keeper")["results"][place]
    assert "lighthouse keeper" in result["passage"]["text"]


def test_a_sentence_of_several_notes_is_shown_once_in_a_list(vault: Vault) -> None:
    for number, colour in enumerate(("green", "red", "white", "yellow")):
        shared = "Press the lamp switch to open these settings."
        vault.note(f"{number}.md", f"# Lamp {colour}\n\nOf {colour} glass are its panes.\n\n{shared}\n")
    recalled = vault.remember("lamp switch boats")
    assert recalled["strategy"] == "many-weak"
    shown = [result["passage"]["text"] for result in recalled["results"]]
    assert sum("Press the lamp switch" in text for text in shown) == 1
    assert sum("glass are its panes" in text for text in shown[1:]) == 3


def test_a_lead_in_that_two_passages_share_is_said_once() -> None:
    section = "Update one version at a time:\n\n- save the harbour log\n- read the rope list\n- ring the storm bell"
    source = Source("a.md", "A note", "english", Fragment((), section, 1, 1), frozenset(), usual_chars=30)
    term_weights = TermWeights({"harbour": 2.0, "rope": 2.0, "storm": 2.0})
    found = several_in_one(passages([source], term_weights), term_weights)
    assert found is not None
    assert found.text.count("Update one version") == 1


def test_a_lead_in_is_not_left_alone_where_its_code_was_shown_before() -> None:
    section = "Add the harbour:\n\n```\n[rope]\n```\n\nFor a storm:\n\n```\n[rope]\n```"
    source = Source("a.md", "A note", "english", Fragment((), section, 1, 1), frozenset(), usual_chars=30)
    term_weights = TermWeights({"harbour": 2.0, "storm": 1.0})
    found = several_in_one(passages([source], term_weights), term_weights)
    assert found is not None
    assert not found.text.endswith(":")
