"""The notes of a store in memory, and the test of a filter on one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from brain_cli.index import filter_keys as scopes
from brain_cli.index.filter_keys import COMPARISONS, Compared
from brain_cli.index.shared_store_values import NoteWords, StoredNote, VaultFacts


class NoteInMemory(NamedTuple):
    """A note with its words and the words of the links that lead to it."""

    vault: str
    note: StoredNote
    words: NoteWords
    anchors: Mapping[str, float]
    anchors_key: str


class MemoryState(NamedTuple):
    """All notes by id, the vaults' origins and facts by name, the user's events and pins, and the number of commits."""

    notes: dict[int, NoteInMemory]
    origins: dict[str, str]
    facts: dict[str, VaultFacts]
    events: dict[str, str]
    pins: dict[str, bool]
    generation: int = 0


def is_within_scope(stored: NoteInMemory, scope: scopes.Scope) -> bool:
    """Return whether a note passes a filter."""
    keys = stored.note.keys
    match scope:
        case scopes.Anything():
            return True
        case Compared("timestamp", _, seconds):
            return bool(stored.note.timestamp >= seconds)
        case Compared("properties", _, (key, value)):
            return value in keys.properties.get(key, ())
        case Compared(key, comparison, value):
            return COMPARISONS[comparison](getattr(keys, key), value)
        case scopes.HasWord(variants):
            fields = (stored.words.about, stored.anchors, *stored.words.bodies)
            return any(term in term_weights for term_weights in fields for term in variants)
        case scopes.Both(several):
            return all(is_within_scope(stored, each) for each in several)
        case scopes.Either(several):
            return any(is_within_scope(stored, each) for each in several)
        case scopes.Outside(inner):
            return not is_within_scope(stored, inner)
    raise AssertionError(scope)
