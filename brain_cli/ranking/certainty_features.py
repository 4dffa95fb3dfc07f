"""Compute the features of certainty from ranked candidates: how the first note differs from the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log, log1p

from brain_cli.ranking.candidate import Candidate
from brain_cli.ranking.certainty import Features
from brain_cli.search.calibration import LEXICAL
from brain_cli.search.coverage import QueryCoverage
from brain_cli.search.mentions import Mentions
from brain_cli.search.relevance import Matches
from brain_cli.types import Evidence

# Returns the nearness of a note to the question, and its lead over all others (certainty_by_meaning.py).
Nearness = Callable[[int], tuple[float, float]]
# Added to both matches, so that the lead over a match of 0 is finite.
MIN_MATCH = 0.02
# Runners-up farther down do not change the lead.
MAX_COMPARED = 5
# The neutral value if no link has a word of the query.
NO_ANCHORS = 0.05
# A note with this share of the first note's evidence is close.
CLOSE = 0.9


def features(
    candidates: Sequence[Candidate],
    matches: Matches,
    coverage: QueryCoverage,
    mentions: Mentions,
    nearness: Nearness | None = None,
) -> Features:
    """Return the features of the first of some candidates, given best first; `mentions` are those in it."""
    first = candidates[0]
    near, near_lead = nearness(first.note_id) if nearness else (0.0, 0.0)
    words = coverage.words_in(first.note_id)
    evidence, anchor_share = matches.evidence(first.note_id), coverage.anchor_share(first.note_id)
    others = [matches.evidence(each.note_id) for each in _others(candidates)]
    return Features(
        lead=_lead(evidence, others),
        name_coverage=evidence.name_coverage,
        name_match=evidence.name_match,
        section_coverage=coverage.of_best_section(first.note_id),
        anchor_share=NO_ANCHORS if anchor_share is None else anchor_share,
        runners_up=log1p(_close_runners_up(first.signals.relevance, matches.relevances)),
        one_word=float(len(coverage.terms) == 1),
        lone_word=float(mentions.is_lone_word),
        in_code=mentions.code_share,
        coverage_lead=evidence.coverage - max((each.coverage for each in others), default=0.0),
        unknown=coverage.unknown_share,
        exact_name=evidence.exact_name and not any(each.exact_name for each in others),
        # A note that was found only by meaning has none of the words.
        only_marks=all(map(_is_mark, words)) and not (nearness and not words),
        another_number=mentions.has_another_number,
        form=first.metadata.form,
        nearness=near,
        near_lead=near_lead,
    )


def _others(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates after the first that do not repeat it and are not superseded."""
    first, *others = candidates[: 1 + MAX_COMPARED]
    return [each for each in others if each.content_hash != first.content_hash and not each.signals.superseded]


def _lead(first: Evidence, others: Sequence[Evidence]) -> float:
    """Return the log ratio of the first note's match to the best other one, clamped to -1..1."""
    best = max(map(_own_match, others), default=0.0)
    return max(-1.0, min(1.0, log((_own_match(first) + MIN_MATCH) / (best + MIN_MATCH))))


def _own_match(evidence: Evidence) -> float:
    """Return a note's match without the words in its links, which belong to the linked notes."""
    return evidence.match * (1 - evidence.only_in_links)


def _close_runners_up(relevance: float, relevances: Mapping[int, float]) -> int:
    """Return how many other notes are close to the first one."""
    close = LEXICAL.relevance(CLOSE * LEXICAL.evidence_of(relevance), 0.0)
    return max(0, sum(each >= close for each in relevances.values()) - 1)


def _is_mark(word: str) -> bool:
    """Return whether a word is a bare number, or a single letter of an alphabet."""
    return word.isdigit() or (len(word) == 1 and word.lower() != word.upper())
