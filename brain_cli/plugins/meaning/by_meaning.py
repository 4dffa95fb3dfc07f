"""Combine the notes that a question finds by meaning with those that it finds by words.

    evidence' = evidence + weight * max(0, deviation - outstanding)
    outstanding = max(1.5, log10(notes) / 2)

`deviation` is the cosine of a note's best passage, in standard deviations above the mean of all
notes. Scaling it for each question makes models comparable, and lets meaning decide when words give
little evidence for any note. The more notes there are, the more of them stand out by chance.

If no note is a strong match then, the best ten are read more closely (late interaction):

    evidence'' = evidence' + weight * closeness

`closeness` is the mean over the question's tokens of the largest cosine with a token of the note's
three nearest passages, weighted by idf. A word that does not rank counts as an idf of .5.

The certainty of such an answer is the sum of ranking/certainty.py with other features. It leaves
out `name_match` and `anchor_share`. Instead it has

section_coverage  0..1, the share of the query's words, by idf, that the first note's best section
                  has
name_coverage     0..1, the share of the first note's name that the query has
nearness          the cosine of the question with the nearest passage of the first note
near_lead         -1..1, the first note's lead over all other notes in nearness, in standard
                  deviations

All weights are those of one model, because with a model the first note may have fewer words of the
question. `tools/fit_certainty.py --model NAME` fits them; the table is part of the
model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nlargest
from math import log10
from operator import mul
from typing import TYPE_CHECKING, Any, ClassVar

from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.meaning.embedder import Embedder, Question
from brain_cli.plugins.meaning.settings import ModelError
from brain_cli.plugins.meaning.token_codes import closest
from brain_cli.plugins.meaning.vectors import NEAR, USUAL_NOTES, Deviations
from brain_cli.ranking import Certainty
from brain_cli.ranking.certainty import CertaintyModel, Features
from brain_cli.ranking.scorers import coefficient
from brain_cli.search.bm25 import LEXICAL, ScoredTerm
from brain_cli.search.relevance import Matches
from brain_cli.streams import say
from brain_cli.vault.analyzer import fold

if TYPE_CHECKING:
    from brain_cli.plugins.meaning.embedding import EmbeddedPassage

# The maximum gain: as much as the words of a title give.
MAX_EVIDENCE = 3.0
LEAST_OUTSTANDING = 1.5
# The number of nearest notes among which the nearest other note is sought.
MAX_NEAREST = 12
# The notes that are read more closely, and the passages of each.
NOTES_READ = 10
PASSAGES_READ = 3
OTHER_WORD_IDF = 0.5
# A sentence whose closeness is so much below that of the note's closest one is not near.
SPREAD = 0.15


class CertaintyByMeaning(CertaintyModel):
    """The table of constants of one model."""

    name: ClassVar[str] = "certainty by meaning"
    name_match: float = coefficient(0.0)
    passage_coverage: float = coefficient(0.0)
    anchor_share: float = coefficient(0.0)
    section_coverage: float = coefficient(0.0)
    name_coverage: float = coefficient(0.0)
    nearness: float = coefficient(0.0)
    near_lead: float = coefficient(0.0)
    is_near: bool = True

    def certainty(self, features: Features) -> Certainty:
        """Return the probability that the first candidate is right, and whether it is
        near at all.
        """
        return super().certainty(features)._replace(is_near=self.is_near)

    def limit(self, features: Features) -> str:
        """Return the rule that limits the certainty of the first note; an index may be certain."""
        return CertaintyModel.limit(self, features._replace(form=""))


class ByMeaning:
    """The notes and passages of a snapshot that one question found by meaning: `found` tells how
    near they are.
    """

    def __init__(
        self, embedder: Embedder, question: Question, found: Deviations, snapshot: Snapshot
    ) -> None:
        self._embedder = embedder
        self._fusion = embedder.fusion
        self._question = question
        self._found = found
        self._snapshot = snapshot
        # The closeness of the sentences that were read of each note, by line.
        self._sentences: dict[int, dict[int, float]] = {}

    def joined(self, matches: Matches) -> Matches:
        """Return the matches with the notes added that stand out by meaning."""
        relevances = dict(matches.relevances)
        notes = max(1, self._snapshot.note_table.notes)
        outstanding = max(LEAST_OUTSTANDING, log10(notes) / 2)
        for note_id, deviation in self._found.notes.items():
            if deviation <= outstanding:
                continue
            gain = min(MAX_EVIDENCE, self._fusion.weight * (deviation - outstanding))
            relevance = relevances.get(note_id, 0.0)
            evidence = LEXICAL.evidence_of(relevance) + gain
            relevances[note_id] = max(relevance, LEXICAL.relevance(evidence))
        return matches._replace(relevances=relevances)

    def certainty_model(self, note_id: int) -> CertaintyByMeaning | None:
        """Return the constants of certainty for this model; None if the note is not embedded."""
        constants: Mapping[str, Any] = self._fusion.certainty
        if not constants or note_id not in self._found.notes:
            return None
        return CertaintyByMeaning(
            **constants,
            is_near=self._is_near(note_id),
            strong_from=self._fusion.strong_from,
        )

    def _is_near(self, note_id: int) -> bool:
        """Return whether a note is about the question; among few notes, one that stands out is."""
        deviations = self._found.notes
        is_outstanding = len(deviations) < USUAL_NOTES and deviations[note_id] >= NEAR
        return is_outstanding or self._found.cosine(note_id) >= self._fusion.about_from

    def nearness(self, note_id: int) -> Mapping[str, float]:
        """Return how near a note is, and its lead over all others (the head of this file).

        Copies of the note and archived notes are not compared.
        """
        deviations = self._found.notes
        note_table = self._snapshot.note_table
        content = note_table.column("content_hash")
        archived = note_table.column("archived")
        nearest = nlargest(MAX_NEAREST, deviations, key=deviations.__getitem__)
        others = (
            each for each in nearest if content[each] != content[note_id] and not archived[each]
        )
        lead = deviations[note_id] - max((deviations[each] for each in others), default=0.0)
        return {"nearness": self._found.cosine(note_id), "near_lead": max(-1.0, min(1.0, lead))}

    def reread(
        self,
        relevances: Mapping[int, float],
        note_ids: Sequence[int],
        terms: Sequence[ScoredTerm],
    ) -> dict[int, float]:
        """Return the relevances with those of the best of some notes changed by their closeness to
        the question.

        The closest note gets the largest of these relevances, and none falls below the smallest of
        them, so that all other notes keep their places.
        """
        if self._embedder.rerank:
            return self._reranked(relevances, note_ids[:NOTES_READ])
        weights = token_weights(self._question.words, terms)
        weight = self._fusion.closeness
        # A model of a server gives no tokens.
        read = {
            each: found
            for each in note_ids[:NOTES_READ]
            if weights and (found := self._closeness(each, weights))
        }
        if len(read) < 2 or not weight:
            return dict(relevances)
        evidence = {each: LEXICAL.evidence_of(relevances[each]) for each in read}
        summed = {each: evidence[each] + weight * closeness for each, closeness in read.items()}
        shift = max(evidence.values()) - max(summed.values())
        smallest = min(evidence.values())
        return {
            **relevances,
            **{
                each: LEXICAL.relevance(max(smallest, total + shift))
                for each, total in summed.items()
            },
        }

    def _reranked(
        self, relevances: Mapping[int, float], note_ids: Sequence[int]
    ) -> dict[int, float]:
        """Return the relevances with those of some notes exchanged, in the order of a model that
        reads their nearest passages with the question.
        """
        texts = [
            "\n".join(" ".join(passage.parts) for passage in self._passages(each))
            for each in note_ids
        ]
        try:
            scores = self._embedder.scores(self._question.text, texts)
        except ModelError as error:
            say(f"The best notes are not read once more: {error}.")
            return dict(relevances)
        score_of = dict(zip(note_ids, scores, strict=True))
        best_first = sorted(note_ids, key=score_of.__getitem__, reverse=True)
        highest = sorted((relevances[each] for each in note_ids), reverse=True)
        return {**relevances, **dict(zip(best_first, highest, strict=True))}

    def _passages(self, note_id: int) -> list[EmbeddedPassage]:
        """Return a note's nearest passages."""
        # Imported here, because most questions read no passage.
        from brain_cli.plugins.meaning import embedding

        nearest = self._found.nearest(note_id, PASSAGES_READ)
        positions = [embedding.Position(*self._found.matrix.position(each)) for each in nearest]
        return embedding.passages_at(self._snapshot, note_id, positions)

    def _closeness(self, note_id: int, weights: Sequence[float]) -> float:
        """Return how close a note is to the question, 0 if it is not embedded; keep the closeness
        of each sentence.
        """
        lines = self._sentences.setdefault(note_id, {})
        largest = [0.0] * len(weights)
        for record in self._records(note_id):
            # The title and the heading above the sentences say what these are about.
            context, *sentences = closest(self._question, record)
            largest = [*map(max, largest, context.cosines)]
            for each in sentences:
                largest = [*map(max, largest, each.cosines)]
                closeness = mean_by_weight([*map(max, context.cosines, each.cosines)], weights)
                lines[each.line] = max(closeness, lines.get(each.line, -1.0))
        return mean_by_weight(largest, weights)

    def _records(self, note_id: int) -> list[bytes]:
        """Return the tokens of a note's nearest passages; a shared memory keeps none, so the model
        reads them there.
        """
        matrix = self._found.matrix
        nearest = self._found.nearest(note_id, PASSAGES_READ)
        records = [*map(matrix.tokens, nearest)]
        if all(records):
            return records
        from brain_cli.plugins.meaning.embedding import embedded

        return [record for _, record in embedded(self._passages(note_id), self._embedder)]

    def lines(self, note_id: int) -> Mapping[int, float]:
        """Return the nearness (0..1) of the pieces of a note nearest to the question, by the line
        where each begins.

        Of a note that was not read closely, it is the line of the nearest passage.
        """
        known = self._sentences.get(note_id)
        if not known:
            return {
                self._found.matrix.position(each)[0]: 1.0
                for each in self._found.nearest(note_id)
            }
        best = max(known.values())
        return {
            line: 1 - (best - each) / SPREAD
            for line, each in known.items()
            if best - each < SPREAD
        }


def token_weights(words: Sequence[str], terms: Sequence[ScoredTerm]) -> list[float]:
    """Return the weight of each token of a question: the idf of the word that it is part of."""
    idf = {each.word.text: each.idf for each in terms}
    return [idf.get(fold(word).casefold(), OTHER_WORD_IDF) for word in words]


def mean_by_weight(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted mean of some values, 0 without any."""
    total: float = sum(map(mul, values, weights))
    return total / (sum(weights) or 1.0)
