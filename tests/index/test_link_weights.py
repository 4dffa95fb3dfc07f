"""The words of a link weigh half in the note that links, and count for the note that is linked."""

from __future__ import annotations

import pytest

from brain_cli.index.field_weights import section_field_weights
from brain_cli.index.note_table import anchor_weight
from brain_cli.types import Fragment


def test_a_word_of_a_link_weighs_half_and_the_same_word_in_the_text_weighs_one() -> None:
    weights = section_field_weights(Fragment((), "Through [[quay|a drum]] again, drum.", 1, 1), "english")
    assert weights.in_links == {"quay": 0.5, "drum": 0.5}
    assert weights.body == {"quay": 0.5, "drum": 1.5}


@pytest.mark.parametrize(("links", "weight"), [(1, 3.0), (2, 4.243), (4, 6.0), (100, 6.0)])
def test_a_word_weighs_more_with_more_links_up_to_a_word_of_the_title(links: int, weight: float) -> None:
    assert anchor_weight(links) == pytest.approx(weight, abs=0.001)
