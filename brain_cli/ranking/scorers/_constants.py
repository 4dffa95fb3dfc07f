"""A formula's constants as settings: the valid values of each, and a plain error message for any other.

A formula declares `half_life_days: float = days(30.0)`, a field with its published value and its valid values;
`checked(Clawdbot, {"half_life_days": 7})` is `{"half_life_days": 7.0}`, and -7 an error that names the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields
from typing import Any, TypeGuard

from brain_cli.errors import UnknownNameError, UsageError, did_you_mean

Reader = Callable[[object], Any]

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
_COEFFICIENT = _number("a number from -1000 to 1000", lambda value: abs(value) <= LARGEST_WEIGHT)
_DAYS = _number("a number of days above 0, at most 1e9", lambda value: 0 < value <= LONGEST_DAYS)


def weight(published: float, *aliases: str) -> float:
    """A field for a weight, set directly or under `weights`, by its name or an alias."""
    return field(default=published, metadata={"read": _WEIGHT, "aliases": aliases})


def share(published: float) -> float:
    """A field for a constant within 0..1."""
    return field(default=published, metadata={"read": _SHARE})


def coefficient(fitted: float) -> float:
    """A field for a coefficient of a fitted model, of either sign."""
    return field(default=fitted, metadata={"read": _COEFFICIENT})


def days(published: float) -> float:
    """A field for a number of days, never 0 because it is a divisor."""
    return field(default=published, metadata={"read": _DAYS})


def one_of(*names: str) -> str:
    """A field for a choice; the first name is the default."""

    def read(value: object) -> str:
        if isinstance(value, str) and value in names:
            return value
        raise ValueError(f"must be one of {', '.join(names)}, not {value!r:.60}")

    return field(default=names[0], metadata={"read": read})


def shares_by_kind(published: Mapping[str, float]) -> Mapping[str, float]:
    """A field for a table of kind → 0..1; given entries override the published ones."""
    return _by_kind(published, _SHARE)


def days_by_kind(published: Mapping[str, float]) -> Mapping[str, float]:
    """A field for a table of kind → days; given entries override the published ones."""
    return _by_kind(published, _DAYS)


def _by_kind(published: Mapping[str, float], entry: Reader) -> Mapping[str, float]:
    def read(value: object) -> Mapping[str, float]:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table by kind, not {value!r:.60}")
        return {**published, **{str(kind).lower(): entry(number) for kind, number in value.items()}}

    return field(default_factory=lambda: published, metadata={"read": read})


def checked(formula: type[Any], settings: Mapping[str, object]) -> dict[str, object]:
    """Return the values of a formula's fields from settings; raise a UsageError that names a wrong field."""
    constants = {
        name: constant
        for constant in fields(formula)
        for name in (constant.name, *constant.metadata.get("aliases", ()))
    }
    weights = {name: constant for name, constant in constants.items() if constant.metadata["read"] is _WEIGHT}
    flat = dict(settings)
    nested = flat.pop("weights", {}) if weights else {}
    if not isinstance(nested, Mapping):
        raise UsageError(
            f"{formula.name}: weights must be a table, not {nested!r:.60}.",
            f"Its weights are {', '.join(weights)}.",
        )
    return _read(formula.name, weights, nested) | _read(formula.name, constants, flat)


def _read(scorer: str, constants: Mapping[str, Field[Any]], given: Mapping[str, object]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in given.items():
        if name not in constants:
            raise UnknownNameError(f"{scorer} has no setting “{name:.59}”.", did_you_mean(name, constants))
        constant = constants[name]
        try:
            values[constant.name] = constant.metadata["read"](value)
        except ValueError as reason:
            raise UsageError(f"{scorer}: {name} {reason}.", "Leave it out for the published value.") from None
    return values
