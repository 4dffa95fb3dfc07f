"""Certainty for a question that was also searched by meaning: the sum of ranking/certainty.py with other features.

It leaves out `name_match`, `passage_coverage` and `anchor_share`. Instead it has

section_coverage  0..1, the share of the query's words, by idf, that the first note's best section has
one_word          1 for a query of one word, else 0
name_coverage     0..1, the share of the first note's name that the query has
nearness          the cosine of the question with the nearest passage of the first note
near_lead         -1..1, the first note's lead over all other notes in nearness, in standard deviations

All weights are those of one model, because with a model the first note may have fewer words of the question.
`tests/benchmarks/fit_certainty.py --model NAME` fits them; the table is part of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from brain_cli.ranking.certainty import CertaintyModel, Features
from brain_cli.ranking.scorers import coefficient


@dataclass(frozen=True, slots=True)
class CertaintyByMeaning(CertaintyModel):
    """The table of constants of one model."""

    name: ClassVar[str] = "certainty by meaning"
    strong_from: ClassVar[float] = 0.685

    name_match: float = coefficient(0.0)
    passage_coverage: float = coefficient(0.0)
    anchor_share: float = coefficient(0.0)
    section_coverage: float = coefficient(0.0)
    one_word: float = coefficient(0.0)
    name_coverage: float = coefficient(0.0)
    nearness: float = coefficient(0.0)
    near_lead: float = coefficient(0.0)

    def limit(self, features: Features) -> str:
        """Return the rule that limits the certainty of the first note; an index may be certain."""
        return CertaintyModel.limit(self, features._replace(form=""))


def certainty_by_meaning(weights: Mapping[str, float]) -> CertaintyByMeaning:
    """Return the model with its constants."""
    constants: dict[str, Any] = dict(weights)
    return CertaintyByMeaning(**constants)
