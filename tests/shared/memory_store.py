"""A store in this process's memory: the simplest implementation of the contract, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy

from memory_reader import MemoryReader
from memory_state import MemoryState, NoteInMemory

from brain_cli.index.shared_store import StoreError
from brain_cli.index.shared_store_values import (
    Health,
    KnownNote,
    NoteWords,
    StoredNote,
    VaultFacts,
)


class MemoryStore:
    """Many vaults in this process."""

    def __init__(self) -> None:
        self.state = MemoryState({}, {}, {}, {}, {})
        self._last_id = 0

    def reader(self, events_since: int = 0) -> MemoryReader:  # noqa: ARG002 - all events are in memory
        return MemoryReader(self.state)

    def record(self, events: Mapping[str, str]) -> None:
        new = {key: line for key, line in events.items() if key not in self.state.events}
        self.state = self.state._replace(events=self.state.events | new)

    def pin(self, note: str, *, pinned: bool) -> None:
        self.state = self.state._replace(pins={**self.state.pins, note: pinned})

    def vault(self, name: str, origin: str, *, join: bool = False) -> MemoryVault:
        known = self.state.origins.setdefault(name, origin)
        if known != origin and not join:
            raise StoreError(f"The shared memory has another vault called “{name}”.")
        return MemoryVault(self, name)

    def remove_vault(self, name: str) -> int:
        kept = {note_id: stored for note_id, stored in self.state.notes.items() if stored.vault != name}
        removed = len(self.state.notes) - len(kept)
        self.state = self.state._replace(notes=kept)
        return removed

    def new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def health(self) -> Health:
        totals = self.reader().totals()
        vaults = len(self.state.origins)
        return Health("memory", 0.0, totals.generation, totals.notes, totals.fragments, vaults, 0)

    def close(self) -> None:
        pass


class MemoryVault:
    """One vault of a store."""

    def __init__(self, store: MemoryStore, name: str) -> None:
        self.store = store
        self.name = name

    @property
    def origin(self) -> str:
        return self.store.state.origins[self.name]

    @property
    def token(self) -> str:
        return self.store.state.facts.get(self.name, VaultFacts()).token

    def known(self) -> dict[str, KnownNote]:
        stored = (each for each in self.store.state.notes.values() if each.vault == self.name)
        return {
            each.note.path: KnownNote(
                *(each.note.note_id, each.note.content_key, each.note.row_key, each.anchors_key),
                *(each.note.lengths, each.note.former_paths),
            )
            for each in stored
        }

    def new_ids(self, count: int) -> list[int]:
        return [self.store.new_id() for _ in range(count)]

    def writer(self) -> MemoryWriter:
        return MemoryWriter(self)

    def close(self) -> None:
        pass


class MemoryWriter:
    """One transaction: a copy of the state that takes its place when it is committed."""

    def __init__(self, vault: MemoryVault) -> None:
        self._vault = vault
        state = vault.store.state
        self._notes, self._facts = copy(state.notes), copy(state.facts)

    def put(self, note: StoredNote, words: NoteWords) -> None:
        before = self._notes.get(note.note_id)
        anchors = (before.anchors, before.anchors_key) if before else ({}, "")
        self._notes[note.note_id] = NoteInMemory(self._vault.name, note, words, *anchors)

    def update(self, note: StoredNote) -> None:
        self._notes[note.note_id] = self._notes[note.note_id]._replace(note=note)

    def link(self, note_id: int, anchors: Mapping[str, float], key: str) -> None:
        self._notes[note_id] = self._notes[note_id]._replace(anchors=anchors, anchors_key=key)

    def remove(self, note_ids: Iterable[int]) -> None:
        for note_id in note_ids:
            self._notes.pop(note_id, None)

    def settle(self, facts: VaultFacts) -> None:
        self._facts[self._vault.name] = facts

    def commit(self) -> None:
        store = self._vault.store
        generation = store.state.generation + 1
        store.state = store.state._replace(notes=self._notes, facts=self._facts, generation=generation)
