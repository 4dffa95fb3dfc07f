"""Compute nDCG@10, Recall@5 and MRR@10 of each question's ranking, how uncertain their means are,
and a summary.

The measures are those of trec_eval (tests compare them):

nDCG@10    gains are the grades, discounted by log2(rank + 1), over the best possible order
Recall@5   share of the right notes that are among the first five
MRR@10     1 / rank of the first right note, 0 beyond the tenth

The uncertainty of a mean, and of a difference of means, is estimated by resampling, for any
distribution of values. Both draw from a seeded generator, so the same outcomes give the same
numbers.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import log2
from typing import Any, NamedTuple

from brain_cli.plugins.evaluation.trial import CLAIMS, Grades, TrialOutcome
from brain_cli.types import Strategy

NEWEST_RANKS = 3
NEWEST_GRADE = 2
RECENCY_CATEGORY = "recency-intent"
RESAMPLES = 1_000
FLIPS = 5_000
CONFIDENCE = 0.95
SEED = 20_240_607

# Measure → question id → value, 0..1.
Values = dict[str, dict[str, float]]
NEWEST = "newest in top 3"
MIN_P = 0.001


def values(rankings: Mapping[str, Sequence[str]], grades: Grades) -> Values:
    """Measure each question's ranking (paths, best first); an empty ranking has 0."""
    found: Values = {name: {} for name in MEASURES}
    for qid, paths in rankings.items():
        right = {path: grade for path, grade in grades[qid].items() if grade > 0}
        gains = [right.get(path, 0) for path in paths]
        for name, measure in MEASURES.items():
            found[name][qid] = measure(gains, right) if right else 0.0
    return found


def _ndcg_10(gains: Sequence[int], right: Mapping[str, int]) -> float:
    return _discounted(gains[:10]) / _discounted(sorted(right.values(), reverse=True)[:10])


def _recall_5(gains: Sequence[int], right: Mapping[str, int]) -> float:
    return sum(gain > 0 for gain in gains[:5]) / len(right)


def _mrr_10(gains: Sequence[int], right: Mapping[str, int]) -> float:
    return next((1 / rank for rank, gain in enumerate(gains[:10], 1) if gain), 0.0)


def _discounted(gains: Iterable[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


MEASURES = {"nDCG@10": _ndcg_10, "Recall@5": _recall_5, "MRR@10": _mrr_10}


def newest_on_top(ranking: Sequence[str], grades: Mapping[str, int]) -> bool:
    """Return whether the newest of the right notes (grade 2) is among the first three."""
    return any(grades.get(path, 0) >= NEWEST_GRADE for path in ranking[:NEWEST_RANKS])


class Difference(NamedTuple):
    """The difference between a mean and the baseline's, and the probability of so large a
    difference by chance.
    """

    mean: float
    p: float


class Measure(NamedTuple):
    """A mean over all questions with its 95 % confidence interval; `difference` compares it with
    the first scorer, and is None for that.
    """

    mean: float
    low: float
    high: float
    difference: Difference | None = None


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 if there are no values."""
    return sum(values) / len(values) if values else 0.0


def estimate(values: Sequence[float], baseline: Sequence[float] | None = None) -> Measure:
    """Estimate a mean by the percentile bootstrap (Efron 1979), quantiles of the means of
    resamples; the baseline has the same questions in the same order.
    """
    if not values:
        return Measure(0.0, 0.0, 0.0)
    draw = random.Random(SEED)
    means = [mean(draw.choices(values, k=len(values))) for _ in range(RESAMPLES)]
    tail = (1 - CONFIDENCE) / 2
    return Measure(
        mean(values),
        percentile(means, tail),
        percentile(means, 1 - tail),
        difference(values, baseline) if baseline else None,
    )


def difference(values: Sequence[float], baseline: Sequence[float]) -> Difference:
    """Compare pairs by Fisher's randomisation test: without a real difference, each sign is equally
    likely.
    """
    differences = [value - other for value, other in zip(values, baseline, strict=True)]
    moved = [each for each in differences if each]
    observed = abs(sum(moved))
    draw = random.Random(SEED)
    # The tolerance covers rounding errors of the same sum in another order.
    flipped = (
        map(float.__mul__, moved, draw.choices((1.0, -1.0), k=len(moved))) for _ in range(FLIPS)
    )
    as_extreme = sum(abs(sum(each)) >= observed - 1e-9 for each in flipped)
    return Difference(mean(differences), (as_extreme + 1) / (FLIPS + 1))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share (0..1) of the values lies, by linear
    interpolation.
    """
    ordered = sorted(values)
    if not ordered:
        return 0.0
    position = share * (len(ordered) - 1)
    below, *above = ordered[int(position) :][:2]
    return below + position % 1 * (above[0] - below) if above else below


class Answers(NamedTuple):
    """The number of questions that a strategy answered, and for how many of them the answer was
    right.
    """

    shown: int
    right: int


class Latency(NamedTuple):
    """Milliseconds from question to answer in a running process."""

    p50: float
    p95: float


class OffTopic(NamedTuple):
    """Questions on subjects that are not in the vault: their number, how many got a confident
    answer, and the share.
    """

    asked: int
    answered: int
    strategies: Mapping[str, int]
    share: float


class Summary(NamedTuple):
    """One scorer's numbers."""

    scorer: str
    measures: Mapping[str, Measure]
    strategies: Mapping[str, Answers]
    latency_ms: Latency
    off_topic: OffTopic | None


def measured(outcomes: Sequence[TrialOutcome], grades: Grades) -> Values:
    """Measure every outcome, and the rank of the newest note for questions that ask for it."""
    found = values({outcome.question.qid: outcome.ranking for outcome in outcomes}, grades)
    newest = {
        outcome.question.qid: float(
            newest_on_top(outcome.ranking, grades[outcome.question.qid])
        )
        for outcome in outcomes
        if outcome.question.category == RECENCY_CATEGORY
    }
    return {**found, NEWEST: newest} if newest else found


def summary(
    scorer: str,
    outcomes: Sequence[TrialOutcome],
    off_topic: Sequence[TrialOutcome],
    grades: Grades,
    baseline: Values | None,
) -> Summary:
    """Summarize one scorer's outcomes."""
    elapsed = [outcome.elapsed_ms for outcome in outcomes]
    return Summary(
        scorer=scorer,
        measures={
            name: estimate([*each.values()], [*baseline[name].values()] if baseline else None)
            for name, each in measured(outcomes, grades).items()
        },
        strategies={
            strategy.value: _answers(strategy, outcomes, grades) for strategy in Strategy
        },
        latency_ms=Latency(percentile(elapsed, 0.50), percentile(elapsed, 0.95)),
        off_topic=_off_topic(off_topic) if off_topic else None,
    )


def _answers(strategy: Strategy, outcomes: Sequence[TrialOutcome], grades: Grades) -> Answers:
    chosen = [outcome for outcome in outcomes if outcome.strategy is strategy]
    return Answers(len(chosen), sum(outcome.right(grades) for outcome in chosen))


def _off_topic(outcomes: Sequence[TrialOutcome]) -> OffTopic:
    strategies = {
        each.value: sum(outcome.strategy is each for outcome in outcomes) for each in Strategy
    }
    answered = sum(outcome.strategy in CLAIMS for outcome in outcomes)
    return OffTopic(len(outcomes), answered, strategies, answered / len(outcomes))


def as_document(value: Any) -> Any:
    """Return numbers as JSON has them: named tuples are objects."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: as_document(each) for name, each in value.items()}
    return [*map(as_document, value)] if isinstance(value, tuple) else value


def table(summaries: Sequence[Summary], floor: Summary) -> str:
    """Return the table, one row for each number; differences are to the first column. The floor is
    the last one.
    """
    return markdown([*_rows(summaries, floor)])


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a table whose first row is the head; its columns stand straight as plain text,
    too.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [rows[0], ["-" * width for width in widths], *rows[1:]]
    aligned = ([*map(str.ljust, cells, widths)] for cells in lines)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in aligned)


def _rows(summaries: Sequence[Summary], floor: Summary) -> Iterator[tuple[str, ...]]:
    def row(name: str, cell: Callable[[Summary], str]) -> tuple[str, ...]:
        return name, *map(cell, summaries), ""

    yield "", *(each.scorer for each in (*summaries, floor))
    first = summaries[0]
    for name in first.measures:
        yield name, *(_measure_cell(each.measures[name]) for each in (*summaries, floor))
    for name in first.strategies:
        yield row(f"{name}, of these right", partial(_answers_cell, name))
    yield row(
        "latency p50 / p95, ms",
        lambda each: f"{each.latency_ms.p50:.1f} / {each.latency_ms.p95:.1f}",
    )
    asked = [each.off_topic for each in summaries if each.off_topic]
    if asked:
        cells = (f"{_percent(each.answered, each.asked)} of {each.asked}" for each in asked)
        yield "off-topic, yet answered", *cells, ""


def _measure_cell(value: Measure) -> str:
    text = f"{value.mean:.3f} ({value.low:.3f} to {value.high:.3f})"
    if not value.difference:
        return text
    p = f"p<{MIN_P}" if value.difference.p < MIN_P else f"p={value.difference.p:.3f}"
    return f"{text} {value.difference.mean:+.3f} {p}"


def _answers_cell(name: str, each: Summary) -> str:
    answers = each.strategies[name]
    asked = sum(other.shown for other in each.strategies.values())
    text = f"{_percent(answers.shown, asked)} ({answers.shown})"
    return f"{text}, {_percent(answers.right, answers.shown)}" if answers.shown else text


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"
