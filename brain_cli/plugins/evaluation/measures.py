"""Compute nDCG@10, Recall@5 and MRR@10 of each question's ranking with ir-measures.

nDCG@10    gains are the grades, discounted by log2(rank + 1), over the best possible order
Recall@5   share of the right notes that are among the first five
MRR@10     1 / rank of the first right note, 0 beyond the tenth
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

from brain_cli.errors import BrainError
from brain_cli.extras import install_hint
from brain_cli.plugins.evaluation.judged import Grades

MEASURES = {"nDCG@10": "nDCG@10", "Recall@5": "R@5", "MRR@10": "RR@10"}  # our name → the library's
NEWEST_RANKS = 3
NEWEST_GRADE = 2
RECENCY_CATEGORY = "recency-intent"

# Measure → question id → value, 0..1.
Values = dict[str, dict[str, float]]


def import_ir_measures() -> ModuleType:
    """Return the library; BrainError if it is missing, because a plain installation does not include it."""
    try:
        import ir_measures
    except ImportError:
        raise BrainError(
            "`brain eval` computes its measures with ir-measures, which is not installed.",
            install_hint("eval"),
        ) from None
    return ir_measures


def values(rankings: Mapping[str, Sequence[str]], grades: Grades) -> Values:
    """Measure each question's ranking (paths, best first); an empty ranking has 0."""
    ir = import_ir_measures()
    names = {str(ir.parse_measure(theirs)): ours for ours, theirs in MEASURES.items()}
    # The library sorts by score, so falling scores keep the order.
    run = {qid: {_text(path): -float(rank) for rank, path in enumerate(paths)} for qid, paths in rankings.items()}
    qrels = {qid: {_text(path): grade for path, grade in grades[qid].items()} for qid in rankings}
    found: Values = {ours: dict.fromkeys(rankings, 0.0) for ours in MEASURES}
    for metric in ir.iter_calc([ir.parse_measure(name) for name in names], qrels, run):
        found[names[str(metric.measure)]][metric.query_id] = float(metric.value)
    return found


def newest_on_top(ranking: Sequence[str], grades: Mapping[str, int]) -> bool:
    """Return whether the newest of the right notes (grade 2) is among the first three."""
    return any(grades.get(path, 0) >= NEWEST_GRADE for path in ranking[:NEWEST_RANKS])


def _text(path: str) -> str:
    """Return a path that the library can encode, also if a file name is not UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode()
