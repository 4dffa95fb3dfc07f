"""What a model adds to certainty: nearness and the lead over other notes, for which words may be
missing.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain_cli.plugins.meaning.by_meaning import CertaintyByMeaning
from brain_cli.plugins.meaning.models import model_of
from brain_cli.plugins.meaning.settings import EMBEDDERS
from brain_cli.ranking import STRONG_CERTAINTY
from brain_cli.ranking.certainty import CertaintyModel, Features

MODELS = [CertaintyByMeaning(**model_of(name).fusion.certainty) for name in EMBEDDERS]


def test_every_model_has_constants_under_which_nearness_counts() -> None:
    assert all(model.nearness > 0 and model.near_lead > 0 for model in MODELS)


@given(
    model=st.sampled_from(MODELS),
    lead=st.floats(-1, 1),
    coverage=st.floats(0, 1),
    near=st.floats(-1, 1),
    nearer=st.floats(0, 1),
    ahead=st.floats(0, 2),
)
def test_a_nearer_note_is_more_certain(
    model: CertaintyByMeaning,
    lead: float,
    coverage: float,
    near: float,
    nearer: float,
    ahead: float,
) -> None:
    features = Features(lead=lead, section_coverage=coverage, nearness=near, near_lead=-1.0)
    better = features._replace(nearness=near + nearer, near_lead=-1.0 + ahead)
    assert model.certainty(better).probability >= model.certainty(features).probability


def test_a_note_that_lacks_half_of_the_question_may_be_certain_where_it_is_near_and_far_ahead() -> (
    None
):
    features = Features(lead=1.0, section_coverage=0.45, nearness=0.9, near_lead=1.0)
    assert not CertaintyModel().certainty(features).strong
    assert max(model.certainty(features).probability for model in MODELS) > STRONG_CERTAINTY


def test_letters_and_numbers_are_not_enough_with_a_model_either() -> None:
    features = Features(
        lead=1.0, section_coverage=1.0, nearness=0.9, near_lead=1.0, only_marks=True
    )
    assert all(model.certainty(features).probability < STRONG_CERTAINTY for model in MODELS)


def test_without_a_model_nearness_counts_for_nothing() -> None:
    features = Features(lead=0.5, section_coverage=0.8)
    assert CertaintyModel().certainty(
        features._replace(nearness=1.0, near_lead=1.0)
    ) == CertaintyModel().certainty(features)
