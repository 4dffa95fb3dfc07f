"""Certainty: the probability that the first note is a right one, with the terms of its sum.

    P = 1 / (1 + exp(-z)),  z = intercept + Σ weight * feature

lead              -1..1, ln(match of the first note / match of the runner-up), without the words in their links, which
                  belong to the linked notes
name_match        0..1, the share of the first note's name (title, alias or file name) that the query has, times
                  (1 + s) / 2, where s is the share of the query that the name has (search/name_similarity.py)
section_coverage  0..1, the share of the query's words, by idf, that its best section has
anchor_share      0..1, the share of all links with words of the query that lead to the first note
runners_up        ln(1 + n), n other notes with at least 0.9 of its evidence
one_word          1 for a query of one word, else 0
lone_word         1 if one word of the query makes most of the match, and no name or heading has any of them, else 0
in_code           0..1, the share of the matching words, by idf, that are only in code below headings without them
coverage_lead     -1..1, the share of the query's words, by idf, that the note has, minus the runner-up's

Rules override the sum. A note is certain if it alone has exactly the name asked for. Otherwise it is not certain if

- only single letters or bare numbers match;
- a number of the query is not in it, and its name has another one;
- half of the query's words, by idf, are in no note;
- its best section has less than half of them;
- it is an index or a template, which has little content (vault/form.py).

The weights are fitted by `tests/benchmarks/fit_certainty.py` on all development sets together, the intercept
included; docs/measurements.md has the reliability of the result, measured on vaults that were left out of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from math import exp
from typing import Any, ClassVar, NamedTuple

from brain_cli.ranking.scorers._constants import checked, coefficient
from brain_cli.vault.form import INDEX

# At least this probability makes the first note the one strong match.
STRONG_CERTAINTY = 0.65
# Constants of earlier versions, which may be in a table that `brain tune` wrote.
FORMER_CONSTANTS = frozenset(("name_coverage", "unknown"))
# A synthesis uses the notes with at least this share of the query in one section, if the first note has it too.
RELATED_COVERAGE = 0.65

EXACT_NAME_CERTAINTY = 0.95
NOT_ENOUGH_CERTAINTY = 0.5
MAX_UNKNOWN = 0.5
MIN_SECTION_COVERAGE = 0.5


class Features(NamedTuple):
    """The numbers from which certainty is computed; the module docstring explains each one.

    `exact_name`: the first note alone has exactly the name asked for. `only_marks`: every word of the query that
    the note has is a single letter or a bare number. `another_number`: the note lacks a number of the query, and its
    name has another one. `unknown` (0..1) is the share of the query's words, by idf, that no note of the vault has.
    `form` is that of the note.
    `nearness`, `near_lead` and `name_coverage` count only in certainty_by_meaning.py.
    """

    lead: float = 0.0
    name_match: float = 0.0
    section_coverage: float = 0.0
    anchor_share: float = 0.0
    runners_up: float = 0.0
    one_word: float = 0.0
    lone_word: float = 0.0
    in_code: float = 0.0
    coverage_lead: float = 0.0
    unknown: float = 0.0
    exact_name: bool = False
    only_marks: bool = False
    another_number: bool = False
    form: str = ""
    nearness: float = 0.0
    near_lead: float = 0.0
    name_coverage: float = 0.0


class Part(NamedTuple):
    """One term of z: the feature's value and its weight; the intercept has value 1."""

    name: str
    value: float
    weight: float


class Certainty(NamedTuple):
    """The probability (0..1) that the first note is right; `rule` is the rule that overrode the sum, if any.

    From `strong_from` on, the note is the one strong match.
    """

    probability: float
    parts: tuple[Part, ...] = ()
    rule: str = ""
    strong_from: float = STRONG_CERTAINTY

    @property
    def strong(self) -> bool:
        return self.probability >= self.strong_from


@dataclass(frozen=True, slots=True)
class CertaintyModel:
    """The table of constants: the intercept, and a weight for each feature of the same name."""

    name: ClassVar[str] = "certainty"
    strong_from: ClassVar[float] = STRONG_CERTAINTY

    intercept: float = coefficient(-0.42)
    lead: float = coefficient(1.13)
    name_match: float = coefficient(0.71)
    section_coverage: float = coefficient(0.45)
    anchor_share: float = coefficient(2.14)
    runners_up: float = coefficient(-0.33)
    one_word: float = coefficient(-1.47)
    lone_word: float = coefficient(-3.39)
    in_code: float = coefficient(-1.99)
    coverage_lead: float = coefficient(1.90)

    def certainty(self, features: Features) -> Certainty:
        """Return the probability that the first of a list of candidates is right."""
        parts = tuple(self._parts(features))
        probability, rule = 1 / (1 + exp(-sum(part.value * part.weight for part in parts))), ""
        if features.exact_name:
            probability, rule = max(EXACT_NAME_CERTAINTY, probability), "the note has exactly this name"
        elif rule := self.limit(features):
            probability = min(NOT_ENOUGH_CERTAINTY, probability)
        return Certainty(probability, parts, rule, self.strong_from)

    def limit(self, features: Features) -> str:
        """Return the rule that limits the certainty of the first note; empty if none applies."""
        if features.only_marks:
            return "only letters or numbers match"
        if features.another_number:
            return "the note's name has another number"
        if features.unknown >= MAX_UNKNOWN:
            return "half of the question's words are in no note"
        if features.section_coverage < MIN_SECTION_COVERAGE:
            return "no section has half of the question's words"
        if features.form:
            return "the note is an index" if features.form == INDEX else f"the note is a {features.form}"
        return ""

    def _parts(self, features: Features) -> Iterator[Part]:
        yield Part("intercept", 1.0, self.intercept)
        for weight in fields(self)[1:]:
            yield Part(weight.name, getattr(features, weight.name), getattr(self, weight.name))


def load_certainty(settings: Mapping[str, object]) -> CertaintyModel:
    """Return the model with its constants overridden; UsageError names a constant that is wrong.

    A table that was fitted to the features of another version is left out.
    """
    constants: dict[str, Any] = {} if is_of_another_version(settings) else checked(CertaintyModel, settings)
    return CertaintyModel(**constants)


def is_of_another_version(settings: Mapping[str, object]) -> bool:
    """Return whether a table of constants was fitted to other features than these.

    The constants of one fit belong together and cannot be mixed with those of another. A table with an intercept is a
    complete fit.
    """
    names = {constant.name for constant in fields(CertaintyModel)}
    return not FORMER_CONSTANTS.isdisjoint(settings) or ("intercept" in settings and not names <= settings.keys())
