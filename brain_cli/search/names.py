"""How much of a note's name a query says: in exact words, and by the letters of names that are spelled differently."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import terms
from brain_cli.vault.folding import same_name
from brain_cli.vault.links import stem


def names_of(metadata: NoteMetadata) -> tuple[str, ...]:
    """Return the names of a note as written, each once: its title, its aliases and its file name."""
    return tuple(dict.fromkeys((metadata.title, *metadata.aliases, stem(metadata.path))))


def is_named(metadata: NoteMetadata, wanted: str) -> bool:
    """Whether a note has exactly this name, or this path; `wanted` is in the form of `same_name`."""
    return any(same_name(name) == wanted for name in (*names_of(metadata), metadata.path))


def name_coverage(names: Iterable[str], query_terms: Collection[str], language: str) -> float:
    """Return the largest share (0..1) of one name's distinct words that the query has."""
    shares = (_share(set(terms(name, language)), query_terms) for name in names)
    return max(shares, default=0.0)


def _share(words: set[str], query_terms: Collection[str]) -> float:
    return sum(word in query_terms for word in words) / len(words) if words else 0.0
