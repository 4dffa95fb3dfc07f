"""Note → weighted bags of words: what each place a word stands in is worth to BM25."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from brain_cli.types import Fragment, NoteMetadata
from brain_cli.vault.analyzer import terms
from brain_cli.vault.links import stem

Bag = dict[str, float]
BODY_WEIGHT = 1.0
HEADING_WEIGHT = 2.0
ANCESTOR_WEIGHT = 1.0
TITLE_WEIGHT = 6.0
ALIAS_WEIGHT = 6.0
TAG_WEIGHT = 3.0
PATH_WEIGHT = 1.5
PROPERTY_WEIGHT = 1.0
# Weighted above, or told in a form that nobody searches for.
_STRUCTURE = (
    "title alias aliases tag tags topic topics type kind content_type date created updated modified lang language"
    " salience confidence strength decay_rate revisions pinned archived status related supersedes superseded_by"
)
NOT_TEXT = frozenset(_STRUCTURE.split())


def section_field_weights(fragment: Fragment, language: str) -> Bag:
    """Return the bag of one section: its text, its own heading, and the headings above it."""
    bag: Bag = {}
    _add(bag, terms(fragment.text, language), BODY_WEIGHT)
    for heading in fragment.trail[:-1]:
        _add(bag, terms(heading, language), ANCESTOR_WEIGHT)
    for heading in fragment.trail[-1:]:
        _add(bag, terms(heading, language), HEADING_WEIGHT)
    return bag


def note_field_weights(metadata: NoteMetadata, orphan_headings: Iterable[str], language: str) -> Bag:
    """Return the bag of the note as a whole: title, aliases, tags, topics, path, and headings without any text."""
    bag: Bag = {}
    _add(bag, terms(metadata.title, language), TITLE_WEIGHT)
    for alias in metadata.aliases:
        _add(bag, terms(alias, language), ALIAS_WEIGHT)
    for tag in (*metadata.tags, *metadata.topics):
        _add(bag, terms(tag, language), TAG_WEIGHT)
    folders = metadata.path.split("/")[:-1]
    _add(bag, terms(" ".join((*folders, stem(metadata.path))), language), PATH_WEIGHT)
    for heading in orphan_headings:
        _add(bag, terms(heading, language), HEADING_WEIGHT)
    # What else the head says, such as a description or an author, can be found too.
    for value in _property_texts(metadata):
        _add(bag, terms(value, language), PROPERTY_WEIGHT)
    return bag


def _property_texts(metadata: NoteMetadata) -> Iterator[str]:
    for key, value in metadata.properties.items():
        if key not in NOT_TEXT:
            yield from map(str, value if isinstance(value, list) else (value,))


def _add(bag: Bag, found: Iterable[str], weight: float) -> None:
    for term in found:
        bag[term] = bag.get(term, 0.0) + weight
