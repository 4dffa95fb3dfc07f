"""Spreading activation: each note receives activation from the matching notes near it.

    received(note) = min(1, Σ activation(source) * 0.5 ** hops), over the other sources, hops 1 or 2

activation  0..1, a source's relevance
hops        length of the shortest path; a source counts once
A note with more than 64 links neither sends nor relays (it may receive); otherwise one page that links to
everything would lift the whole vault.

Publication: the `brain` scoring formula, "Spreading Bonus"; the limit on links is ours.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, TypeVar

from brain_cli.bounds import unit
from brain_cli.types import MAX_LINKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

PER_HOP = 0.5
NONE: frozenset[int] = frozenset()
Node = TypeVar("Node")


def spread(activations: Mapping[int, float], neighbours: Callable[[int], Iterable[int]]) -> dict[int, float]:
    """Return the activation that each note within two hops receives, given the activations of the sources.

    `neighbours` is called once for each note, and must return links in both directions.
    """
    network = _Network(activations, neighbours)
    amounts = ((note, network.received(note)) for note in network.reach())
    return {note: amount for note, amount in amounts if amount}


class Activation:
    """The activations that `spread` returns, computed on demand."""

    def __init__(self, activations: Mapping[int, float], neighbours: Callable[[int], Iterable[int]]) -> None:
        self._network = _Network(activations, neighbours)
        self._received: dict[int, float] = {}

    def get(self, note: int) -> float:
        """Return the activation that a note receives from the others, 0..1."""
        amount = self._received.get(note)
        if amount is None:
            amount = self._received[note] = self._network.received(note)
        return amount


class _Network:
    """The links around the sources, followed from the receiving end.

    Therefore a sum can stop at its cap, which bounds the work in densely linked vaults.
    """

    def __init__(self, activations: Mapping[int, float], neighbours: Callable[[int], Iterable[int]]) -> None:
        self._activations = activations
        self.links = _Memoized(lambda note: _others(note, frozenset(neighbours(note))))
        self.sent = _Memoized(self._sends)
        self.senders = _Memoized(
            lambda note: frozenset(filter(self.sent.__getitem__, activations.keys() & self.links[note]))
        )
        self.relayed = _Memoized(lambda note: self.senders[note] if self._relays(note) else NONE)

    def reach(self) -> set[int]:
        """Return the notes within two hops of a source."""
        near = set().union(*(self.links[note] for note in self._activations if self._relays(note)))
        return near.union(*(self.links[relay] for relay in near if self.relayed[relay]))

    def received(self, note: int) -> float:
        near = self.senders[note]
        total = from_near = PER_HOP * self._sent(near)
        counted = {note, *near}
        for relay in self.links[note]:
            if total >= 1.0:
                return 1.0
            if farther := self.relayed[relay] - counted:
                total += PER_HOP**2 * self._sent(farther)
                counted |= farther
        # Sum again with fsum, so that the result does not depend on the order in which relays were visited.
        return min(1.0, from_near + PER_HOP**2 * self._sent(counted.difference(near, (note,))))

    def _sent(self, sources: Iterable[int]) -> float:
        return fsum(map(self.sent.__getitem__, sources))

    def _sends(self, note: int) -> float:
        """Return the activation that a note sends: 0 unless it is a source, and 0 with too many links."""
        amount = self._activations.get(note)
        return 0.0 if amount is None or not self._relays(note) else unit(amount)

    def _relays(self, note: int) -> bool:
        return len(self.links[note]) <= MAX_LINKS


def _others(note: int, notes: frozenset[int]) -> frozenset[int]:
    return notes - {note} if note in notes else notes


class _Memoized(dict[int, Node]):
    """A dictionary that computes a missing value by a function of its key."""

    def __init__(self, function: Callable[[int], Node]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, note: int) -> Node:
        self[note] = self._function(note)
        return self[note]
