"""The words of a link weigh half in the note that links, and count for the note that is linked."""

from __future__ import annotations

import pytest

from brain_cli.index.field_weights import prepared
from brain_cli.index.note_table import anchor_weight
from brain_cli.vault.note import parse_note


def test_a_word_of_a_link_weighs_half_and_the_same_word_in_the_text_weighs_one() -> None:
    note = parse_note(
        "a.md", "Through [[quay|a drum]] again, drum.\n\n# Head\n\nA drum in `[[quay]]`.\n", 0.0
    )
    weights = prepared(note, "english", lambda _: b"")
    assert weights.in_links == [{"quay": 0.5, "drum": 0.5}, {"quay": 0.5}]
    assert weights.bodies == [{"quay": 0.5, "drum": 1.5}, {"drum": 1, "quay": 0.5, "head": 2.0}]


@pytest.mark.parametrize(("links", "weight"), [(1, 3.0), (2, 4.243), (4, 6.0), (100, 6.0)])
def test_a_word_weighs_more_with_more_links_up_to_a_word_of_the_title(
    links: int, weight: float
) -> None:
    assert anchor_weight(links) == pytest.approx(weight, abs=0.001)
