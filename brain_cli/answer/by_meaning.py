"""Notes found by meaning join those found by words: a question → the matches of both, and the passages that answer it.

    evidence' = evidence + weight * max(0, deviation - outstanding)

`deviation` tells by how many standard deviations the cosine of a note's best passage lies above the mean of all notes.
A scale of its own for each question makes models comparable, and lets meaning lead where no word leads anywhere:
evidence by words alone is then low for all notes. Only sentences are asked by meaning: names are found by their words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING

from brain_cli.answer.note_passages import Position, passage_at
from brain_cli.index.snapshot import Snapshot
from brain_cli.meaning import Fusion
from brain_cli.ranking.certainty_by_meaning import CertaintyByMeaning, certainty_by_meaning
from brain_cli.search.calibration import LEXICAL
from brain_cli.search.relevance import Matches
from brain_cli.types import KeyPoint
from brain_cli.vault.analyzer import Word, written_words

if TYPE_CHECKING:
    from brain_cli.meaning.cosines import Deviations

CONTENT_WORDS = 4
# A sentence may have one content word less.
SENTENCE_CONTENT_WORDS, SENTENCE_WORDS = 3, 5
# However near a note is, the words of its title say as much.
MAX_EVIDENCE = 3.0
# The nearest notes, among which the nearest other one is looked for.
MAX_COMPARED = 12


# Embeds a question and compares it with the notes of a snapshot; returns the constants of the model as well. None
# where the model or the vectors cannot be used: it has said so.
Meaning = Callable[[str, Snapshot], "tuple[Fusion, Deviations] | None"]


def is_asked(query: str, words: Sequence[Word]) -> bool:
    """Return whether a query is a question that meaning helps with, and no name or keywords."""
    written = written_words(query)
    # The parts of a compound are words of the query too, but make no question of a name.
    content = min(written, sum(not word.optional for word in words))
    return content >= CONTENT_WORDS or (content >= SENTENCE_CONTENT_WORDS and written >= SENTENCE_WORDS)


class ByMeaning:
    """The notes and passages that one question found by meaning."""

    def __init__(self, fusion: Fusion, found: Deviations, snapshot: Snapshot) -> None:
        self._fusion = fusion
        self._found = found
        self._snapshot = snapshot

    def joined(self, matches: Matches) -> Matches:
        """Return the matches with the notes that stand out by meaning among them."""
        relevances = dict(matches.relevances)
        least = self._fusion.outstanding
        for note_id, deviation in [each for each in self._found.notes.items() if each[1] > least]:
            gain = min(MAX_EVIDENCE, self._fusion.weight * (deviation - least))
            relevance = relevances.get(note_id, 0.0)
            evidence = LEXICAL.evidence_of(relevance) + gain
            relevances[note_id] = max(relevance, LEXICAL.relevance(evidence, 0.0))
        return matches._replace(relevances=relevances)

    def certainty_model(self, note_id: int) -> CertaintyByMeaning | None:
        """Return the constants of certainty for this model; None where it does not know the note."""
        known = self._fusion.certainty and note_id in self._found.notes
        return certainty_by_meaning(self._fusion.certainty) if known else None

    def nearness(self, note_id: int) -> tuple[float, float]:
        """Return the cosine of a note's nearest passage, and by how many deviations, -1..1, it is ahead of all others.

        Copies of the note and archived notes are not compared with it.
        """
        deviations, note_table = self._found.notes, self._snapshot.note_table
        content, archived = note_table.column("content_hash"), note_table.column("archived")
        nearest = nlargest(MAX_COMPARED, deviations, key=deviations.__getitem__)
        others = (each for each in nearest if content[each] != content[note_id] and not archived[each])
        lead = deviations[note_id] - max((deviations[each] for each in others), default=0.0)
        return self._found.cosine(note_id), max(-1.0, min(1.0, lead))

    def passage(self, note_id: int) -> KeyPoint | None:
        """Return the passage of a note that is nearest to the question; None where it has none."""
        nearest = self._found.nearest(note_id)
        return passage_at(self._snapshot, note_id, Position(*nearest)) if nearest else None


def by_meaning(meaning: Meaning | None, query: str, words: Sequence[Word], snapshot: Snapshot) -> ByMeaning | None:
    """Ask by meaning; None where that is off, cannot be done, or would not help."""
    if meaning is None or not is_asked(query, words):
        return None
    answer = meaning(query, snapshot)
    return ByMeaning(*answer, snapshot) if answer else None
