"""What is known of every note without opening it: one JSON file for each generation of the index.

A refresh compares the vault with it; a recall takes from it what ranking needs.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cached_property
from typing import Any, NamedTuple

from brain_cli.index import INDEX_VERSION
from brain_cli.notes.languages import DEFAULT_LANGUAGE
from brain_cli.notes.links import NameTable, neighbours
from brain_cli.notes.words import terms
from brain_cli.types import Facts, Link


class Row(NamedTuple):
    """One note: its file's state when it was read, what links it, and its facts.

    `mtime_ns` is -1 where the file was so fresh that a later change might not show in its time.
    `length` counts the weighted words of all its fragments; `sketch` is of the body's bigrams (notes/bigrams.py);
    `neighbours` are note ids, both directions; `successors` the ids of the notes that supersede it.
    """

    note_id: int
    path: str
    size: int
    mtime_ns: int
    content_hash: str
    dated: bool
    language: str
    fragments: int
    length: int
    successors: list[int]
    sketch: str
    links: list[list[str]]
    neighbours: list[int]
    facts: list[Any]


_FACT_NAMES = Facts._fields

_TAGS, _ARCHIVED, _PROJECT = (_FACT_NAMES.index(name) for name in ("tags", "archived", "project"))


def row_facts(row: Row) -> Facts:
    """Return the facts of a row, with what other notes say of it."""
    facts = Facts._make([tuple(value) if type(value) is list else value for value in row.facts])
    return facts._replace(superseded=True) if row.successors else facts


class Catalogue:
    """All rows of one generation, by note id."""

    def __init__(self, generation: int = 0, next_id: int = 1, rows: dict[int, Row] | None = None) -> None:
        self.generation = generation
        self.next_id = next_id
        self.rows = rows or {}
        self._facts: dict[int, Facts] = {}

    def facts(self, note_id: int) -> Facts:
        """Return a note's facts; they are unpacked only for notes that are asked for."""
        found = self._facts.get(note_id)
        if found is None:
            found = self._facts[note_id] = row_facts(self.rows[note_id])
        return found

    @cached_property
    def by_path(self) -> dict[str, Row]:
        return {row.path: row for row in self.rows.values()}

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the vault's notes, most frequent first; English where none is known."""
        counted = Counter(row.language for row in self.rows.values() if row.language)
        return tuple(language for language, _ in counted.most_common()) or (DEFAULT_LANGUAGE,)

    @cached_property
    def duplicates(self) -> Counter[str]:
        """How many notes have each content hash."""
        return Counter(row.content_hash for row in self.rows.values())

    @cached_property
    def fragments(self) -> int:
        return sum(row.fragments for row in self.rows.values())

    @cached_property
    def length(self) -> int:
        """The weighted words of the whole vault."""
        return sum(row.length for row in self.rows.values())

    @cached_property
    def tags(self) -> Counter[str]:
        """How many active notes carry each tag (case-folded)."""
        found: Counter[str] = Counter()
        for row in self.rows.values():
            if not row.facts[_ARCHIVED]:
                found.update(tag.casefold() for tag in row.facts[_TAGS])
        return found

    @cached_property
    def tag_terms(self) -> dict[str, frozenset[str]]:
        """The terms of each tag, in the language of most notes."""
        return {tag: frozenset(terms(tag, self.languages[0])) for tag in self.tags}

    @cached_property
    def projects(self) -> frozenset[str]:
        """The projects that some note carries (case-folded)."""
        named = (row.facts[_PROJECT] for row in self.rows.values())
        return frozenset(project.casefold() for project in named if project)

    def names(self) -> NameTable:
        return NameTable(self.facts(note_id) for note_id in self.rows)

    def connect(self) -> None:
        """Resolve every link anew: a note that came or went can change where another's links lead."""
        names = self.names()
        ids = {row.path: row.note_id for row in self.rows.values()}
        links = {
            row.note_id: [ids[path] for path in names.resolve((Link(*link) for link in row.links), row.path)]
            for row in self.rows.values()
        }
        both = neighbours(links)
        successors = self._successors(names, ids)
        self.rows = {
            note_id: row._replace(neighbours=both.get(note_id, []), successors=successors.get(note_id, []))
            for note_id, row in self.rows.items()
        }
        self._facts.clear()
        for name in ("by_path", "fragments", "length", "languages", "duplicates", "tags", "tag_terms", "projects"):
            self.__dict__.pop(name, None)

    def _successors(self, names: NameTable, ids: dict[str, int]) -> dict[int, list[int]]:
        """Return for each note that is superseded the notes that say so."""
        found: dict[int, list[int]] = {}
        for note_id in self.rows:
            facts = self.facts(note_id)
            for target in facts.supersedes:
                for path in names.find(target, facts.path)[:1]:
                    if path != facts.path:
                        found.setdefault(ids[path], []).append(note_id)
        return found


def dump(catalogue: Catalogue) -> str:
    """Write a catalogue as JSON."""
    return json.dumps(
        {
            "version": INDEX_VERSION,
            "generation": catalogue.generation,
            "next_id": catalogue.next_id,
            "rows": list(catalogue.rows.values()),
        },
        separators=(",", ":"),
    )


def load(text: str) -> Catalogue:
    """Read a catalogue; ValueError if it is of another version or no catalogue at all."""
    document = json.loads(text)
    if not isinstance(document, dict) or document.get("version") != INDEX_VERSION:
        raise ValueError("the index was made by another version of brain")
    rows = (Row(*row) for row in document["rows"])
    return Catalogue(document["generation"], document["next_id"], {row.note_id: row for row in rows})
