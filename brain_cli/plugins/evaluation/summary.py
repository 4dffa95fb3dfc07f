"""Summarize one scorer's outcomes, compare them with the first scorer's, and write them as a table or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from brain_cli.plugins.evaluation.judged import Grades
from brain_cli.plugins.evaluation.measures import (
    RECENCY_CATEGORY,
    Difference,
    Estimate,
    Values,
    difference,
    estimate,
    newest_on_top,
    percentile,
    values,
)
from brain_cli.plugins.evaluation.trial import CLAIMS, TrialOutcome
from brain_cli.types import Strategy

NEWEST = "newest in top 3"
BINS = 5
MIN_P = 0.001


class Answers(NamedTuple):
    """The number of questions that a strategy answered, and for how many of them the answer was right."""

    shown: int
    right: int


class Latency(NamedTuple):
    """Milliseconds from question to answer in a running process."""

    p50: float
    p95: float


class OffTopic(NamedTuple):
    """Questions on subjects that are not in the vault: their number, how many got a confident answer, and the share."""

    asked: int
    answered: int
    strategies: Mapping[str, int]
    share: float


class Bin(NamedTuple):
    """The answers whose certainty is from `low` up to 0.2 more: how many, the mean, and the share that is right."""

    low: float
    answers: int
    said: float
    right: float


class Summary(NamedTuple):
    """One scorer's numbers. `differences` compares with the first scorer, and is empty for it.

    `reliability` has the bins of certainty that have an answer; none if the formula's ranking is not calibrated.
    """

    scorer: str
    measures: Mapping[str, Estimate]
    differences: Mapping[str, Difference]
    strategies: Mapping[str, Answers]
    latency_ms: Latency
    off_topic: OffTopic | None
    reliability: tuple[Bin, ...] = ()


def measured(outcomes: Sequence[TrialOutcome], grades: Grades) -> Values:
    """Measure every outcome, and the rank of the newest note for questions that ask for it."""
    found = values({outcome.question.qid: outcome.ranking for outcome in outcomes}, grades)
    newest = {
        outcome.question.qid: float(newest_on_top(outcome.ranking, grades[outcome.question.qid]))
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
    found = measured(outcomes, grades)
    elapsed = [outcome.elapsed_ms for outcome in outcomes]
    return Summary(
        scorer=scorer,
        measures={name: estimate(list(each.values())) for name, each in found.items()},
        differences=_differences(found, baseline) if baseline else {},
        strategies={strategy.value: _answers(strategy, outcomes, grades) for strategy in Strategy},
        latency_ms=Latency(percentile(elapsed, 0.50), percentile(elapsed, 0.95)),
        off_topic=_off_topic(off_topic) if off_topic else None,
        reliability=tuple(_reliability([*outcomes, *off_topic], grades)),
    )


def _differences(found: Values, baseline: Values) -> dict[str, Difference]:
    """Compare the scorers question by question; both answered the same questions."""
    return {
        name: difference([each[qid] for qid in each], [baseline[name][qid] for qid in each])
        for name, each in found.items()
    }


def _answers(strategy: Strategy, outcomes: Sequence[TrialOutcome], grades: Grades) -> Answers:
    chosen = [outcome for outcome in outcomes if outcome.strategy is strategy]
    return Answers(len(chosen), sum(outcome.right(grades) for outcome in chosen))


def _reliability(outcomes: Sequence[TrialOutcome], grades: Grades) -> Iterator[Bin]:
    certain = [(each.certainty.probability, each.first_is_right(grades)) for each in outcomes if each.certainty]
    for number in range(BINS):
        inside = [(said, right) for said, right in certain if min(BINS - 1, int(said * BINS)) == number]
        if inside:
            said, right = (sum(column) / len(inside) for column in zip(*inside, strict=True))
            yield Bin(number / BINS, len(inside), said, right)


def _off_topic(outcomes: Sequence[TrialOutcome]) -> OffTopic:
    strategies = {each.value: sum(outcome.strategy is each for outcome in outcomes) for each in Strategy}
    answered = sum(outcome.strategy in CLAIMS for outcome in outcomes)
    return OffTopic(len(outcomes), answered, strategies, answered / max(1, len(outcomes)))


def as_document(each: Summary) -> dict[str, object]:
    """Return one scorer's numbers as a JSON object."""
    return {
        "scorer": each.scorer,
        "measures": {name: _number(name, each) for name in each.measures},
        "strategies": {name: answers._asdict() for name, answers in each.strategies.items()},
        "latency_ms": each.latency_ms._asdict(),
        "off_topic": each.off_topic._asdict() if each.off_topic else None,
        "reliability": [found._asdict() for found in each.reliability],
    }


def _number(name: str, each: Summary) -> dict[str, object]:
    difference = each.differences.get(name)
    return {**each.measures[name]._asdict(), "difference": difference._asdict() if difference else None}


def table(summaries: Sequence[Summary], floor: Summary) -> str:
    """Return the table, one row for each number; differences are to the first column. The floor is the last one."""
    return markdown([("", *(each.scorer for each in summaries), floor.scorer), *_rows(summaries, floor)])


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a table whose first row is the head; its columns stand straight as plain text, too."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [rows[0], ["-" * width for width in widths], *rows[1:]]
    aligned = ([cell.ljust(width) for cell, width in zip(cells, widths, strict=True)] for cells in lines)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in aligned)


def _rows(summaries: Sequence[Summary], floor: Summary) -> Iterator[tuple[str, ...]]:
    first = summaries[0]
    for name in first.measures:
        yield name, *(_measure(each, name) for each in (*summaries, floor))
    for name in first.strategies:
        yield f"{name}, of these right", *(_answers_cell(each.strategies[name], each) for each in summaries), ""
    for low in sorted({found.low for each in summaries for found in each.reliability}):
        yield f"certainty from {low:.1f}: mean, right", *(_reliability_cell(each, low) for each in summaries), ""
    latencies = (f"{each.latency_ms.p50:.1f} / {each.latency_ms.p95:.1f}" for each in summaries)
    yield "latency p50 / p95, ms", *latencies, ""
    if first.off_topic:
        yield "off-topic, yet answered", *(_off_topic_cell(each) for each in summaries), ""


def _reliability_cell(each: Summary, low: float) -> str:
    found = next((found for found in each.reliability if found.low == low), None)
    return f"{found.said:.2f}, {found.right:.2f} ({found.answers})" if found else ""


def _measure(each: Summary, name: str) -> str:
    value, difference = each.measures[name], each.differences.get(name)
    text = f"{value.mean:.3f} ({value.low:.3f} to {value.high:.3f})"
    if not difference:
        return text
    return f"{text} {difference.mean:+.3f} {f'p<{MIN_P}' if difference.p < MIN_P else f'p={difference.p:.3f}'}"


def _answers_cell(answers: Answers, each: Summary) -> str:
    asked = sum(other.shown for other in each.strategies.values())
    text = f"{_percent(answers.shown, asked)} ({answers.shown})"
    return f"{text}, {_percent(answers.right, answers.shown)}" if answers.shown else text


def _off_topic_cell(each: Summary) -> str:
    assert each.off_topic is not None
    return f"{_percent(each.off_topic.answered, each.off_topic.asked)} of {each.off_topic.asked}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"
