"""The names of a note, and their letters, by which other forms and misspellings are found."""

from __future__ import annotations

from collections.abc import Iterable

from brain_cli.types import NoteMetadata
from brain_cli.vault.links import stem

# The 4-grams of the letters of some words.
Letters = frozenset[str]

GRAM_LETTERS = 4


def letters_of(words: Iterable[str]) -> Letters:
    """Return the letter 4-grams of some words; each word begins and ends with a blank."""
    padded = (f" {word} " for word in words)
    return frozenset(
        word[start : start + GRAM_LETTERS] for word in padded for start in range(max(1, len(word) - GRAM_LETTERS + 1))
    )


def names_of(metadata: NoteMetadata) -> tuple[str, ...]:
    """Return the names of a note as written, each once: its title, its aliases and its file name."""
    return tuple(dict.fromkeys((metadata.title, *metadata.aliases, stem(metadata.path))))
