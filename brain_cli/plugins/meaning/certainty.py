"""Certainty for a question that was also searched by meaning: the sum of certainty.py with other features.

It leaves out `name_match`, `anchor_share`, `lone_word`, `in_code` and `coverage_lead`. Instead it has

name_coverage  0..1, the share of the first note's name that the query has
unknown        0..1, the share of the query's words, by idf, that no note of the vault has
nearness       the cosine of the question with the nearest passage of the first note
near_lead      -1..1, the first note's lead over all other notes in nearness, in standard deviations

All weights are those of one model, because with a model the first note may have fewer words of the question.
`tests/benchmarks/fit_certainty.py --model NAME` fits them; the table is part of the model (meaning/NAME.py).
The rules about missing words do not apply, because meaning replaces them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from brain_cli.ranking.certainty import CertaintyModel, Features
from brain_cli.ranking.scorers._constants import coefficient


@dataclass(frozen=True, slots=True)
class CertaintyByMeaning(CertaintyModel):
    """The table of constants for one model, with a weight for each of the two features."""

    name: ClassVar[str] = "certainty by meaning"
    strong_from: ClassVar[float] = 0.685

    name_match: float = coefficient(0.0)
    anchor_share: float = coefficient(0.0)
    lone_word: float = coefficient(0.0)
    in_code: float = coefficient(0.0)
    coverage_lead: float = coefficient(0.0)
    name_coverage: float = coefficient(0.0)
    unknown: float = coefficient(0.0)
    nearness: float = coefficient(0.0)
    near_lead: float = coefficient(0.0)

    def limit(self, features: Features) -> str:
        """Return the rule that limits the certainty of the first note; empty if none applies."""
        if features.another_number:
            return "the note's name has another number"
        return "only letters or numbers match" if features.only_marks else ""


def certainty_by_meaning(weights: Mapping[str, float]) -> CertaintyByMeaning:
    """Return the model with its constants."""
    constants: dict[str, Any] = dict(weights)
    return CertaintyByMeaning(**constants)
