"""A formula's constants can be set, by name and within their range, and in no other way."""

from __future__ import annotations

import math
from typing import Any

import pytest

from brain_cli.errors import UsageError
from brain_cli.ranking.scorers import load_scorer
from brain_cli.types import Signals


def total(scorer: str, settings: dict[str, Any], **signals: Any) -> float:
    return load_scorer(scorer, settings).score(Signals(**signals)).total


def test_weights_may_be_given_as_a_table_or_flat() -> None:
    nested = load_scorer("brain", {"weights": {"relevance": 0.5, "salience": 0.2}})
    assert nested == load_scorer("brain", {"relevance": 0.5, "salience": 0.2})


def test_clawmems_weight_of_relevance_may_be_called_by_its_published_name_or_by_its_step() -> None:
    assert load_scorer("clawmem", {"weights": {"search": 0.9}}) == load_scorer("clawmem", {"relevance": 0.9})


def test_the_last_layer_of_settings_wins() -> None:
    scorer = load_scorer("clawdbot", {"half_life_days": 7, "floor": 0.2}, {"half_life_days": 14})
    assert scorer == load_scorer("clawdbot", {"half_life_days": 14, "floor": 0.2})


def test_a_kind_of_ones_own_can_be_given_a_half_life_and_the_published_ones_stay() -> None:
    settings = {"half_lives": {"Journal": 10}}
    assert total("clawmem", settings, kind="journal", age_days=10) < total("clawmem", {}, kind="note", age_days=10)
    handoff = {"kind": "handoff", "age_days": 10}
    assert total("clawmem", settings, **handoff) == total("clawmem", {}, **handoff)


def test_a_kind_of_ones_own_can_be_given_an_importance() -> None:
    assert total("claude-mem", {"types": {"journal": 0.75}}, kind="Journal") == pytest.approx(1 + 0.75)
    assert total("claude-mem", {"recency": 0.2, "weights": {"type": 2}}, kind="decision") == pytest.approx(0.2 + 1.6)


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
    assert error.value.message == "clawdbot has no setting 'half_life'."
    assert error.value.hint == "Did you mean “half_life_days”?"


def test_weights_of_nothing_give_a_score_of_nothing() -> None:
    nothing = dict.fromkeys(("relevance", "decayed_strength", "recency", "salience"), 0)
    assert total("brain", {"weights": nothing}, relevance=1.0) == 0.0
