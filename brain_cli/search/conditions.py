"""Conditions that a note must meet to be a candidate. Each is a small value that tests one note at a time.

To add a field of the query language, such as `tag:`: a line in FIELDS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple, Protocol

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


class Field(NamedTuple):
    """A condition: a field of the note matches this value, by the test in `FIELDS`."""

    name: str
    value: str

    def holds(self, note: MatchableNote) -> bool:
        return FIELDS[self.name](note, self.value)


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


def has_tag(metadata: NoteMetadata, wanted: str) -> bool:
    """Return whether a note has a tag or one below it: `ops` also means `ops/oncall`."""
    wanted = same_name(wanted.lstrip("#"))
    tags = (same_name(tag) for tag in metadata.tags)
    return any(tag == wanted or tag.startswith(wanted + "/") for tag in tags)


def path_matches(path: str, pattern: str) -> bool:
    """Return whether a path matches a glob, regardless of case; without wildcards, a part of the path is enough."""
    path, pattern = same_name(path), same_name(pattern)
    if not any(c in pattern for c in "*?["):
        return pattern.strip("/") in path
    # `decisions/*` and `*.md` match as in a shell, at any depth.
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")


# The fields that a query can filter by (`tag:kafka`), each with its test of a note. To add one: a line here.
# Options with these names filter in the same way (search/filters.py).
FIELDS: Mapping[str, Callable[[MatchableNote, str], bool]] = {
    "title": lambda note, value: note.title_has(value),
    "tag": lambda note, value: has_tag(note.metadata, value),
    "type": lambda note, value: same_name(note.metadata.kind) == same_name(value),
    "path": lambda note, value: path_matches(note.metadata.path, value),
}
