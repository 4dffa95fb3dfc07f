"""Field weights of a note: how much a word counts in each field.

A link's words count fully for the note it links to, as its anchor text, and half for the note it
stands in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from brain_cli.index import PreparedNote
from brain_cli.types import Fragment, Note, NoteMetadata, stem
from brain_cli.vault.analyzer import terms
from brain_cli.vault.not_text import SHOWN

TermWeights = dict[str, float]
# Each section has the headings above it, and the notes of a vault have tags, folders and headings
# in common.
_terms_of_name = lru_cache(maxsize=4096)(terms)
HEADING_WEIGHT = 2.0
ANCESTOR_WEIGHT = 1.0
TITLE_WEIGHT = 3.0
ALIAS_WEIGHT = 3.0
TAG_WEIGHT = 3.0
PATH_WEIGHT = 1.5
PROPERTY_WEIGHT = 1.0
# The share of its weight that a link's word has in the linking note.
LINK_SHARE = 0.5
# Properties that are weighted above, or whose values are not searched for.
_STRUCTURE = (
    "title alias aliases tag tags topic topics type kind content_type date created updated "
    "modified lang language"
    " salience confidence strength decay_rate revisions pinned archived status related "
    "supersedes superseded_by"
)
NOT_TEXT = frozenset(_STRUCTURE.split())


def section_field_weights(
    fragment: Fragment, link_words: str, language: str
) -> tuple[TermWeights, TermWeights]:
    """Return the weights of the terms of one section (its text, its own heading, and the headings
    above it), and of those within links to notes.

    `link_words` are the targets and texts of the links in it.
    """
    # Each word of the text counts one.
    text = fragment.text.replace(SHOWN, "") if SHOWN in fragment.text else fragment.text
    weights: TermWeights = {**Counter(terms(text, language))}
    # A word in a link counts less here, because it counts for the note that is linked.
    counts = Counter(terms(link_words, language)) if link_words else {}
    in_links: dict[str, float] = {}
    for term, count in counts.items():
        if term not in weights:
            continue
        linked = min(count, weights[term])
        in_links[term] = LINK_SHARE * linked
        weights[term] -= linked - in_links[term]
    for heading in fragment.trail[:-1]:
        _add(weights, _terms_of_name(heading, language), ANCESTOR_WEIGHT)
    for heading in fragment.trail[-1:]:
        _add(weights, _terms_of_name(heading, language), HEADING_WEIGHT)
    return weights, in_links


def note_field_weights(
    metadata: NoteMetadata, orphan_headings: Iterable[str], language: str
) -> TermWeights:
    """Return the weights of the note's terms: title, aliases, tags, topics, path, properties,
    headings without text.
    """
    weights: TermWeights = {}
    _add(weights, terms(metadata.title, language), TITLE_WEIGHT)
    for alias in metadata.aliases:
        _add(weights, terms(alias, language), ALIAS_WEIGHT)
    for tag in (*metadata.tags, *metadata.topics):
        _add(weights, _terms_of_name(tag, language), TAG_WEIGHT)
    folders = metadata.path.split("/")[:-1]
    _add(weights, terms(" ".join((*folders, stem(metadata.path))), language), PATH_WEIGHT)
    for heading in orphan_headings:
        _add(weights, terms(heading, language), HEADING_WEIGHT)
    # Other properties, such as a description or an author, can be found too.
    for value in _property_texts(metadata):
        _add(weights, terms(value, language), PROPERTY_WEIGHT)
    return weights


def _property_texts(metadata: NoteMetadata) -> Iterator[str]:
    for key, value in metadata.properties.items():
        if key not in NOT_TEXT:
            values = value if isinstance(value, list) else (value,)
            yield from (each for each in values if each != SHOWN)


def _add(weights: TermWeights, found: Iterable[str], weight: float) -> None:
    for term in found:
        weights[term] = weights.get(term, 0.0) + weight


def prepared(note: Note, language: str, stored: Callable[[Fragment], bytes]) -> PreparedNote:
    """Compute the words of a note; `stored` encodes a fragment as the engine stores it."""
    headings_above = {heading for fragment in note.fragments for heading in fragment.trail}
    about = note_field_weights(
        note.metadata, (h for h in note.headings if h not in headings_above), language
    )
    link_words = note.link_words or ("",) * len(note.fragments)
    weights = [
        section_field_weights(*pair, language)
        for pair in zip(note.fragments, link_words, strict=True)
    ]
    return PreparedNote(
        lengths=[max(1, round(sum(body.values()))) for body, _ in weights],
        bodies=[body for body, _ in weights],
        in_links=[in_links for _, in_links in weights],
        about=about,
        texts=[stored(fragment) for fragment in note.fragments],
    )
