"""The keys by which notes are filtered, and the comparisons of a key with a value.

A filter is declared once, as `Compared(key, comparison, value)`. Here it tests a note of a vault; a
shared memory sends the same keys to its server, which applies the same comparisons to them
(docs/shared-memory.md).
"""

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Protocol

from brain_cli.record import Record
from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import same_name


class NoteWithMetadata(Protocol):
    metadata: NoteMetadata


class Compared(Record):
    """The note's `key`, one of KEYS, compares with a value as one of COMPARISONS demands."""

    key: str
    comparison: str
    value: Any

    def holds(self, note: NoteWithMetadata) -> bool:
        return COMPARISONS[self.comparison](KEYS[self.key](note.metadata), self.value)


def tags_with_parents(metadata: NoteMetadata) -> Iterator[str]:
    """Yield the tags of a note and their parents."""
    for tag in map(same_name, metadata.tags):
        yield from with_parents(tag)


def with_parents(tag: str) -> Iterator[str]:
    """Yield a tag after its parents: `ops/oncall` is also `ops`."""
    parts = tag.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts) + 1))


class Properties:
    """The values of a note's frontmatter by key; kind, title and path are added if it
    lacks them.
    """

    def __init__(self, metadata: NoteMetadata) -> None:
        known = {
            "type": metadata.kind,
            "kind": metadata.kind,
            "title": metadata.title,
            "path": metadata.path,
        }
        self._values = {**known, **metadata.properties}

    def values_of(self, key: str) -> list[str]:
        value = self._values.get(key)
        values = value if isinstance(value, list) else [] if value is None else [value]
        return [same_name(str(each)) for each in values]

    def by_key(self) -> dict[str, list[str]]:
        return {key: self.values_of(key) for key in self._values}


KEYS: Mapping[str, Callable[[NoteMetadata], Any]] = {
    "kind": lambda metadata: same_name(metadata.kind),
    "path": lambda metadata: same_name(metadata.path),
    "tags": tags_with_parents,
    "properties": Properties,
}
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "is": lambda own, value: own == value,
    "has": lambda own, value: value in own,
    # `value` is a part of the text.
    "contains": lambda own, value: value in own,
    # `value` lists patterns, in which `*` stands for any characters, `?` for one, and `[ab]` for
    # one of these.
    "matches": lambda own, value: any(fnmatchcase(own, pattern) for pattern in value),
    # `value` is a key of the frontmatter, and one of its values.
    "has property": lambda own, value: value[1] in own.values_of(value[0]),
}
