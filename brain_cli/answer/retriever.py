"""The protocol of a plugin that finds more notes for a query than its words do, such as those of
related meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.certainty import CertaintyModel
from brain_cli.search.bm25 import ScoredTerm
from brain_cli.search.relevance import Matches
from brain_cli.vault.analyzer import Word


class Retrieved(Protocol):
    """The notes that a retriever found for one query."""

    def joined(self, matches: Matches) -> Matches:
        """Return the matches with further candidates and their evidence added."""

    def certainty_model(self, note_id: int) -> CertaintyModel | None:
        """Return the model of certainty if this note is first; None: the usual one."""

    def nearness(self, note_id: int) -> Mapping[str, float]:
        """Return the features of certainty (ranking/certainty.py) that tell how near a note is to
        the query.
        """

    def reread(
        self,
        relevances: Mapping[int, float],
        note_ids: Sequence[int],
        terms: Sequence[ScoredTerm],
    ) -> dict[int, float]:
        """Return the relevances with those of the best notes changed after a closer reading."""

    def lines(self, note_id: int) -> Mapping[int, float]:
        """Return the nearness (0..1) of the pieces of a note nearest to the query, by the line
        where each begins.
        """


class VectorsToKeep(NamedTuple):
    """The vectors that a model gave the notes of a vault, for a plugin that keeps these notes
    elsewhere too.

    `stamp` returns a value that changes whenever the vectors do. `read` yields the ids of those of
    some notes that have vectors, the codes of their parts, and the vectors of their passages. A
    code is a string of bits, of which few differ from those of a question that is near in meaning.
    """

    model: str
    stamp: Callable[[], object]
    read: Callable[[Iterable[int]], Iterator[tuple[int, Sequence[str], bytes]]]


class AskedVector(NamedTuple):
    """The code of a question, and the model that gave it."""

    model: str
    code: str


# Returns what was found for a query's text and words in a snapshot, beside what its words match;
# None if the retriever does not help with it.
Retriever = Callable[[str, Sequence[Word], Snapshot, Matches], Retrieved | None]
