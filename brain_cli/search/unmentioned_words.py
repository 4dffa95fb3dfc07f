"""Find the words of a query that no note mentions in any form, for “No note mentions …”."""

from __future__ import annotations

from collections.abc import Container, Iterable

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import look_up
from brain_cli.search.expansion import prefix_of
from brain_cli.vault.analyzer import Word


def unmentioned_words(snapshot: Snapshot, words: Iterable[Word], corrected: Container[str]) -> tuple[str, ...]:
    """Return the content words, as typed, that no note has; `corrected` words are always included."""
    missing = (word for word in words if not word.optional and not look_up(snapshot, word).scores.frequency)
    return tuple(word.text for word in missing if word.text in corrected or not _has_form_of(snapshot, word))


def _has_form_of(snapshot: Snapshot, word: Word) -> bool:
    """Return whether the vault has a word with the prefix of a stem, because a stemmer may miss related forms."""
    return any(map(snapshot.has_prefix, filter(None, map(prefix_of, word.variants))))
