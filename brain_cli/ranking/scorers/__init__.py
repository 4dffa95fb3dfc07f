"""Compute a score from signals: one pure file per published formula, and the ledger of its steps.

A scorer is a frozen dataclass whose fields are its published constants. To add one: write the file,
add one line to `SCORERS`; the contract tests, `--scorer`, the configuration and docs/scoring.md then include it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol

from brain_cli.errors import UnknownNameError, did_you_mean
from brain_cli.ranking.scorers._constants import checked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from brain_cli.types import Signals

SCORERS: dict[str, str] = {  # name → module:class, imported on first use
    "brain": ".brain:Brain",
    "clawmem": ".clawmem:ClawMem",
    "claude-mem": ".claude_mem:ClaudeMem",
    "clawdbot": ".clawdbot:Clawdbot",
    "blend": ".blend:Blend",
}


class Step(NamedTuple):
    """One line of the ledger: `weight` is None but for +; `total` is the running total after the step.

    A tuple: a recall writes up to eight of these for every candidate, and `_asdict` is the JSON of `--explain`.
    """

    name: str
    op: Literal["+", "*", "max", "min"]
    value: float
    weight: float | None
    total: float


@dataclass(frozen=True, slots=True)
class Score:
    """A computed formula: folding `steps` in order, from 0, gives `total` exactly.

    `full` is the total that corresponds to a share of 1: the largest intended total.
    """

    steps: tuple[Step, ...] = ()
    total: float = 0.0
    full: float = 1.0

    @property
    def share(self) -> float:
        """The total on the 0..1 scale that the thresholds compare."""
        return min(1.0, max(0.0, self.total / self.full))

    def plus(self, name: str, value: float | None, weight: float = 1.0) -> Score:
        """Return the score with weight × value added; an absent factor (None) adds no step."""
        if value is None:
            return self
        return self._with_step(Step(name, "+", value, weight, self.total + weight * value))

    def times(self, name: str, value: float) -> Score:
        return self._with_step(Step(name, "*", value, None, self.total * value))

    def at_least(self, name: str, value: float) -> Score:
        return self._with_step(Step(name, "max", value, None, max(self.total, value)))

    def at_most(self, name: str, value: float) -> Score:
        return self._with_step(Step(name, "min", value, None, min(self.total, value)))

    def out_of(self, full: float) -> Score:
        return Score(self.steps, self.total, full)

    def _with_step(self, step: Step) -> Score:
        return Score((*self.steps, step), step.total, self.full)


class Scorer(Protocol):
    """A formula: `score` computes a score from signals alone."""

    name: ClassVar[str]

    def score(self, signals: Signals) -> Score: ...


def upper_bound_of(scorer: Scorer) -> Signals | None:
    """Return the best signals that a note can have; None if a formula has no `upper_bound`.

    It allows a recall to skip notes that cannot rank first; a formula does not need it.
    """
    return getattr(scorer, "upper_bound", None)


def is_calibrated(scorer: Scorer) -> bool:
    """Return whether certainty (ranking/certainty.py) was fitted to this formula's ranking."""
    return getattr(scorer, "calibrated", False)


def scorer_class(name: str) -> type[Scorer]:
    """Return the formula of that name, with its published constants as the defaults of its fields."""
    if name not in SCORERS:
        raise UnknownNameError(f"There is no scorer “{name:.59}”.", did_you_mean(name, SCORERS))
    module, _, formula = SCORERS[name].partition(":")
    found: type[Scorer] = getattr(import_module(module, __name__), formula)
    return found


def check_setting(key: tuple[str, ...], value: object) -> None:
    """Raise UnknownNameError if a setting names a formula, or a constant of a formula, that this version lacks."""
    if key == ("scorer",):
        scorer_class(str(value))
    elif key[0] == "scorers":
        checked(scorer_class(key[1]), {key[2]: value})


def load_scorer(name: str, *settings: Mapping[str, object]) -> Scorer:
    """Return the formula of that name with its constants overridden; the last layer of settings wins."""
    formula = scorer_class(name)
    constants: dict[str, object] = {}
    for layer in settings:
        constants |= checked(formula, layer)
    return formula(**constants)
