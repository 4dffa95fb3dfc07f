"""Find the notes within two links of a note, with the path that leads to each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from brain_cli.ranking.signals import PER_HOP, spread
from brain_cli.types import MAX_LINKS

Links = Callable[[int], Iterable[int]]


class Route(NamedTuple):
    """A note that was reached: its activation (0..1), and the note ids on the path to it, both ends included."""

    activation: float
    trail: tuple[int, ...]

    @property
    def note_id(self) -> int:
        return self.trail[-1]


def related(note_id: int, links: Links) -> list[Route]:
    """Return the notes that a note activates, most activated first.

    A note with too many links activates nothing in a recall; here it activates its direct links.
    """
    near = frozenset(links(note_id)) - {note_id}
    if len(near) > MAX_LINKS:
        return [Route(PER_HOP, (note_id, each)) for each in sorted(near)]
    found = spread({note_id: 1.0}, links)
    routes = [Route(amount, _trail(note_id, each, near, links)) for each, amount in found.items()]
    return sorted(routes, key=lambda route: (-route.activation, route.trail))


def _trail(source: int, target: int, near: frozenset[int], links: Links) -> tuple[int, ...]:
    """Return the shortest path; of several, the one over the note with the fewest links, which is most specific."""
    if target in near:
        return (source, target)
    relays = [(len(set(links(each))), each) for each in near & frozenset(links(target))]
    return (source, min(pair for pair in relays if pair[0] <= MAX_LINKS)[1], target)
