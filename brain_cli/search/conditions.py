"""Conditions that a note must meet to be a candidate. Each is a small value that tests one note at a time.

A condition on a key of the note, such as its kind, is a `Compared` (index/filter_keys.py), so that the server of a
shared memory filters by it too. To add a field of the query language, such as `tag:`: a line in FIELDS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from brain_cli.index.filter_keys import Compared
from brain_cli.types import NoteMetadata
from brain_cli.vault.folding import same_name


class MatchableNote(Protocol):
    """The view of a note that a condition tests."""

    metadata: NoteMetadata

    def has_words(self, text: str) -> bool:
        """Return whether every word of a text is in the note, in any form."""
        ...

    def has_phrase(self, text: str) -> bool:
        """Return whether the note has the words of a text next to each other, in order."""
        ...

    def title_has(self, text: str) -> bool:
        """Return whether every word of a text is in the note's title or an alias."""
        ...


class Condition(Protocol):
    def holds(self, note: MatchableNote) -> bool: ...


class Everything(NamedTuple):
    """A condition that every note meets."""

    def holds(self, note: MatchableNote) -> bool:  # noqa: ARG002 - the protocol requires it
        return True


class Holds(NamedTuple):
    """A condition: the note has these words."""

    text: str

    def holds(self, note: MatchableNote) -> bool:
        return note.has_words(self.text)


class Phrase(NamedTuple):
    """A condition: the note has these words in this order, side by side."""

    text: str

    def holds(self, note: MatchableNote) -> bool:
        return note.has_phrase(self.text)


class TitleHas(NamedTuple):
    """A condition: the note has these words in its title or an alias."""

    text: str

    def holds(self, note: MatchableNote) -> bool:
        return note.title_has(self.text)


class Excluded(NamedTuple):
    """The opposite of another condition."""

    condition: Condition

    def holds(self, note: MatchableNote) -> bool:
        return not self.condition.holds(note)


class All(NamedTuple):
    """A condition: the note meets every one of these conditions."""

    conditions: Sequence[Condition]

    def holds(self, note: MatchableNote) -> bool:
        return all(condition.holds(note) for condition in self.conditions)


class AnyOf(NamedTuple):
    """A condition: the note meets at least one of these conditions."""

    conditions: Sequence[Condition]

    def holds(self, note: MatchableNote) -> bool:
        return any(condition.holds(note) for condition in self.conditions)


def all_of(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that all of these hold; Everything for none."""
    restricting = [condition for condition in conditions if condition != Everything()]
    return All(restricting) if len(restricting) > 1 else restricting[0] if restricting else Everything()


def any_of(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that at least one of these holds."""
    return AnyOf(conditions) if len(conditions) > 1 else conditions[0]


def path_matches(pattern: str) -> Compared:
    """Return the condition of a glob, regardless of case; without wildcards, a part of the path is enough."""
    pattern = same_name(pattern)
    if any(letter in pattern for letter in "*?["):
        # `decisions/*` and `*.md` match as in a shell, at any depth.
        return Compared("path", "matches", (pattern, f"*/{pattern}"))
    return Compared("path", "contains", pattern.strip("/"))


# The fields that a query can filter by (`tag:kafka`), each with its condition for a value. To add one: a line here.
# Options with these names filter in the same way (search/filters.py).
FIELDS: dict[str, Callable[[str], Condition]] = {
    "title": TitleHas,
    "tag": lambda value: Compared("tags", "has", same_name(value.lstrip("#"))),
    "type": lambda value: Compared("kind", "is", same_name(value)),
    "path": path_matches,
}
