"""Match a query of mostly unknown words by its known words.

An unknown word keeps its full idf, so in a vault where every note has the known words (all about Kafka, say) it would
reduce every relevance to almost zero, and “kafka quotas” would find no note.
"""

from __future__ import annotations

from collections.abc import Sequence

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import look_up
from brain_cli.search.calibration import MINIMUM_RELEVANCE
from brain_cli.search.relevance import MAX_FUZZY, Matches, matches
from brain_cli.vault.analyzer import Word


def matches_of_known_words(snapshot: Snapshot, query: str, words: Sequence[Word]) -> Matches:
    """Return the matches of a query; if its unknown words leave none, the weak matches of its known words."""
    found = matches(snapshot, query, words)
    if max(found.relevances.values(), default=0.0) >= MINIMUM_RELEVANCE:
        return found
    known = [word for word in words if look_up(snapshot, word).scores.frequency]
    if not known or all(word in known for word in words if not word.optional):
        return found
    weak = matches(snapshot, "", known).relevances
    relevances = {note_id: max(MINIMUM_RELEVANCE, MAX_FUZZY * relevance) for note_id, relevance in weak.items()}
    return found._replace(relevances=relevances)
