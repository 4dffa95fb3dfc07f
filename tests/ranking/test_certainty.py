"""Certainty: a probability made of a few features, with three rules above the sum."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.errors import UsageError
from brain_cli.ranking import STRONG_CERTAINTY
from brain_cli.ranking.certainty import DOUBTFUL, CertaintyModel, Features, load_certainty

if TYPE_CHECKING:
    from conftest import Vault

MODEL = CertaintyModel()
unit = st.floats(0, 1)
any_features = st.builds(
    Features,
    lead=st.floats(-1, 1),
    name_match=unit,
    anchor_share=unit,
    passage_coverage=unit,
    runners_up=st.floats(0, 10),
    unknown=unit,
    exact_name=st.booleans(),
    only_marks=st.booleans(),
)
PERFECT = Features(lead=1.0, name_match=1.0, passage_coverage=1.0)
# Constants as `brain tune` wrote them when the features were others.
FORMERLY_TUNED = {
    "intercept": -1.2,
    "lead": 1.5,
    "name_match": 0.9,
    "section_coverage": 2.0,
    "one_word": -1.0,
}


@given(any_features)
def test_certainty_is_a_probability_and_its_parts_add_up_to_it(features: Features) -> None:
    certainty = MODEL.certainty(features)
    assert 0.0 <= certainty.probability <= 1.0
    if not certainty.rule:
        z = sum(part.value * part.weight for part in certainty.parts)
        assert certainty.probability == pytest.approx(1 / (1 + exp(-z)))


@given(any_features, unit)
def test_a_larger_lead_never_makes_a_note_less_certain(features: Features, lead: float) -> None:
    less, more = sorted((features.lead, lead))
    certain = [
        MODEL.certainty(features._replace(lead=each)).probability for each in (less, more)
    ]
    assert certain[0] <= certain[1]


@given(any_features, unit)
def test_more_unknown_words_never_make_a_note_more_certain(
    features: Features, unknown: float
) -> None:
    less, more = sorted((features.unknown, unknown))
    certain = [
        MODEL.certainty(features._replace(unknown=each)).probability for each in (less, more)
    ]
    assert certain[0] >= certain[1]


@given(any_features)
def test_a_note_that_alone_has_the_exact_name_is_always_strong(features: Features) -> None:
    assert MODEL.certainty(features._replace(exact_name=True)).probability >= STRONG_CERTAINTY


def test_letters_and_numbers_alone_are_never_enough() -> None:
    assert MODEL.certainty(PERFECT).probability >= STRONG_CERTAINTY
    assert MODEL.certainty(PERFECT._replace(only_marks=True)).probability < STRONG_CERTAINTY


def test_a_superseded_note_is_never_strong() -> None:
    complete = Features(lead=1.0, name_match=1.0, passage_coverage=1.0, superseded=True)
    assert MODEL.certainty(complete._replace(superseded=False)).strong
    assert not MODEL.certainty(complete).strong


@pytest.mark.parametrize("value", ["number", "date"])
def test_without_the_value_that_is_asked_for_nothing_is_certain(value: str) -> None:
    certainty = MODEL.certainty(PERFECT._replace(lacks=value))
    assert (certainty.probability <= DOUBTFUL, certainty.lacks) == (True, value)


class TestSettings:
    def test_constants_replace_the_published_ones(self) -> None:
        assert load_certainty({"lead": 2.5}).lead == 2.5
        assert load_certainty({"lead": 2.5}).name_match == MODEL.name_match

    @pytest.mark.parametrize(
        "table",
        [
            FORMERLY_TUNED,
            {name: 1.0 for name in MODEL.constants() if name != "lead"},
        ],
    )
    def test_a_table_fitted_to_other_features_is_left_out_whole(
        self, table: dict[str, float]
    ) -> None:
        assert load_certainty(table) == MODEL

    def test_a_whole_table_of_these_features_holds(self) -> None:
        table = dict.fromkeys(MODEL.constants(), 0.5)
        assert load_certainty(table) == CertaintyModel(**table)

    def test_a_name_that_no_version_had_is_an_error(self) -> None:
        with pytest.raises(UsageError, match="leed"):
            load_certainty({"leed": 1.0})


class TestInAVault:
    @pytest.fixture
    def garden(self, vault: Vault) -> Vault:
        vault.note(
            "tomatoes.md", "# Growing tomatoes\n\nTomatoes need sun, water and a stake.\n"
        )
        vault.note(
            "beans.md",
            "# Beans\n\nBeans climb; they need water, and the tomatoes shade them.\n",
        )
        vault.note(
            "harvest.md",
            "# Harvest of 2024\n\nIn 2024 plan C was followed: leeks, then onions.\n",
        )
        vault.note("tools.md", "# Tools\n\nA spade, a rake, a hoe.\n")
        return vault

    def test_the_first_result_says_how_certain_it_is_and_no_other_does(
        self, garden: Vault
    ) -> None:
        first, *others = garden.remember("growing tomatoes")["results"]
        assert first["certainty"] >= STRONG_CERTAINTY
        assert [each["certainty"] for each in others] == [None] * len(others)

    def test_explain_shows_the_parts_of_the_certainty(self, garden: Vault) -> None:
        first, *_ = garden.remember("beans in the shade", "--explain")["results"]
        z = sum(part["value"] * part["weight"] for part in first["certainty_parts"])
        assert first["certainty"] == pytest.approx(1 / (1 + exp(-z)))
        assert first["certainty_rule"] == ""

    def test_the_published_formulas_have_no_certainty(self, garden: Vault) -> None:
        assert (
            garden.remember("tomatoes", "--scorer", "brain")["results"][0]["certainty"] is None
        )

    def test_where_the_first_note_is_not_related_none_is(self, garden: Vault) -> None:
        found = garden.remember("tomatoes beans leeks spade rake zebra giraffe")
        assert found["strategy"] == "many-weak"

    def test_words_that_no_note_knows_leave_a_list_to_choose_from(self, garden: Vault) -> None:
        assert garden.remember("tomatoes")["strategy"] in ("single-strong", "synthesize")
        found = garden.remember("tomatoes photosynthesis chlorophyll")
        assert found["strategy"] == "many-weak"
        assert found["results"][0]["path"] == "tomatoes.md"

    def test_links_with_the_words_make_their_target_more_certain(self, garden: Vault) -> None:
        garden.note("love apples.md", "# Love apples\n\nRed fruit.\n")
        certain = []
        for text in ("[[love apples]]", "[[love apples|stakes]]", "[[tomatoes|stakes]]"):
            garden.note("plan.md", f"# Plan\n\nFirst the {text}, then rest.\n")
            first, *_ = garden.remember("tomatoes stakes", "--explain")["results"]
            certain.append(
                {part["name"]: part["value"] for part in first["certainty_parts"]}[
                    "anchor_share"
                ]
            )
        assert certain == [0.05, 0.0, 1.0]

    def test_a_recall_says_in_one_sentence_that_a_table_of_another_version_is_left_out(
        self, garden: Vault
    ) -> None:
        certain = garden.remember("growing tomatoes")["results"][0]["certainty"]
        table = "".join(f"{name} = {value}\n" for name, value in FORMERLY_TUNED.items())
        garden.note(".brain/config.toml", f"[certainty]\n{table}")
        done = garden.brain("remember", "growing tomatoes", "--vault", garden.folder)
        assert done.code == 0
        assert done.err.count("[certainty]") == 1
        assert "brain tune --apply" in done.err
        assert garden.remember("growing tomatoes")["results"][0]["certainty"] == certain

    @pytest.mark.parametrize("query", ["2024", "C"])
    def test_a_single_letter_or_a_number_is_not_enough(self, garden: Vault, query: str) -> None:
        assert garden.remember(query)["strategy"] != "single-strong"

    def test_a_note_with_that_very_name_is_enough_also_for_a_letter(
        self, garden: Vault
    ) -> None:
        garden.note("c.md", "# C\n\nA language.\n")
        found = garden.remember("C")
        assert (found["strategy"], found["results"][0]["path"]) == ("single-strong", "c.md")
