"""One of the four answers is chosen for every list of candidates, by their standings alone."""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.ranking import RELATED_COVERAGE, Certainty, Claim, Standing, choose, choose_shown
from brain_cli.types import Strategy

EDGES = st.sampled_from(
    [0.0, 0.35, 0.4, 0.6, 0.7, 1.0, 0.35 - 1e-12, 0.4 + 1e-12, 0.6 - 1e-12, 0.7 + 1e-12]
)
UNIT = st.one_of(EDGES, st.floats(0, 1))
STANDINGS = st.lists(
    st.builds(Standing, share=UNIT, relevance=UNIT, claim=st.none(), ended=st.just(False)),
    max_size=12,
)
CLAIMED = st.builds(
    Claim,
    coverage=UNIT | st.just(RELATED_COVERAGE),
    certainty=st.none() | st.builds(Certainty, UNIT, parts=st.just(()), rule=st.just("")),
)
CALIBRATED = st.lists(
    st.builds(Standing, share=UNIT, relevance=UNIT, claim=CLAIMED, ended=st.just(False)),
    max_size=12,
)


@examples(400)
@given(STANDINGS)
def test_every_list_of_candidates_has_the_strategy_that_the_specification_gives_it(
    standings: list[Standing],
) -> None:
    strong = [each for each in standings if each.share > 0.7 and each.relevance >= 0.6]
    related = [each for each in standings if each.share > 0.4 and each.relevance >= 0.35]
    if not standings:
        expected = Strategy.ARCHIVE_FALLBACK
    elif len(strong) == 1:
        expected = Strategy.SINGLE_STRONG
    elif strong or related:
        expected = Strategy.SYNTHESIZE
    else:
        expected = Strategy.MANY_WEAK
    assert choose(standings) is expected


@examples(400)
@given(CALIBRATED)
def test_where_the_ranking_is_calibrated_certainty_and_coverage_decide_alone(
    standings: list[Standing],
) -> None:
    claims = [each.claim for each in standings if each.claim]
    certain = [each for each in claims if each.certainty and each.certainty.strong]
    if not standings:
        expected = Strategy.ARCHIVE_FALLBACK
    elif len(certain) == 1:
        expected = Strategy.SINGLE_STRONG
    elif certain or any(each.coverage >= RELATED_COVERAGE for each in claims):
        expected = Strategy.SYNTHESIZE
    else:
        expected = Strategy.MANY_WEAK
    assert choose(standings) is expected


@examples(200)
@given(STANDINGS | CALIBRATED)
def test_the_order_of_the_candidates_does_not_matter(standings: list[Standing]) -> None:
    assert choose(standings) is choose(standings[::-1])


@pytest.mark.parametrize(
    ("standings", "expected"),
    [
        ([], Strategy.ARCHIVE_FALLBACK),
        ([(0.0, 0.0)], Strategy.MANY_WEAK),
        ([(0.7, 1.0)], Strategy.SYNTHESIZE),
        ([(0.71, 0.6)], Strategy.SINGLE_STRONG),
        ([(0.71, 0.59)], Strategy.SYNTHESIZE),
        ([(0.71, 0.34)], Strategy.MANY_WEAK),
        ([(0.4, 1.0)], Strategy.MANY_WEAK),
        ([(0.41, 0.35)], Strategy.SYNTHESIZE),
        ([(0.9, 0.9), (0.6, 0.6)], Strategy.SINGLE_STRONG),
        ([(0.9, 0.9), (0.8, 0.8)], Strategy.SYNTHESIZE),
    ],
)
def test_the_thresholds_are_where_they_are_said_to_be(
    standings: list[tuple[float, float]], expected: Strategy
) -> None:
    assert choose([Standing(*each) for each in standings]) is expected


STRONG, WEAK = Standing(0.9, 0.9, None), Standing(0.1, 0.1, None)


@pytest.mark.parametrize(
    ("standings", "limit", "expected"),
    [
        ([STRONG, WEAK], 1, Strategy.SINGLE_STRONG),
        ([WEAK, STRONG], 2, Strategy.SINGLE_STRONG),
        ([WEAK, STRONG], 1, Strategy.MANY_WEAK),  # ranked behind the notes that are shown
        ([STRONG, STRONG], 1, Strategy.SYNTHESIZE),
        ([], 1, Strategy.ARCHIVE_FALLBACK),
    ],
)
def test_a_strong_match_that_is_not_shown_is_not_the_answer(
    standings: list[Standing], limit: int, expected: Strategy
) -> None:
    assert choose_shown(standings, limit) is expected
