"""How much of the session's setting a note was written in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.ranking.signals import Context, context_match

SESSION = Context.of("atlas", ["kafka", "api"], "review")


def test_the_same_setting_matches_wholly() -> None:
    assert context_match(SESSION, SESSION) == 1.0


def test_the_parts_count_5_3_and_2_tenths() -> None:
    assert context_match(Context.of(project="atlas"), SESSION) == pytest.approx(0.5)
    assert context_match(Context.of(topics=["kafka", "api"]), SESSION) == pytest.approx(0.3)
    assert context_match(Context.of(task="review"), SESSION) == pytest.approx(0.2)


def test_topics_count_by_how_many_are_shared_of_all() -> None:
    assert context_match(Context.of(topics=["kafka", "bread"]), SESSION) == pytest.approx(
        0.3 / 3
    )


def test_only_what_the_session_knows_is_asked() -> None:
    note = Context.of("atlas", ["bread"], "baking")
    assert context_match(note, Context.of(project="atlas")) == 1.0
    assert context_match(note, Context.of(project="atlas", task="review")) == pytest.approx(
        0.5 / 0.7
    )


def test_a_session_that_knows_nothing_matches_nothing() -> None:
    assert context_match(SESSION, Context.of()) == 0.0


def test_a_note_that_says_nothing_matches_nothing() -> None:
    assert context_match(Context.of(), SESSION) == 0.0


def test_names_are_compared_without_regard_to_case() -> None:
    assert context_match(Context.of("ATLAS", ["Kafka", "API"], "Review"), SESSION) == 1.0
    assert context_match(Context.of("STRASSE"), Context.of("straße")) == 1.0


names = st.sampled_from(["", "a", "B", "b"])
contexts = st.builds(Context.of, names, st.lists(names.filter(bool)), names)


@given(note=contexts, session=contexts)
def test_the_match_is_within_0_and_1(note: Context, session: Context) -> None:
    assert 0.0 <= context_match(note, session) <= 1.0
