"""Conditions on notes that a store can apply itself, before it selects the best candidates."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Anything(NamedTuple):
    """Every note."""


class Tagged(NamedTuple):
    """The note has this tag or one below it."""

    tag: str


class OfKind(NamedTuple):
    kind: str


class PathHas(NamedTuple):
    """This text is a part of the note's path."""

    text: str


class PathLike(NamedTuple):
    """The note's path matches one of these patterns, in which `*` stands for any characters and `?` for one."""

    patterns: tuple[str, ...]


class DatedSince(NamedTuple):
    """The note is dated at or after this time, in seconds since the epoch."""

    seconds: float


class PropertyIs(NamedTuple):
    key: str
    value: str


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


Scope: TypeAlias = (
    Anything | Tagged | OfKind | PathHas | PathLike | DatedSince | PropertyIs | HasWord | Both | Either | Outside
)
ANYTHING = Anything()
