"""Judged questions of one vault → constants that fit it better, learned from one half and tried on the other.

The certainty is fitted anew, near the constants in use; the weights of `blend` are tried one after another, at half,
full and double their values. What is gained is measured on the held-out half alone, with a 95 % interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import NamedTuple
from zlib import crc32

from brain_cli.answer.results import Recall
from brain_cli.evaluation.intervals import Estimate, estimate, mean
from brain_cli.evaluation.logistic import Sample, fit, log_loss
from brain_cli.ranking.certainty import CertaintyModel
from brain_cli.ranking.scorers.blend import Blend
from brain_cli.types import Signals

FEWEST_QUESTIONS = 20
# How strongly the constants in use hold back a fit to few answers.
RIDGE = 5.0
WEIGHTS = ("strength", "spreading", "context", "salience", "confidence", "quality")
FACTORS = (0.5, 2.0)
# The weights sum to less than 1, so that relevance stays ahead.
MOST_WEIGHT = 0.99


class Judgement(NamedTuple):
    """One answer: the signals of its candidates, by path, which are right, and what its certainty is made of."""

    qid: str
    candidates: Mapping[str, Signals]
    right: frozenset[str]
    features: tuple[float, ...] | None
    first_right: bool

    @property
    def held_out(self) -> bool:
        """Return whether the answer is kept back to measure the gain: every second one, whatever their order."""
        return bool(crc32(self.qid.encode("utf-8", "surrogateescape")) & 1)


class Tuned(NamedTuple):
    """Constants that were learned, those that differ from the ones in use, and the gain on the held-out half."""

    constants: Mapping[str, float]
    gain: Estimate


def judgement(qid: str, recall: Recall, right: Iterable[str]) -> Judgement:
    """Return what can be learned from one answer."""
    chosen, certainty = frozenset(right), recall.certainty
    return Judgement(
        qid=qid,
        candidates={ranked.metadata.path: ranked.candidate.signals for ranked in recall.results},
        right=chosen,
        features=tuple(part.value for part in certainty.parts[1:]) if certainty and not certainty.rule else None,
        first_right=bool(recall.results) and recall.results[0].metadata.path in chosen,
    )


def tuned_certainty(judgements: Sequence[Judgement], model: CertaintyModel) -> Tuned:
    """Fit the certainty; the gain is in log loss, the mean -ln of the probability given to what happened."""
    start = [float(getattr(model, each.name)) for each in fields(model)]
    learned = fit(_samples(judgements, held_out=False), start, RIDGE)
    tried = _samples(judgements, held_out=True)
    gains = [log_loss(start, sample) - log_loss(learned, sample) for sample in tried]
    constants = {each.name: round(value, 3) for each, value in zip(fields(model), learned, strict=True)}
    return Tuned(constants, estimate(gains))


def _samples(judgements: Sequence[Judgement], *, held_out: bool) -> list[Sample]:
    return [
        Sample(each.features, each.first_right)
        for each in judgements
        if each.features is not None and each.held_out is held_out
    ]


def tuned_weights(judgements: Sequence[Judgement], blend: Blend) -> Tuned:
    """Choose the weights of `blend`; the gain is in reciprocal rank, 1 for a right note that comes first."""
    learning = [each for each in judgements if not each.held_out]
    trying = [each for each in judgements if each.held_out]
    best, reached = blend, _mean_rank(learning, blend)
    for name in WEIGHTS:
        for changed in (replace(best, **{name: getattr(best, name) * factor}) for factor in FACTORS):
            if sum(getattr(changed, each) for each in WEIGHTS) > MOST_WEIGHT:
                continue
            value = _mean_rank(learning, changed)
            if value > reached:
                best, reached = changed, value
    gains = [reciprocal_rank(each, best) - reciprocal_rank(each, blend) for each in trying]
    constants = {name: getattr(best, name) for name in WEIGHTS if getattr(best, name) != getattr(blend, name)}
    return Tuned(constants, estimate(gains))


def _mean_rank(judgements: Sequence[Judgement], blend: Blend) -> float:
    return mean([reciprocal_rank(each, blend) for each in judgements])


def reciprocal_rank(judged: Judgement, blend: Blend) -> float:
    """Return 1 / rank of the first right note, 0 where there is none."""
    totals = {path: blend.score(signals).total for path, signals in judged.candidates.items()}
    order = sorted(totals, key=lambda path: (-totals[path], path))
    return next((1 / rank for rank, path in enumerate(order, start=1) if path in judged.right), 0.0)
