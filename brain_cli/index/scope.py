"""The notes that come into question for a request: a store filters by a scope before it selects the best candidates."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from brain_cli.index.filter_keys import Compared


class Anything(NamedTuple):
    """Every note."""


class HasWord(NamedTuple):
    """The note has one of these terms."""

    variants: tuple[str, ...]


class Both(NamedTuple):
    """The note is in all of these scopes."""

    scopes: tuple[Scope, ...]


class Either(NamedTuple):
    """The note is in at least one of these scopes."""

    scopes: tuple[Scope, ...]


class Outside(NamedTuple):
    """The note is not in this scope."""

    scope: Scope


Scope: TypeAlias = Anything | Compared | HasWord | Both | Either | Outside
ANYTHING = Anything()
