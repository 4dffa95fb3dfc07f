"""The notes that come into question for a request, as a store can filter them before it looks for the best."""

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
    """The note's path matches one of these patterns, in which `*` and `?` stand for any letters and any letter."""

    patterns: tuple[str, ...]


class DatedSince(NamedTuple):
    """The note is from this moment, in seconds since the epoch, or later."""

    seconds: float


class PropertyIs(NamedTuple):
    key: str
    value: str


class HasWord(NamedTuple):
    """One of these terms stands somewhere in the note."""

    variants: tuple[str, ...]


class Both(NamedTuple):
    """The note is in all of these scopes."""

    scopes: tuple[Scope, ...]


class Either(NamedTuple):
    """The note is in one of these scopes at least."""

    scopes: tuple[Scope, ...]


class Outside(NamedTuple):
    """The note is not in this scope."""

    scope: Scope


Scope: TypeAlias = (
    Anything | Tagged | OfKind | PathHas | PathLike | DatedSince | PropertyIs | HasWord | Both | Either | Outside
)
ANYTHING = Anything()
