"""Spreading activation, against its vectors and against a plain breadth-first search."""

from __future__ import annotations

from itertools import combinations

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.ranking.signals import Activation, spread
from brain_cli.types import MAX_LINKS

A, B, C, D = 1, 2, 3, 4
HUB = 0


def linked(*pairs: tuple[int, int]) -> dict[int, list[int]]:
    links: dict[int, list[int]] = {}
    for one, other in pairs:
        links.setdefault(one, []).append(other)
        links.setdefault(other, []).append(one)
    return links


def spread_over(activations: dict[int, float], *pairs: tuple[int, int]) -> dict[int, float]:
    links = linked(*pairs)
    return spread(activations, lambda note: links.get(note, ()))


def test_activation_halves_with_each_hop_and_stops_after_two() -> None:
    assert spread_over({A: 0.8}, (A, B), (B, C), (C, D)) == pytest.approx({B: 0.4, C: 0.2})


def test_activation_from_several_sources_adds_up() -> None:
    assert spread_over({A: 0.9, B: 0.5}, (A, C), (B, C))[C] == pytest.approx(0.7)


def test_the_sum_is_capped_at_1() -> None:
    assert spread_over({A: 1.0, B: 0.9, D: 0.9}, (A, C), (B, C), (D, C))[C] == 1.0


def test_a_source_counts_once_over_its_shortest_path() -> None:
    assert spread_over({A: 0.8}, (A, B), (A, C), (B, C)) == pytest.approx({B: 0.4, C: 0.4})
    assert spread_over({A: 0.8}, (A, B), (A, C), (B, D), (C, D))[D] == pytest.approx(0.2)


def test_a_note_receives_from_the_others_only() -> None:
    assert A not in spread_over({A: 0.8}, (A, B))
    assert spread_over({A: 0.8, B: 0.4}, (A, B)) == pytest.approx({A: 0.2, B: 0.4})


def test_links_to_itself_and_links_made_twice_count_for_nothing_more() -> None:
    assert spread_over({A: 0.8}, (A, A), (A, B), (B, A)) == pytest.approx({B: 0.4})


def test_a_source_without_links_sends_nothing() -> None:
    assert spread_over({A: 0.8}) == {}


def test_a_source_without_activation_sends_nothing() -> None:
    assert spread_over({A: 0.0, B: float("nan")}, (A, C), (B, C)) == {}


def star(size: int) -> list[tuple[int, int]]:
    return [(HUB, leaf) for leaf in range(1, size + 1)]


def test_a_note_with_64_links_sends_and_relays() -> None:
    assert len(spread_over({HUB: 1.0}, *star(MAX_LINKS))) == MAX_LINKS
    assert spread_over({A: 1.0}, *star(MAX_LINKS))[B] == 0.25


def test_a_note_with_more_than_64_links_neither_sends_nor_relays() -> None:
    assert spread_over({HUB: 1.0}, *star(MAX_LINKS + 1)) == {}
    assert B not in spread_over({A: 1.0}, *star(MAX_LINKS + 1))


def test_a_note_with_more_than_64_links_still_receives() -> None:
    assert spread_over({A: 1.0}, *star(MAX_LINKS + 1)) == {HUB: 0.5}


def by_breadth_first_search(
    activations: dict[int, float], links: dict[int, list[int]]
) -> dict[int, float]:
    received: dict[int, float] = {}
    for source, activation in activations.items():
        distance = {source: 0}
        queue = [source]
        for note in queue:
            if distance[note] == 2:
                continue
            for other in links.get(note, ()):
                if other not in distance:
                    distance[other] = distance[note] + 1
                    queue.append(other)
        for note, hops in distance.items():
            if hops and activation:
                received[note] = received.get(note, 0.0) + activation * 0.5**hops
    return {note: min(1.0, amount) for note, amount in received.items()}


@examples(200)
@given(
    activations=st.dictionaries(
        st.integers(0, 9), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
    ),
    pairs=st.lists(st.sampled_from(list(combinations(range(10), 2))), unique=True),
)
def test_it_is_what_a_breadth_first_search_from_every_source_finds(
    activations: dict[int, float], pairs: list[tuple[int, int]]
) -> None:
    expected = by_breadth_first_search(activations, linked(*pairs))
    assert spread_over(activations, *pairs) == pytest.approx(expected)


def test_every_note_is_asked_for_its_links_once() -> None:
    links = linked((A, B), (B, C), (C, A), (C, D))
    asked: list[int] = []

    def neighbours(note: int) -> list[int]:
        asked.append(note)
        return links[note]

    spread({A: 0.5, B: 0.5, C: 0.5}, neighbours)
    assert len(asked) == len(set(asked))


@examples(200)
@given(
    st.dictionaries(st.integers(0, 12), st.floats(0, 1), max_size=8),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=30),
)
def test_lazily_computed_activation_equals_the_spread_one(
    activations: dict[int, float], pairs: list[tuple[int, int]]
) -> None:
    links = linked(*pairs)
    everywhere = spread(activations, lambda note: links.get(note, ()))
    asked = Activation(activations, lambda note: links.get(note, ()))
    assert {note: asked.get(note) for note in range(13) if asked.get(note)} == everywhere
