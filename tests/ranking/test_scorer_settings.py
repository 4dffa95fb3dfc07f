"""A formula's constants can be set, by name and within their range, and in no other way."""

from __future__ import annotations

import math
from typing import Any

import pytest

from brain_cli.errors import UsageError
from brain_cli.ranking.certainty import CertaintyModel
from brain_cli.ranking.scorers import checked, load_scorer
from brain_cli.types import Signals


def total(scorer: str, settings: dict[str, Any], **signals: Any) -> float:
    return load_scorer(scorer, settings).score(Signals(**signals)).total


def test_weights_may_be_given_as_a_table_or_flat() -> None:
    nested = load_scorer("brain", {"weights": {"relevance": 0.5, "salience": 0.2}})
    assert nested == load_scorer("brain", {"relevance": 0.5, "salience": 0.2})


def test_clawmems_weight_of_relevance_may_be_called_by_its_published_name_or_by_its_step() -> (
    None
):
    assert load_scorer("clawmem", {"weights": {"search": 0.9}}) == load_scorer(
        "clawmem", {"relevance": 0.9}
    )


def test_the_last_layer_of_settings_wins() -> None:
    scorer = load_scorer(
        "clawdbot", {"half_life_days": 7, "floor": 0.2}, {"half_life_days": 14}
    )
    assert scorer == load_scorer("clawdbot", {"half_life_days": 14, "floor": 0.2})
    assert scorer != load_scorer("clawdbot", {"half_life_days": 7, "floor": 0.2})


def test_a_kind_of_ones_own_can_be_given_a_half_life_and_the_published_ones_stay() -> None:
    settings = {"half_lives": {"Journal": 10}}
    assert total("clawmem", settings, kind="journal", age_days=10) < total(
        "clawmem", {}, kind="note", age_days=10
    )
    handoff = {"kind": "handoff", "age_days": 10}
    assert total("clawmem", settings, **handoff) == total("clawmem", {}, **handoff)


def test_a_kind_of_ones_own_can_be_given_an_importance() -> None:
    assert total("claude-mem", {"types": {"journal": 0.75}}, kind="Journal") == pytest.approx(
        1 + 0.75
    )
    assert total(
        "claude-mem", {"recency": 0.2, "weights": {"type": 2}}, kind="decision"
    ) == pytest.approx(0.2 + 1.6)


@pytest.mark.parametrize(
    ("scorer", "settings", "named"),
    [
        ("clawdbot", {"half_life_days": 0}, "half_life_days"),
        ("clawdbot", {"half_life_days": -1}, "half_life_days"),
        ("clawdbot", {"half_life_days": math.nan}, "half_life_days"),
        ("clawdbot", {"half_life_days": math.inf}, "half_life_days"),
        ("clawdbot", {"half_life_days": 10**400}, "half_life_days"),
        ("clawdbot", {"half_life_days": "30"}, "half_life_days"),
        ("clawdbot", {"half_life_days": True}, "half_life_days"),
        ("clawdbot", {"half_life_days": None}, "half_life_days"),
        ("clawdbot", {"floor": 1.1}, "floor"),
        ("clawdbot", {"floor": -0.1}, "floor"),
        ("clawdbot", {"curve": "linear"}, "curve"),
        ("clawdbot", {"curve": ["halving"]}, "curve"),
        ("clawdbot", {"weights": {"floor": 0.2}}, "weights"),
        ("clawdbot", {"half_life": 7}, "half_life"),
        ("claude-mem", {"half_life_days": 0}, "half_life_days"),
        ("claude-mem", {"types": {"bugfix": 2}}, "types"),
        ("claude-mem", {"types": 0.5}, "types"),
        ("clawmem", {"weights": {"search": -0.1}}, "search"),
        ("clawmem", {"weights": {"pin_boost": 0.2}}, "pin_boost"),
        ("clawmem", {"weights": 0.5}, "weights"),
        ("clawmem", {"half_lives": {"note": 0}}, "half_lives"),
        ("brain", {"weights": {"relevance": math.nan}}, "relevance"),
        ("brain", {"weights": {"relevance": math.inf}}, "relevance"),
        ("brain", {"weights": {"relevance": "much"}}, "relevance"),
        ("brain", {"weights": {"relevence": 0.5}}, "relevence"),
        ("brain", {"weights": [0.38, 0.18]}, "weights"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error_that_names_it(
    scorer: str, settings: dict[str, Any], named: str
) -> None:
    with pytest.raises(UsageError, match=named) as error:
        load_scorer(scorer, settings)
    assert error.value.exit_code == 2
    assert error.value.hint


def test_an_unknown_setting_is_an_error_that_names_the_nearest_one() -> None:
    with pytest.raises(UsageError) as error:
        load_scorer("clawdbot", {"half_life": 7})
    assert error.value.message == "clawdbot has no setting “half_life”."
    assert error.value.hint == "Did you mean “half_life_days”?"


@pytest.mark.parametrize(
    ("formula", "setting", "most"),
    [
        ("brain", "salience", 1000.0),
        ("clawdbot", "half_life_days", 1e9),
        ("clawdbot", "floor", 1.0),
    ],
)
def test_a_setting_may_be_as_large_as_its_range_and_no_larger(
    formula: str, setting: str, most: float
) -> None:
    assert getattr(load_scorer(formula, {setting: most}), setting) == most
    with pytest.raises(UsageError, match=setting):
        load_scorer(formula, {setting: most * 1.0001})


@pytest.mark.parametrize("most", [1000.0, -1000.0])
def test_a_coefficient_may_be_as_large_as_its_range_on_either_side(most: float) -> None:
    assert checked(CertaintyModel, {"lead": most}) == {"lead": most}
    with pytest.raises(
        UsageError, match=r"certainty: lead must be a number from -1000 to 1000, not "
    ):
        checked(CertaintyModel, {"lead": most * 1.0001})


def test_half_a_day_is_a_span_of_days() -> None:
    signals: dict[str, Any] = {"relevance": 1.0, "age_days": 0.5}
    assert total("clawdbot", {"half_life_days": 0.5}, **signals) < total(
        "clawdbot", {}, **signals
    )


@pytest.mark.parametrize(
    ("formula", "settings", "message"),
    [
        (
            "clawdbot",
            {"floor": "x" * 99},
            "clawdbot: floor must be a number from 0 to 1, not 'xxx",
        ),
        ("clawdbot", {"curve": "x" * 99}, "clawdbot: curve must be one of "),
        (
            "claude-mem",
            {"types": "x" * 99},
            "claude-mem: types must be a table by kind, not 'xxx",
        ),
        ("brain", {"weights": "x" * 99}, "brain: weights must be a table, not 'xxx"),
        ("brain", {"x" * 99: 1}, "brain has no setting “xxx"),
        ("x" * 99, {}, "There is no scorer “xxx"),
    ],
)
def test_a_wrong_setting_is_one_sentence_that_repeats_no_more_than_its_beginning(
    formula: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as error:
        load_scorer(formula, settings)
    assert error.value.message.startswith(message)
    assert error.value.message.endswith(".")
    assert error.value.message.count("x" * 59) == 1
    assert "x" * 60 not in error.value.message


def test_weights_of_nothing_give_a_score_of_nothing() -> None:
    nothing = dict.fromkeys(("relevance", "decayed_strength", "recency", "salience"), 0)
    assert total("brain", {"weights": nothing}, relevance=1.0) == 0.0
