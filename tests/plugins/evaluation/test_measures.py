"""The arithmetic of an evaluation: measures against worked examples, intervals and probabilities
against reason.
"""

from __future__ import annotations

import math

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.plugins.evaluation.measures import (
    difference,
    estimate,
    mean,
    newest_on_top,
    percentile,
    values,
)

measure = st.floats(0, 1)


NAMES = {
    "nDCG@10": "nDCG@10",
    "Recall@5": "R@5",
    "MRR@10": "RR@10",
}  # our name → that of the reference
notes = st.sampled_from([f"{number}.md" for number in range(25)])


def test_the_measures_are_as_defined() -> None:
    found = values(
        {"q": ["wrong", "a", "b"], "nothing": []},
        {"q": {"a": 1, "b": 2, "c": 0}, "nothing": {"a": 1}},
    )
    upper_bound = 2 + 1 / math.log2(3)
    assert found["nDCG@10"] == pytest.approx(
        {"q": (1 / math.log2(3) + 2 / 2) / upper_bound, "nothing": 0.0}
    )
    assert found["Recall@5"] == {"q": 1.0, "nothing": 0.0}
    assert found["MRR@10"] == {"q": 0.5, "nothing": 0.0}


@given(
    ranking=st.lists(notes, unique=True),
    grades=st.dictionaries(notes, st.integers(0, 3), min_size=1),
)
def test_the_measures_are_those_of_trec_eval(
    ranking: list[str], grades: dict[str, int]
) -> None:
    ir = pytest.importorskip("ir_measures")
    found = values({"q": ranking}, {"q": grades})
    run = {"q": {path: -float(rank) for rank, path in enumerate(ranking)}}
    theirs = ir.calc_aggregate(
        [ir.parse_measure(name) for name in NAMES.values()], {"q": grades}, run
    )
    assert {str(measure): value for measure, value in theirs.items()} == {
        theirs: pytest.approx(found[ours]["q"]) for ours, theirs in NAMES.items()
    }


def test_the_newest_counts_among_the_first_three_only() -> None:
    grades = {"old": 1, "new": 2}
    assert newest_on_top(["old", "other", "new"], grades)
    assert not newest_on_top(["old", "other", "more", "new"], grades)


@pytest.mark.parametrize(("share", "expected"), [(0, 1), (0.5, 2.5), (1, 4), (0.25, 1.75)])
def test_a_percentile_lies_between_its_neighbours(share: float, expected: float) -> None:
    assert percentile([4, 1, 3, 2], share) == pytest.approx(expected)


def test_of_nothing_every_number_is_0() -> None:
    assert (mean([]), percentile([], 0.5), estimate([])[:3]) == (0.0, 0.0, (0.0, 0.0, 0.0))


@examples(100)
@given(values=st.lists(measure, min_size=1, max_size=30))
def test_an_interval_holds_its_mean_and_is_the_same_every_time(values: list[float]) -> None:
    found = estimate(values)
    assert found == estimate(values)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_the_interval_of_a_coin_thrown_400_times_is_as_wide_as_it_should_be() -> None:
    found = estimate([0.0, 1.0] * 200)
    assert (found.low, found.high) == pytest.approx(
        (0.451, 0.549), abs=0.01
    )  # ± 1.96 * sqrt(.25 / 400)


def test_a_difference_is_improbable_when_all_pairs_agree_and_probable_when_they_do_not() -> (
    None
):
    assert difference([0.6] * 20, [0.5] * 20).p < 0.001
    assert difference([0.6, 0.4] * 10, [0.5] * 20).p > 0.5
    assert difference([0.5] * 20, [0.5] * 20) == (0.0, 1.0)


@pytest.mark.exhaustive
@examples(50)  # each draws thousands of samples, twice
@given(pairs=st.lists(st.tuples(measure, measure), min_size=1, max_size=20))
def test_a_difference_is_as_probable_the_other_way_round(
    pairs: list[tuple[float, float]],
) -> None:
    one, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    there, back = difference(one, other), difference(other, one)
    assert there.mean == pytest.approx(-back.mean)
    assert there.p == back.p
    assert 0 < there.p <= 1
