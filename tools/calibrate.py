"""Fit the steepness of relevance to judged sets, and say how well it tells related from off-topic.

    python tools/calibrate.py SET OTHER [MORE…]      each a folder as `brain eval` reads
    it

Related are the right notes of a set's own questions; off-topic the best three notes that each other
vault has for them. The curve is anchored where a word stands in the title (`self` 2.25 is relevance
.957); what is fitted, by maximum likelihood, is how steeply it falls from there. A wrong claim
counts six times a missed one. Every number is held out: the curve is fitted on the other sets. Copy
the pooled constants into `brain_cli/search/bm25.py`.
"""

from __future__ import annotations

import math
import sys
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from brain_cli.index.directory import index_directory_of
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import IndexedVault, refresh
from brain_cli.plugins.evaluation.measures import mean, percentile
from brain_cli.plugins.evaluation.trial import Judged, JudgedQuestion, judged
from brain_cli.ranking.scorers import load_scorer
from brain_cli.search.asked_time import recency_intent
from brain_cli.search.bm25 import LEXICAL, Calibration
from brain_cli.search.relevance import matches
from brain_cli.types import Signals
from brain_cli.vault.analyzer import query_words

TITLE_SELF, TITLE_RELEVANCE = 2.25, 0.957
OFF_TOPIC_WEIGHT = 6.0
BEST_OFF_TOPIC = 3
STEEPNESS_RANGE = (1.0, 10.0)
ANSWERED = 0.4  # the share above which a match is presented as related


class Set(NamedTuple):
    """One judged set, opened."""

    name: str
    snapshot: Snapshot
    judged: Judged


class First(NamedTuple):
    """Evidence of a first answer, and of the one after it."""

    best: float
    next: float


class Samples(NamedTuple):
    """Evidence of right notes and of off-topic ones; of first answers that were right, wrong, and
    off-topic.
    """

    related: list[float]
    off_topic: list[float]
    first_right: list[First]
    first_wrong: list[First]
    first_off_topic: list[float]


def opened(folder: str, cache: str) -> Set:
    vault = str(Path(folder, "vault"))
    index_directory = index_directory_of(vault, cache)
    refresh(
        IndexedVault(vault, ("archive", "_archived")),
        index_directory,
        warn=lambda *_: None,
        progress=lambda *_: None,
    )
    return Set(Path(folder).name, open_snapshot(index_directory), judged(folder))


def evidence(snapshot: Snapshot, question: JudgedQuestion) -> list[tuple[float, str]]:
    """Return (evidence, path) of every note that has a word of a question, best first."""
    topic = recency_intent(question.text).topic
    words = query_words(topic, snapshot.note_table.languages)
    found = matches(snapshot, words).relevances
    return sorted(
        (
            (LEXICAL.evidence_of(value), snapshot.note_table.rows[each].path)
            for each, value in found.items()
        ),
        reverse=True,
    )


def samples(one: Set, others: Sequence[Set]) -> Samples:
    """Ask a set's questions of its own vault and of the others."""
    gathered = Samples([], [], [], [], [])
    for question in one.judged.questions:
        grades = one.judged.grades[question.qid]
        own = evidence(one.snapshot, question)
        gathered.related.extend(value for value, path in own if grades.get(path, 0) > 0)
        if own:
            first = First(own[0][0], own[1][0] if len(own) > 1 else 0.0)
            (
                gathered.first_right if grades.get(own[0][1], 0) > 0 else gathered.first_wrong
            ).append(first)
        for other in others:
            best = [value for value, _ in evidence(other.snapshot, question)[:BEST_OFF_TOPIC]]
            gathered.off_topic.extend(best)
            gathered.first_off_topic.extend(best[:1])
    return gathered


def curve(steepness: float) -> Calibration:
    """Return the calibration of that steepness that goes through the anchor."""
    anchor = TITLE_RELEVANCE / (1 - TITLE_RELEVANCE)
    return LEXICAL._replace(steepness=steepness, odds_at_one=anchor / TITLE_SELF**steepness)


def relevance(calibration: Calibration, value: float) -> float:
    odds: float = calibration.odds_at_one * value**calibration.steepness
    return odds / (1 + odds)


def share(calibration: Calibration, first: First) -> float:
    """Return what `blend` makes of a first answer of which nothing else is known."""
    signals = Signals(
        relevance=relevance(calibration, first.best),
        runner_up=relevance(calibration, first.next),
    )
    return load_scorer("blend").score(signals).share


def loss(calibration: Calibration, found: Samples) -> float:
    """Return the mean negative log-likelihood; both kinds count as if there were equally many."""
    missed = mean(
        [-math.log(max(1e-12, relevance(calibration, value))) for value in found.related]
    )
    claimed = mean(
        [-math.log(max(1e-12, 1 - relevance(calibration, value))) for value in found.off_topic]
    )
    return (missed + OFF_TOPIC_WEIGHT * claimed) / (1 + OFF_TOPIC_WEIGHT)


def fitted(found: Sequence[Samples]) -> Calibration:
    return curve(
        lowest(
            lambda steepness: sum(loss(curve(steepness), each) for each in found),
            *STEEPNESS_RANGE,
        )
    )


def lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function with one valley is lowest, by halving in the golden ratio."""
    ratio = (math.sqrt(5) - 1) / 2
    while high - low > 1e-3:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if function(left) < function(right) else (left, high)
    return (low + high) / 2


def auc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return the probability that a value of the first lies above one of the second; a
    tie is half.
    """
    ordered = sorted(lower)
    below = sum(
        (bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 for value in higher
    )
    return below / max(1, len(higher) * len(lower))


def report(name: str, found: Samples, calibration: Calibration) -> str:
    right = [relevance(calibration, value) for value in found.related]
    answered = mean(
        [float(relevance(calibration, value) > ANSWERED) for value in found.first_off_topic]
    )
    right_first, wrong_first = (
        [share(calibration, each) for each in firsts]
        for firsts in (found.first_right, found.first_wrong)
    )
    return (
        f"{name}: steepness {calibration.steepness:.2f}, odds at one {calibration.odds_at_one:.2f},"
        f" loss {loss(calibration, found):.3f};"
        f" AUC related/off-topic {auc(found.related, found.off_topic):.3f},"
        f" right/wrong first answer {auc(right_first, wrong_first):.3f};"
        f" off-topic above {ANSWERED}: {100 * answered:.1f} %;"
        f" right notes p5 {percentile(right, 0.05):.2f}, p50 {percentile(right, 0.50):.2f}"
    )


def main(folders: Sequence[str]) -> None:
    if len(folders) < 2:
        sys.exit("usage: calibrate.py SET OTHER [MORE…]")
    with tempfile.TemporaryDirectory() as cache:
        sets = [opened(folder, cache) for folder in folders]
        found = [samples(each, [other for other in sets if other is not each]) for each in sets]
    for one, each in zip(sets, found, strict=True):
        print(
            report(
                f"{one.name}, fitted on the others",
                each,
                fitted([other for other in found if other is not each]),
            )
        )
    for one, each in zip(sets, found, strict=True):
        print(report(f"{one.name}, as configured", each, LEXICAL))
    pooled = fitted(found)
    print(f"all: steepness {pooled.steepness:.2f}, odds at one {pooled.odds_at_one:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
