"""Recommend the model that fits the languages of a vault's text."""

from __future__ import annotations

from collections.abc import Sequence

from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.meaning.models import E5_SMALL, MINILM
from brain_cli.vault.analyzer import DEFAULT_LANGUAGE, detected_language

# The languages of a vault are read from so many of its notes, and so much of each.
NOTES_READ = 200
CHARS_READ = 4_000
# Less text of other languages than this share is noise: a quotation, a list of names.
LEAST_SHARE = 0.05
# A text whose language is unknown is not English if it has this share of letters outside ASCII.
FOREIGN_LETTERS = 0.05


def recommended(snapshot: Snapshot) -> str:
    """Return the name of the model that fits the text of a vault."""
    lengths = snapshot.note_table.column("length")
    note_ids = sorted(lengths)
    read = note_ids[:: max(1, len(note_ids) // NOTES_READ)]
    foreign = sum(lengths[each] for each in read if _is_foreign(_beginning(snapshot, each)))
    least = LEAST_SHARE * sum(lengths[each] for each in read)
    return E5_SMALL.name if foreign and foreign >= least else MINILM.name


def by_languages(languages: Sequence[str]) -> str:
    """Return the name of the model that fits notes elsewhere, whose most frequent language is the
    first one.
    """
    return MINILM.name if tuple(languages[:1]) == (DEFAULT_LANGUAGE,) else E5_SMALL.name


def _beginning(snapshot: Snapshot, note_id: int) -> str:
    first = snapshot.numbers_of(note_id).start
    return snapshot.index.fragment(first).text[:CHARS_READ]


def _is_foreign(text: str) -> bool:
    """Return whether a text is in another language than English."""
    if language := detected_language(text):
        return language != DEFAULT_LANGUAGE
    letters = [char for char in text if char.isalpha()]
    foreign = sum(not char.isascii() for char in letters)
    return foreign > FOREIGN_LETTERS * len(letters)
