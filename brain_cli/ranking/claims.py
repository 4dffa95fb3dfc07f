"""Attach a claim to each ranked candidate, if the formula's ranking is calibrated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.candidate import Candidate, Claim
from brain_cli.ranking.certainty import CertaintyModel
from brain_cli.ranking.certainty_features import Nearness, features
from brain_cli.search.coverage import QueryCoverage
from brain_cli.search.mentions import Mentions
from brain_cli.search.relevance import Matches


def with_claims(
    candidates: Sequence[Candidate],
    matches: Matches,
    snapshot: Snapshot,
    model: CertaintyModel,
    nearness: Nearness | None = None,
) -> Iterator[Candidate]:
    """Yield the candidates, best first, with their claims. A query without words allows no claim."""
    if not matches.terms:
        yield from candidates
        return
    if not candidates:
        return
    coverage, first = QueryCoverage(snapshot, matches.terms), candidates[0].note_id
    mentions = Mentions(snapshot, first, matches.terms, is_question=matches.is_question)
    # A note that mentions the word in passing does not answer, so such notes are listed for the user to choose.
    first_coverage = 0.0 if mentions.is_lone_word else coverage.of_best_section(first)
    for index, candidate in enumerate(candidates):
        certainty = model.certainty(features(candidates, matches, coverage, mentions, nearness)) if index == 0 else None
        # If the first note is not related, no note is: lower notes with the words only mention them.
        covered = min(first_coverage, coverage.of_best_section(candidate.note_id))
        yield candidate._replace(claim=Claim(covered, certainty))
