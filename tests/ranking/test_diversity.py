"""Repeats go behind what is new; nothing is lost."""

from __future__ import annotations

from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.ranking.top_k import MAX_SIMILARITY, repeats_in
from brain_cli.vault.repetition import bigrams

Notes = list[frozenset[tuple[str, str]]]

KAFKA = "we chose kafka for the event stream because replay matters to us"
KAFKA_AGAIN = "we chose kafka for the event stream because replay matters a lot"
BREAD = "the bread needs a slow rise overnight in the cold kitchen"


def order(*texts: str) -> list[int]:
    repeats = repeats_in([bigrams(text) for text in texts])
    return [*(place for place in range(len(texts)) if place not in repeats), *repeats]


def test_bigrams_are_pairs_of_neighbouring_words_without_case_or_punctuation() -> None:
    assert bigrams("The bread, the Bread!") == {("the", "bread"), ("bread", "the")}


def test_fewer_than_two_words_have_no_bigrams() -> None:
    assert bigrams("") == bigrams("alone") == frozenset()


def test_a_repeat_goes_behind_the_others() -> None:
    assert order(KAFKA, KAFKA_AGAIN, BREAD) == [0, 2, 1]


def test_new_notes_keep_their_order_and_so_do_the_repeats() -> None:
    assert order(KAFKA, BREAD, KAFKA_AGAIN, "something else entirely here", BREAD) == [
        0,
        1,
        3,
        2,
        4,
    ]


def test_notes_of_fewer_than_two_words_are_like_no_other() -> None:
    assert order("kafka", "kafka", "", "") == [0, 1, 2, 3]


def test_a_similarity_of_0_6_is_not_a_repeat_but_a_little_more_is() -> None:
    assert order("a b c d e", "a b c d x", BREAD) == [
        0,
        1,
        2,
    ]  # four bigrams each, three shared: 3 / 5
    assert order("a b c d e f", "a b c d e x", BREAD) == [
        0,
        2,
        1,
    ]  # five each, four shared: 4 / 6


def test_a_repeat_of_a_repeat_goes_behind_too() -> None:
    first, second, third = "a b c d e f g h i j", "c d e f g h i j k l", "e f g h i j k l m n"
    assert order(first, second, third, BREAD) == [0, 3, 1, 2]


def jaccard(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


pairs = st.tuples(st.sampled_from("ab"), st.sampled_from("abcd"))


@examples(250)
@given(notes=st.lists(st.frozensets(pairs, max_size=8), max_size=12))
def test_it_is_what_comparing_every_two_notes_finds(notes: Notes) -> None:
    repeats = [
        index
        for index, note in enumerate(notes)
        if any(jaccard(note, higher) > MAX_SIMILARITY for higher in notes[:index])
    ]
    assert repeats_in(notes) == repeats
