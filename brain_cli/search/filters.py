"""Conditions that narrow a recall: their fields, the filters of the command line, and their test;
and phrases.

Each condition is a small value that tests one note at a time. A condition on a key of the note,
such as its kind, is a `Compared` (index/filter_keys.py), so that the server of a shared memory
filters by it too. To add a field of the query language, such as `tag:`: a line in OWN_FIELDS; every
field is a filter of the command line. To add another filter: a line in FILTERS; its name is the
keyword under which a command passes its option to `Filters.of`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from math import inf
from typing import NamedTuple, Protocol, Self

from brain_cli.errors import UsageError
from brain_cli.extension import Table, loaded_when_called
from brain_cli.index.filter_keys import Compared
from brain_cli.index.snapshot import Snapshot
from brain_cli.record import Record
from brain_cli.search.bm25 import look_up
from brain_cli.search.words import expanded
from brain_cli.types import DEFAULT_ZONE, NoteMetadata
from brain_cli.vault.analyzer import (
    Word,
    query_words,
    same_name,
    stemmer,
    terms,
    words_of,
)
from brain_cli.vault.clock import Clock, local_date


class Condition(Protocol):
    def holds(self, note: "NoteEvidence") -> bool: ...


class Everything(Record):
    """A condition that every note meets."""

    def holds(self, note: "NoteEvidence") -> bool:  # noqa: ARG002 - the protocol requires it
        return True


class Holds(Record):
    """A condition: the note has these words."""

    text: str

    def holds(self, note: "NoteEvidence") -> bool:
        return note.has_words(self.text)


class Phrase(Record):
    """A condition: the note has these words in this order, side by side."""

    text: str

    def holds(self, note: "NoteEvidence") -> bool:
        return note.has_phrase(self.text)


class TitleHas(Record):
    """A condition: the note has these words in its title or an alias."""

    text: str

    def holds(self, note: "NoteEvidence") -> bool:
        return note.title_has(self.text)


class Excluded(Record):
    """The opposite of another condition."""

    condition: Condition

    def holds(self, note: "NoteEvidence") -> bool:
        return not self.condition.holds(note)


class All(Record):
    """A condition: the note meets every one of these conditions."""

    conditions: Sequence[Condition]

    def holds(self, note: "NoteEvidence") -> bool:
        return all(condition.holds(note) for condition in self.conditions)


class AnyOf(Record):
    """A condition: the note meets at least one of these conditions."""

    conditions: Sequence[Condition]

    def holds(self, note: "NoteEvidence") -> bool:
        return any(condition.holds(note) for condition in self.conditions)


def all_of(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that all of these hold; Everything for none."""
    restricting = [condition for condition in conditions if condition != Everything()]
    return All(restricting) if len(restricting) > 1 else next(iter(restricting), Everything())


def any_of(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that at least one of these holds."""
    return AnyOf(conditions) if len(conditions) > 1 else conditions[0]


def path_matches(pattern: str) -> Compared:
    """Return the condition of a glob, regardless of case; without wildcards, a part of the path is
    enough.
    """
    pattern = same_name(pattern)
    if any(letter in pattern for letter in "*?["):
        # `decisions/*` and `*.md` match as in a shell, at any depth.
        return Compared("path", "matches", (pattern, f"*/{pattern}"))
    return Compared("path", "contains", pattern.strip("/"))


# The fields that a query can filter by (`tag:kafka`), each with its condition for a value.
OWN_FIELDS: dict[str, Callable[[str], Condition]] = {
    "title": TitleHas,
    "tag": lambda value: Compared("tags", "has", same_name(value.lstrip("#"))),
    "type": lambda value: Compared("kind", "is", same_name(value)),
    "path": path_matches,
}
FIELDS: Table[Callable[[str], Condition]] = Table("filters", OWN_FIELDS, loaded_when_called)


Values = str | Iterable[str] | None


class Filters(Record):
    """The filters of a recall: each filter's name with a value as typed. `archived` selects only
    archived notes.
    """

    values: tuple[tuple[str, str], ...] = ()
    archived: bool = False

    @classmethod
    def of(cls, *, archived: bool = False, **options: Values) -> Self:
        """Return the filters of some options, by the names in FILTERS; an option may have one value
        or several.
        """
        named = {
            name: [each] if isinstance(each, str) else each
            for name, each in options.items()
            if each
        }
        return cls(
            tuple((name, value) for name, values in named.items() for value in values), archived
        )

    def __bool__(self) -> bool:
        return self != Filters()


class FilterReader(NamedTuple):
    """One filter: `read` converts a value and the asker's clock to a condition, `join` combines
    several values.
    """

    read: Callable[[str, Clock], Condition]
    join: Callable[[Sequence[Condition]], Condition] = all_of


def _field(name: str) -> FilterReader:
    """Return the filter by a field of the query language: a note passes if one of the values
    matches.
    """
    return FilterReader(lambda value, _: FIELDS[name](value), any_of)


def _tag(value: str) -> Condition:
    """Read a tag; a minus before it excludes the notes that have it."""
    return Excluded(FIELDS["tag"](value[1:])) if value.startswith("-") else FIELDS["tag"](value)


def _frontmatter(text: str) -> Condition:
    """Read `KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(
            f"“{text}” is not KEY=VALUE.", "Write for example --where project=orders."
        )
    return Compared("properties", "has property", (key.strip().lower(), same_name(value)))


def _time(value: str, clock: Clock) -> float:
    # Imported here, because most recalls have no date.
    from brain_cli.search.dates import local_time

    return local_time(value, clock)


class DatedIn(Record):
    """A condition: the note has a date of its own, from `since` up to but excluding `before`, in
    seconds of the calendar of `zone`.
    """

    since: float = -inf
    before: float = inf
    zone: str = DEFAULT_ZONE

    def holds(self, note: "NoteEvidence") -> bool:
        return (
            note.has_date() and self.since <= local_date(note.metadata, self.zone) < self.before
        )


FILTERS: Mapping[str, FilterReader] = {
    **{name: _field(name) for name in FIELDS},
    "tag": FilterReader(lambda value, _: _tag(value)),
    "where": FilterReader(lambda value, _: _frontmatter(value)),
    "since": FilterReader(
        lambda value, clock: DatedIn(since=_time(value, clock), zone=clock.zone)
    ),
    "before": FilterReader(
        lambda value, clock: DatedIn(before=_time(value, clock), zone=clock.zone)
    ),
}


def condition(filters: Filters, clock: Clock) -> Condition:
    """Return the condition that a note must meet; raise UsageError for a value that its filter
    cannot read.
    """
    read: dict[str, list[Condition]] = {}
    for name, value in filters.values:
        read.setdefault(name, []).append(FILTERS[name].read(value, clock))
    return all_of([FILTERS[name].join(conditions) for name, conditions in read.items()])


PHRASE_BONUS = 0.25
# Searching for a phrase reads the note's text; beyond this rank it would not change the result.
MAX_PHRASE_CHECKS = 100


class NoteMatcher:
    """Checks conditions on the notes of one snapshot; each text is looked up once for all notes."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._notes: dict[str, frozenset[int] | None] = {}
        self.phrase_terms = lru_cache(maxsize=256)(terms)

    def of(self, note_id: int) -> "NoteEvidence":
        return NoteEvidence(self, self._snapshot, note_id)

    def notes_with(self, text: str) -> frozenset[int] | None:
        """Return the notes that have all words of a text; None if it has no word to search for."""
        if text not in self._notes:
            self._notes[text] = self._find(text)
        return self._notes[text]

    def _find(self, text: str) -> frozenset[int] | None:
        if len(text) > 1 and text.endswith("*"):
            return self._notes_of(expanded(self._snapshot, text[:-1]))
        words = [
            word
            for word in query_words(text, self._snapshot.note_table.languages)
            if not word.optional
        ]
        return frozenset.intersection(*map(self._notes_of, words)) if words else None

    def _notes_of(self, word: Word) -> frozenset[int]:
        return frozenset(look_up(self._snapshot, word).scores.notes)


def lift_phrases(
    relevances: dict[int, float], phrases: tuple[str, ...], matcher: NoteMatcher
) -> None:
    """Raise the relevance of the notes that contain a phrase, by a share of the distance to 1."""
    if not phrases:
        return
    for note_id in nlargest(MAX_PHRASE_CHECKS, relevances, key=relevances.__getitem__):
        note = matcher.of(note_id)
        for phrase in phrases:
            if note.has_phrase(phrase):
                relevances[note_id] += PHRASE_BONUS * (1 - relevances[note_id])


class NoteEvidence:
    """One note, in the view that conditions test."""

    def __init__(self, matcher: NoteMatcher, snapshot: Snapshot, note_id: int) -> None:
        self._matcher = matcher
        self._snapshot = snapshot
        self._note_id = note_id
        self.metadata: NoteMetadata = snapshot.note_table.metadata(note_id)

    def has_date(self) -> bool:
        """Return whether the note has a date of its own."""
        return self._snapshot.note_table.stated_date(self._note_id) is not None

    def has_words(self, text: str) -> bool:
        """Return whether every word of a text is in the note; True for a text of stop words."""
        notes = self._matcher.notes_with(text)
        return notes is None or self._note_id in notes

    def has_phrase(self, text: str) -> bool:
        """Return whether a section, a heading, the title or an alias has the words of a text next
        to each other.
        """
        if not self.has_words(text):
            return False
        language = self._snapshot.language(self._note_id)
        phrase = self._matcher.phrase_terms(text, language)
        return not phrase or any(
            _contains(terms(each, language), phrase) for each in self._texts()
        )

    def title_has(self, text: str) -> bool:
        """Return whether every word of a text is in the title or an alias, also words that are not
        indexed; a text without words has to be a part of one.
        """
        language = self._snapshot.language(self._note_id)
        stem = stemmer(language)
        names = (self.metadata.title, *self.metadata.aliases)
        wanted = {*map(stem, words_of(text))}
        if not wanted:
            return any(same_name(text) in same_name(name) for name in names)
        found = {term for name in names for term in terms(name, language)}
        return wanted <= found.union(stem(word) for name in names for word in words_of(name))

    def _texts(self) -> list[str]:
        fragments = [
            self._snapshot.index.fragment(number)
            for number in self._snapshot.numbers_of(self._note_id)
        ]
        headings = {heading for fragment in fragments for heading in fragment.trail}
        return [
            self.metadata.title,
            *self.metadata.aliases,
            *headings,
            *(fragment.text for fragment in fragments),
        ]


def _contains(found: list[str], phrase: list[str]) -> bool:
    """Return whether one list of terms contains another as a contiguous sublist."""
    width = len(phrase)
    return any(
        found[index : index + width] == phrase for index in range(len(found) - width + 1)
    )
