"""Minimum values that an evaluation must reach, such as `ndcg=.50` or `strong-right=.85`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from brain_cli.errors import UsageError, did_you_mean
from brain_cli.plugins.evaluation.summary import NEWEST, Summary
from brain_cli.types import Strategy


class Limit(NamedTuple):
    """The minimum (0..1) of a number of an evaluation."""

    name: str
    minimum: float


def _mean_of(measure: str) -> Callable[[Summary], float | None]:
    return lambda summary: summary.measures[measure].mean if measure in summary.measures else None


def _strong_right(summary: Summary) -> float | None:
    """Return the share of single strong matches that were right; None if there were none."""
    strong = summary.strategies[Strategy.SINGLE_STRONG]
    return strong.right / strong.shown if strong.shown else None


def _strong_shown(summary: Summary) -> float:
    asked = sum(answers.shown for answers in summary.strategies.values())
    return summary.strategies[Strategy.SINGLE_STRONG].shown / max(1, asked)


# The numbers that may have a limit: name → function that returns it, or None if the evaluation has no such number.
NUMBERS: Mapping[str, Callable[[Summary], float | None]] = {
    "ndcg": _mean_of("nDCG@10"),
    "recall": _mean_of("Recall@5"),
    "mrr": _mean_of("MRR@10"),
    "newest": _mean_of(NEWEST),
    "strong-right": _strong_right,
    "strong-shown": _strong_shown,
}


def read_limit(text: str) -> Limit:
    """Read `name=number`; UsageError for any other text."""
    name, _, number = text.partition("=")
    if name not in NUMBERS:
        raise UsageError(f"There is no measure “{name:.59}” to set a least value for.", did_you_mean(name, NUMBERS))
    try:
        minimum = float(number)
    except ValueError:
        minimum = -1.0
    if not 0.0 <= minimum <= 1.0:
        raise UsageError(f"{name} must be at least a number from 0 to 1, not {number!r:.60}.", f"Write {name}=.50.")
    return Limit(name, minimum)


def failures(summaries: Iterable[Summary], limits: Iterable[Limit]) -> Iterator[str]:
    """Yield one sentence for each number that is missing or does not reach its limit."""
    chosen = tuple(limits)
    for summary in summaries:
        for limit in chosen:
            number = NUMBERS[limit.name](summary)
            if number is None:
                yield f"{summary.scorer}: there is no {limit.name} to compare with {limit.minimum:g}."
            elif number < limit.minimum:
                yield f"{summary.scorer}: {limit.name} is {number:.3f}, less than {limit.minimum:g}."
