"""The ledger: what a formula did, step by step, and nothing else."""

from __future__ import annotations

import pytest

from brain_cli.errors import UsageError
from brain_cli.ranking.scorers import SCORERS, Score, Step, load_scorer, scorer_class


def test_an_empty_score_is_zero() -> None:
    assert (Score().total, Score().share, Score().steps) == (0.0, 0.0, ())


def test_each_step_says_what_it_did_and_where_the_total_stood_after_it() -> None:
    score = Score().plus("a", 0.5, 0.8).times("b", 2.0).at_least("c", 0.9).at_most("d", 0.7)
    assert score.steps == (
        Step("a", "+", 0.5, 0.8, 0.4),
        Step("b", "*", 2.0, None, 0.8),
        Step("c", "max", 0.9, None, 0.9),
        Step("d", "min", 0.7, None, 0.7),
    )
    assert score.total == 0.7


def test_a_step_leaves_the_score_before_it_as_it_was() -> None:
    half = Score().plus("a", 0.5)
    half.times("b", 3.0)
    assert half == Score().plus("a", 0.5)


def test_an_absent_factor_leaves_no_step() -> None:
    assert Score().plus("a", None, 0.5) == Score()


def test_the_share_is_the_part_of_the_full_total_within_0_and_1() -> None:
    assert Score().plus("a", 2.2).out_of(4.4).share == pytest.approx(0.5)
    assert Score().plus("a", 1.3).share == 1.0
    assert Score().plus("a", -1.0).share == 0.0


def test_setting_the_full_total_adds_no_step() -> None:
    assert Score().plus("a", 1.0).out_of(4.4).steps == Score().plus("a", 1.0).steps


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_knows_the_name_it_is_registered_under(name: str) -> None:
    assert scorer_class(name).name == name


def test_an_unknown_scorer_is_an_error_that_names_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="“clawdbt”") as error:
        load_scorer("clawdbt")
    assert error.value.hint == "Did you mean “clawdbot”?"


def test_an_unknown_scorer_unlike_any_is_an_error_that_names_them_all() -> None:
    with pytest.raises(UsageError) as error:
        load_scorer("zzz")
    assert error.value.hint == f"Known: {', '.join(SCORERS)}."
