"""Fit constants to the judged questions of one vault: train on one half, and test on the other.

The certainty is fitted again, starting from the constants in use; the weights of `blend` are tried in turn, at half,
full and double their values. The gain is measured only on the held-out half, with a 95 % interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import NamedTuple
from zlib import crc32

from brain_cli.answer.results import Recall
from brain_cli.plugins.evaluation.intervals import Estimate, estimate, mean
from brain_cli.plugins.evaluation.logistic import Sample, fit, log_loss
from brain_cli.ranking.certainty import CertaintyModel
from brain_cli.ranking.scorers.blend import Blend
from brain_cli.types import Signals

MIN_QUESTIONS = 20
# The ridge penalty, which pulls a fit to few answers towards the current constants.
RIDGE = 5.0
WEIGHTS = ("strength", "spreading", "context", "salience", "confidence", "quality")
FACTORS = (0.5, 2.0)
# The weights sum to less than 1, so that relevance stays ahead.
MAX_WEIGHT = 0.99


class Judgement(NamedTuple):
    """One answer: the signals of its candidates by path, the right paths, and the features of its certainty."""

    qid: str
    candidates: Mapping[str, Signals]
    right: frozenset[str]
    features: tuple[float, ...] | None
    first_right: bool

    @property
    def held_out(self) -> bool:
        """Return whether the answer is held out to measure the gain; a hash of the id chooses half of them."""
        return bool(crc32(self.qid.encode("utf-8", "surrogateescape")) & 1)


class Tuned(NamedTuple):
    """The fitted constants that differ from the current ones, and the gain on the held-out half."""

    constants: Mapping[str, float]
    gain: Estimate


def judgement(qid: str, recall: Recall, right: Iterable[str]) -> Judgement:
    """Return the training data in one answer."""
    chosen, certainty = frozenset(right), recall.certainty
    return Judgement(
        qid=qid,
        candidates={ranked.metadata.path: ranked.candidate.signals for ranked in recall.results},
        right=chosen,
        features=tuple(part.value for part in certainty.parts[1:]) if certainty and not certainty.rule else None,
        first_right=bool(recall.results) and recall.results[0].metadata.path in chosen,
    )


def tuned_certainty(judgements: Sequence[Judgement], model: CertaintyModel) -> Tuned:
    """Fit the certainty; the gain is in log loss, the mean -ln of the probability of the actual outcome."""
    start = [float(getattr(model, each.name)) for each in fields(model)]
    learned = fit(_samples(judgements, held_out=False), start, RIDGE)
    held_out = _samples(judgements, held_out=True)
    gains = [log_loss(start, sample) - log_loss(learned, sample) for sample in held_out]
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
    training = [each for each in judgements if not each.held_out]
    held_out = [each for each in judgements if each.held_out]
    best, reached = blend, _mean_rank(training, blend)
    for name in WEIGHTS:
        for changed in (replace(best, **{name: getattr(best, name) * factor}) for factor in FACTORS):
            if sum(getattr(changed, each) for each in WEIGHTS) > MAX_WEIGHT:
                continue
            value = _mean_rank(training, changed)
            if value > reached:
                best, reached = changed, value
    gains = [reciprocal_rank(each, best) - reciprocal_rank(each, blend) for each in held_out]
    constants = {name: getattr(best, name) for name in WEIGHTS if getattr(best, name) != getattr(blend, name)}
    return Tuned(constants, estimate(gains))


def _mean_rank(judgements: Sequence[Judgement], blend: Blend) -> float:
    return mean([reciprocal_rank(each, blend) for each in judgements])


def reciprocal_rank(judged: Judgement, blend: Blend) -> float:
    """Return 1 / rank of the first right note, 0 if there is none."""
    totals = {path: blend.score(signals).total for path, signals in judged.candidates.items()}
    order = sorted(totals, key=lambda path: (-totals[path], path))
    return next((1 / rank for rank, path in enumerate(order, start=1) if path in judged.right), 0.0)
