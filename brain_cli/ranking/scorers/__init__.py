"""Compute a score from signals: one pure file per published formula, and the ledger of its steps.

A scorer is a class whose attributes are its published constants. To add one: write the file, derive
from `Formula`, add one line to `OWN_SCORERS`; the contract tests, `--scorer`, the configuration and
docs/scoring.md then include it.

A formula declares `half_life_days: float = days(30.0)`, a constant with its published value and its
valid values; `checked(Clawdbot, {"half_life_days": 7})` is `{"half_life_days": 7.0}`, and -7 an
error that names the field.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeGuard

from brain_cli.errors import UnknownNameError, UsageError, did_you_mean
from brain_cli.extension import Table
from brain_cli.record import Record
from brain_cli.types import Signals, finite, unit

# Name → module:class, imported on first use.
OWN_SCORERS = {
    "brain": ".brain:Brain",
    "clawmem": ".clawmem:ClawMem",
    "claude-mem": ".claude_mem:ClaudeMem",
    "clawdbot": ".clawdbot:Clawdbot",
    "blend": ".blend:Blend",
}
SCORERS: Table[str] = Table("scorers", OWN_SCORERS)


class Step(NamedTuple):
    """One line of the ledger: only a + step has a `weight`; `total` is the running total after the
    step.

    A tuple: a recall writes up to eight of these for every candidate, and `_asdict` is the JSON of
    `--explain`.
    """

    name: str
    op: Literal["+", "*", "max", "min"]
    value: float
    weight: float | None
    total: float


class Score(NamedTuple):
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

    def plus(self, name: str, value: float | None, weight: float = 1.0) -> "Score":
        """Return the score with weight × value added; an absent factor (None) adds no step."""
        if value is None:
            return self
        return self._with_step(Step(name, "+", value, weight, self.total + weight * value))

    def times(self, name: str, value: float) -> "Score":
        return self._with_step(Step(name, "*", value, None, self.total * value))

    def at_least(self, name: str, value: float) -> "Score":
        return self._with_step(Step(name, "max", value, None, max(self.total, value)))

    def at_most(self, name: str, value: float) -> "Score":
        return self._with_step(Step(name, "min", value, None, min(self.total, value)))

    def out_of(self, full: float) -> "Score":
        return Score(self.steps, self.total, full)

    def _with_step(self, step: Step) -> "Score":
        return Score((*self.steps, step), step.total, self.full)


def scorer_class(name: str) -> type["Formula"]:
    """Return the formula of that name, with its published constants as the defaults of
    its fields.
    """
    place = SCORERS.find(name)
    if not place:
        raise UnknownNameError(f"There is no scorer “{name:.59}”.", did_you_mean(name, SCORERS))
    module, _, formula = place.partition(":")
    found: type[Formula] = getattr(import_module(module, __name__), formula)
    return found


def check_setting(key: tuple[str, ...], value: object) -> None:
    """Raise UnknownNameError if a setting names a formula, or a constant of a formula, that this
    version lacks.
    """
    if key == ("scorer",):
        scorer_class(str(value))
    elif key[0] == "scorers":
        checked(scorer_class(key[1]), {key[2]: value})


def load_scorer(name: str, *settings: Mapping[str, object]) -> "Formula":
    """Return the formula of that name with its constants overridden; the last layer of settings
    wins.
    """
    formula = scorer_class(name)
    constants: dict[str, object] = {}
    for layer in settings:
        constants |= checked(formula, layer)
    return formula(**constants)


# Confidence by the publication of ClawMem, which our own formula uses too.
USEFUL_GAIN = 0.05
USEFUL_CAP = 0.25
WRONG_LOSS = 0.10
SUPERSEDED_LOSS = 0.25
SUPERSEDED_FLOOR = 0.2
FADING_KINDS = frozenset({"handoff", "progress", "conversation", "note", "project"})
WEEKLY_FADING = 0.95
FADING_FLOOR = 0.5


def adjusted_confidence(signals: Signals) -> float:
    """Return the confidence that a note states, corrected by feedback, by a note that replaces it,
    and by disuse.
    """
    gain = min(USEFUL_CAP, USEFUL_GAIN * finite(signals.useful))
    trust = unit(unit(signals.confidence) + gain - WRONG_LOSS * finite(signals.wrong))
    if signals.superseded:
        trust = max(SUPERSEDED_FLOOR, trust - SUPERSEDED_LOSS)
    if signals.accesses > 0 and signals.kind.lower() in FADING_KINDS:
        trust *= max(FADING_FLOOR, WEEKLY_FADING ** (finite(signals.idle) / 7))
    return unit(trust)


# A formula's constants as settings: the valid values of each, and a plain error message for any
# other.
Reader = Callable[[object], Any]


class Constant(Record):
    """A constant of a formula: its published value, the reader of a setting for it, and its other
    names.
    """

    published: Any
    read: Reader
    aliases: tuple[str, ...] = ()


class Parametric:
    """A formula with constants: each instance has a value for every one, the published one if none
    is given.
    """

    name: ClassVar[str]

    def __init__(self, **given: object) -> None:
        vars(self).update(
            {name: constant.published for name, constant in self.constants().items()}, **given
        )

    @classmethod
    def constants(cls) -> dict[str, Constant]:
        """Return the constants by name, as they are declared; a base class comes first."""
        declared = (pair for each in reversed(cls.__mro__) for pair in vars(each).items())
        return {name: value for name, value in declared if isinstance(value, Constant)}

    def changed(self, **given: object) -> Self:
        """Return a copy with other values of some constants."""
        return type(self)(**{**vars(self), **given})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)


class Formula(Parametric):
    """The base of all scorers: `score` computes a score from signals alone.

    `upper_bound` are the best signals that a note can have, by which a recall skips notes that
    cannot rank first. Certainty (ranking/certainty.py) is fitted to the ranking of a formula that
    is `calibrated`.
    """

    upper_bound: ClassVar[Signals | None] = None
    calibrated: ClassVar[bool] = False

    def score(self, signals: Signals) -> Score:
        """Return the score of a note, with its steps."""
        raise NotImplementedError


# Larger than any useful value, and small enough that no sum or product of a formula can overflow.
LARGEST_WEIGHT = 1000.0
LONGEST_DAYS = 1e9


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number; a bool, which is an int to Python, is not one."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(words: str, holds: Callable[[float], bool]) -> Reader:
    def read(value: object) -> float:
        if is_number(value) and holds(value):
            return float(value)
        raise ValueError(f"must be {words}, not {value!r:.60}")

    return read


# Every comparison is False for NaN, so NaN never passes.
_WEIGHT = _number("a number from 0 to 1000", lambda value: 0 <= value <= LARGEST_WEIGHT)
_SHARE = _number("a number from 0 to 1", lambda value: 0 <= value <= 1)
_COEFFICIENT = _number(
    "a number from -1000 to 1000", lambda value: abs(value) <= LARGEST_WEIGHT
)
_DAYS = _number(
    "a number of days above 0, at most 1e9", lambda value: 0 < value <= LONGEST_DAYS
)


def weight(published: float, *aliases: str) -> Any:
    """A constant that is a weight, set directly or under `weights`, by its name or an alias."""
    return Constant(published, _WEIGHT, aliases)


def share(published: float) -> Any:
    """A constant within 0..1."""
    return Constant(published, _SHARE)


def coefficient(fitted: float) -> Any:
    """A coefficient of a fitted model, of either sign."""
    return Constant(fitted, _COEFFICIENT)


def days(published: float) -> Any:
    """A number of days, never 0 because it is a divisor."""
    return Constant(published, _DAYS)


def one_of(*names: str) -> Any:
    """A choice; the first name is the published one."""

    def read(value: object) -> str:
        if isinstance(value, str) and value in names:
            return value
        raise ValueError(f"must be one of {', '.join(names)}, not {value!r:.60}")

    return Constant(names[0], read)


def shares_by_kind(published: Mapping[str, float]) -> Any:
    """A table of kind → 0..1; given entries override the published ones."""
    return _by_kind(published, _SHARE)


def days_by_kind(published: Mapping[str, float]) -> Any:
    """A table of kind → days; given entries override the published ones."""
    return _by_kind(published, _DAYS)


def _by_kind(published: Mapping[str, float], entry: Reader) -> Constant:
    def read(value: object) -> Mapping[str, float]:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table by kind, not {value!r:.60}")
        return {
            **published,
            **{str(kind).lower(): entry(number) for kind, number in value.items()},
        }

    return Constant(published, read)


def checked(formula: type[Any], settings: Mapping[str, object]) -> dict[str, object]:
    """Return the values of a formula's constants from settings; raise a UsageError that names a
    wrong one.
    """
    own: Mapping[str, Constant] = formula.constants()
    names = {
        alias: name for name, constant in own.items() for alias in (name, *constant.aliases)
    }
    weights = {alias: name for alias, name in names.items() if own[name].read is _WEIGHT}
    flat = dict(settings)
    nested = flat.pop("weights", {}) if weights else {}
    if not isinstance(nested, Mapping):
        raise UsageError(
            f"{formula.name}: weights must be a table, not {nested!r:.60}.",
            f"Its weights are {', '.join(weights)}.",
        )
    values: dict[str, object] = {}
    for known, given in ((weights, nested), (names, flat)):
        for alias, value in given.items():
            if alias not in known:
                raise UnknownNameError(
                    f"{formula.name} has no setting “{alias:.59}”.", did_you_mean(alias, known)
                )
            try:
                values[known[alias]] = own[known[alias]].read(value)
            except ValueError as reason:
                raise UsageError(
                    f"{formula.name}: {alias} {reason}.",
                    "Leave it out for the published value.",
                ) from None
    return values
