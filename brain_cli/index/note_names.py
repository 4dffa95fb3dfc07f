"""The names of a note, and their letter 4-grams, by which similar names and misspellings are found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from brain_cli.types import NoteMetadata
from brain_cli.vault.links import INDEX_PAGES, stem

# The letter 4-grams of some words.
Letters = frozenset[str]

GRAM_LETTERS = 4
# A vault is called like its folder.
MAX_VAULT_NAME = 255
# “Maps of Content (MOC)”, “Induction (proof)”.
_IN_BRACKETS = re.compile(r"(.*\S)\s*\(([^()]+)\)")


def letters_of(words: Iterable[str]) -> Letters:
    """Return the letter 4-grams of some words, with a space before and after each word."""
    padded = (f" {word} " for word in words)
    return frozenset(
        word[start : start + GRAM_LETTERS] for word in padded for start in range(max(1, len(word) - GRAM_LETTERS + 1))
    )


def vaults_and_paths(name: str) -> list[tuple[str, str]]:
    """Return the ways to read `vault:path`: the name of a vault may have a colon too, and so may a path."""
    colons = [place for place, letter in enumerate(name[: MAX_VAULT_NAME + 1]) if letter == ":"]
    return [(name[:place], name[place + 1 :]) for place in colons if name[place + 1 :]]


def names_of(metadata: NoteMetadata) -> tuple[str, ...]:
    """Return the names of a note as written, each once: its title, its aliases and its file name.

    A name with its abbreviation in brackets is two names more.
    """
    names = (metadata.title, *metadata.aliases, stem(metadata.path))
    return tuple(dict.fromkeys(chain(names, *map(_abbreviated, names))))


def descriptive_names_of(metadata: NoteMetadata) -> tuple[str, ...]:
    """Return the names that describe what a note is about.

    These are its names, and those without what is in brackets; the name of its folder stands for `README` and `index`.
    """
    file_name = stem(metadata.path)
    if file_name.casefold() in INDEX_PAGES:
        file_name = metadata.path.rpartition("/")[0].rpartition("/")[2]
    names = (metadata.title, *metadata.aliases, *((file_name,) if file_name else ()))
    return tuple(dict.fromkeys(chain(names, *map(_abbreviated, names), *map(_without_brackets, names))))


def _without_brackets(name: str) -> Iterator[str]:
    if found := _IN_BRACKETS.fullmatch(name):
        yield found[1]


def _abbreviated(name: str) -> tuple[str, ...]:
    """Return what stands before brackets and in them, if one abbreviates the other."""
    found = _IN_BRACKETS.fullmatch(name)
    return found.groups() if found and _abbreviates(*sorted(found.groups(), key=len)) else ()


def _abbreviates(short: str, long: str) -> bool:
    """Return whether a name is made of the initials of another's words, small words counted or not."""
    words = long.replace("-", " ").split()
    initials = ("".join(word[0] for word in kept) for kept in (words, [each for each in words if not each.islower()]))
    return len(short) > 1 and short.casefold() in map(str.casefold, initials)
