"""Combine the notes that a question finds by meaning with those that it finds by words.

    evidence' = evidence + weight * max(0, deviation - outstanding)

`deviation` is the cosine of a note's best passage, in standard deviations above the mean of all notes. Scaling it for
each question makes models comparable, and lets meaning decide when words give little evidence for any note. Only
sentences are searched by meaning; names are found by their words.
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
# The maximum gain: as much as the words of a title give.
MAX_EVIDENCE = 3.0
# The number of nearest notes among which the nearest other note is sought.
MAX_COMPARED = 12


# Embeds a question and compares it with the notes of a snapshot; returns the constants of the model as well. Returns
# None if the model or the vectors cannot be used, after a warning.
Meaning = Callable[[str, Snapshot], "tuple[Fusion, Deviations] | None"]


def is_question(query: str, words: Sequence[Word]) -> bool:
    """Return whether a query is a question that meaning helps with, rather than a name or keywords."""
    length = written_words(query)
    # The parts of a compound count as words of the query, but do not make a name a question.
    content = min(length, sum(not word.optional for word in words))
    return content >= CONTENT_WORDS or (content >= SENTENCE_CONTENT_WORDS and length >= SENTENCE_WORDS)


class ByMeaning:
    """The notes and passages that one question found by meaning."""

    def __init__(self, fusion: Fusion, found: Deviations, snapshot: Snapshot) -> None:
        self._fusion = fusion
        self._found = found
        self._snapshot = snapshot

    def joined(self, matches: Matches) -> Matches:
        """Return the matches with the notes added that stand out by meaning."""
        relevances = dict(matches.relevances)
        threshold = self._fusion.outstanding
        for note_id, deviation in [each for each in self._found.notes.items() if each[1] > threshold]:
            gain = min(MAX_EVIDENCE, self._fusion.weight * (deviation - threshold))
            relevance = relevances.get(note_id, 0.0)
            evidence = LEXICAL.evidence_of(relevance) + gain
            relevances[note_id] = max(relevance, LEXICAL.relevance(evidence, 0.0))
        return matches._replace(relevances=relevances)

    def certainty_model(self, note_id: int) -> CertaintyByMeaning | None:
        """Return the constants of certainty for this model; None if the note is not embedded."""
        known = self._fusion.certainty and note_id in self._found.notes
        return certainty_by_meaning(self._fusion.certainty) if known else None

    def nearness(self, note_id: int) -> tuple[float, float]:
        """Return the cosine of a note's nearest passage, and its lead over all other notes in deviations, -1..1.

        Copies of the note and archived notes are not compared.
        """
        deviations, note_table = self._found.notes, self._snapshot.note_table
        content, archived = note_table.column("content_hash"), note_table.column("archived")
        nearest = nlargest(MAX_COMPARED, deviations, key=deviations.__getitem__)
        others = (each for each in nearest if content[each] != content[note_id] and not archived[each])
        lead = deviations[note_id] - max((deviations[each] for each in others), default=0.0)
        return self._found.cosine(note_id), max(-1.0, min(1.0, lead))

    def passage(self, note_id: int) -> KeyPoint | None:
        """Return the passage of a note that is nearest to the question; None if it has none."""
        nearest = self._found.nearest(note_id)
        return passage_at(self._snapshot, note_id, Position(*nearest)) if nearest else None


def by_meaning(meaning: Meaning | None, query: str, words: Sequence[Word], snapshot: Snapshot) -> ByMeaning | None:
    """Search by meaning; None if that is off, is impossible, or would not help."""
    if meaning is None or not is_question(query, words):
        return None
    answer = meaning(query, snapshot)
    return ByMeaning(*answer, snapshot) if answer else None
