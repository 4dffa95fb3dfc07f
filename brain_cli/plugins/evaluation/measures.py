"""Compute nDCG@10, Recall@5 and MRR@10 of each question's ranking, as trec_eval does (tests compare them).

nDCG@10    gains are the grades, discounted by log2(rank + 1), over the best possible order
Recall@5   share of the right notes that are among the first five
MRR@10     1 / rank of the first right note, 0 beyond the tenth
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log2

from brain_cli.plugins.evaluation.judged import Grades

NEWEST_RANKS = 3
NEWEST_GRADE = 2
RECENCY_CATEGORY = "recency-intent"

# Measure → question id → value, 0..1.
Values = dict[str, dict[str, float]]


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
