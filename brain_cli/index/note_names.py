"""The names of a note, and what similar names and misspellings are found by: letter 4-grams, and
the edit distance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from brain_cli.index.note_rows import NameTerms
from brain_cli.types import NoteMetadata, is_index_page, stem
from brain_cli.vault.analyzer import terms

# The letter 4-grams of some words.
Letters = frozenset[str]

GRAM_LETTERS = 4
# A vault has the name of its folder.
MAX_VAULT_NAME = 255
# “Maps of Content (MOC)”, “Induction (proof)”.
_PARENTHESES = r"(.*\S)\s*\(([^()]+)\)"


def letters_of(words: Iterable[str]) -> Letters:
    """Return the letter 4-grams of some words, with a space before and after each word."""
    padded = (f" {word} " for word in words)
    return frozenset(
        word[start : start + GRAM_LETTERS]
        for word in padded
        for start in range(max(1, len(word) - GRAM_LETTERS + 1))
    )


def name_terms(metadata: NoteMetadata, language: str) -> NameTerms:
    """Return the terms of the names that describe a note, in the language of the note."""
    names = (tuple(terms(name, language)) for name in descriptive_names_of(metadata))
    found = [name for name in dict.fromkeys(names) if name]
    lines = "\n".join(f" {' '.join(name)} " for name in found)
    return NameTerms(lines, tuple(len(letters_of(name)) for name in found))


def vaults_and_paths(name: str) -> list[tuple[str, str]]:
    """Return the ways to split `vault:path`, because both the vault's name and the path may contain
    colons.
    """
    colons = [index for index, letter in enumerate(name[: MAX_VAULT_NAME + 1]) if letter == ":"]
    return [(name[:index], name[index + 1 :]) for index in colons if name[index + 1 :]]


def names_of(metadata: NoteMetadata) -> tuple[str, ...]:
    """Return the names of a note as written, each once: its title, its aliases and its file name.

    A name with its abbreviation in parentheses gives two more names.
    """
    names = (metadata.title, *metadata.aliases, stem(metadata.path))
    return tuple(dict.fromkeys(chain(names, *map(_abbreviated, names))))


def descriptive_names_of(metadata: NoteMetadata) -> tuple[str, ...]:
    """Return the names that describe what a note is about.

    These are its names, also without parentheses; for `README` and `index`, the name of the folder
    replaces the stem.
    """
    file_name = stem(metadata.path)
    if is_index_page(metadata.path):
        file_name = metadata.path.rpartition("/")[0].rpartition("/")[2]
    names = (metadata.title, *metadata.aliases, *((file_name,) if file_name else ()))
    return tuple(
        dict.fromkeys(
            chain(names, *map(_abbreviated, names), *map(_without_parentheses, names))
        )
    )


def _without_parentheses(name: str) -> Iterator[str]:
    if found := re.fullmatch(_PARENTHESES, name):
        yield found[1]


def _abbreviated(name: str) -> tuple[str, ...]:
    """Return the parts before and in parentheses, if one abbreviates the other."""
    found = re.fullmatch(_PARENTHESES, name)
    return found.groups() if found and _abbreviates(*sorted(found.groups(), key=len)) else ()


def _abbreviates(short: str, long: str) -> bool:
    """Return whether a name is the initials of another's words, with or without its lower-case
    words.
    """
    words = long.replace("-", " ").split()
    initials = (
        "".join(word[0] for word in kept)
        for kept in (words, [each for each in words if not each.islower()])
    )
    return len(short) > 1 and short.casefold() in map(str.casefold, initials)


def is_within(term: str, other: str, edits: int) -> bool:
    """Return whether the Levenshtein distance of two terms is at most `edits`."""
    if abs(len(term) - len(other)) > edits:
        return False
    before = list(range(len(other) + 1))
    for row, letter in enumerate(term, start=1):
        distances = [row]
        for column, instead in enumerate(other, start=1):
            distances.append(
                min(
                    before[column] + 1,
                    distances[-1] + 1,
                    before[column - 1] + (letter != instead),
                )
            )
        if min(distances) > edits:
            return False
        before = distances
    return before[-1] <= edits
