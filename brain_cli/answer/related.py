"""Find the notes within two links of a note, with the path that leads to each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from brain_cli.ranking.spreading import PER_HOP, spread
from brain_cli.types import MAX_LINKS

Links = Callable[[int], Iterable[int]]


class Route(NamedTuple):
    """A note that was reached: its activation, 0..1, and the note ids from the source to it, both included."""

    activation: float
    trail: tuple[int, ...]

    @property
    def note_id(self) -> int:
        return self.trail[-1]


def related(note_id: int, links: Links) -> list[Route]:
    """Return what a note activates, most activated first.

    A note with too many links activates nothing in a recall; asked for by name, it shows at least what it links.
    """
    near = frozenset(links(note_id)) - {note_id}
    if len(near) > MAX_LINKS:
        return [Route(PER_HOP, (note_id, each)) for each in sorted(near)]
    found = spread({note_id: 1.0}, links)
    routes = [Route(amount, _trail(note_id, each, near, links)) for each, amount in found.items()]
    return sorted(routes, key=lambda route: (-route.activation, route.trail))


def _trail(source: int, target: int, near: frozenset[int], links: Links) -> tuple[int, ...]:
    """Return the shortest way; over the note with the fewest links where several are as short: it says the most."""
    if target in near:
        return (source, target)
    relays = [(len(set(links(each))), each) for each in near & frozenset(links(target))]
    return (source, min(pair for pair in relays if pair[0] <= MAX_LINKS)[1], target)
