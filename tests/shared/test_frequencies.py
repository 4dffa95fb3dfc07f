"""The server counts the fragments with a word from sums that its writers keep: they stay exact through every change."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pytest
from memory_store import MemoryStore

from brain_cli.index.engines import _postgresql_writer
from brain_cli.index.shared_store import Store, VaultInStore
from brain_cli.index.shared_store_values import FilterKeys, NoteWords, StoredNote, Variants

TERMS = [f"term{number}" for number in range(8)]
# Words of one term and of several, also of one that no note has.
WORDS: list[Variants] = [
    *((term,) for term in TERMS),
    ("term0", "term1"),
    ("term2", "term3", "term4"),
    ("term5", "unknown"),
    ("unknown",),
]


def some_terms(chance: random.Random, most: int) -> dict[str, float]:
    return dict.fromkeys(chance.sample(TERMS, chance.randint(0, most)), 1.0)


def note(chance: random.Random, note_id: int) -> tuple[StoredNote, NoteWords]:
    """Make a note of up to four sections, with words in its title, its texts and its links."""
    bodies = [some_terms(chance, 5) for _ in range(chance.randint(1, 4))]
    return stored_note(note_id, bodies, some_terms(chance, 2))


def stored_note(
    note_id: int, bodies: Sequence[dict[str, float]], about: Mapping[str, float] = MappingProxyType({})
) -> tuple[StoredNote, NoteWords]:
    """Make a note whose sections and title have these terms."""
    keys = FilterKeys("note", f"{note_id}.md", (), (), (), (), {})
    lengths = [max(1, len(body)) for body in bodies]
    stored = StoredNote(
        *(note_id, f"{note_id}.md", "", "", "", "english", lengths, False, 0.0, True, (), (), keys, "{}", ""),
    )
    in_links: list[dict[str, float]] = [{} for _ in bodies]
    return stored, NoteWords(bodies, in_links, about, [b""] * len(bodies))


def change(chance: random.Random, vaults: Sequence[VaultInStore], known: list[int], fresh: list[int]) -> None:
    """Put, replace, remove and link some notes, the same ones in every store."""
    put = [fresh.pop() for _ in range(chance.randint(0, 6))] + chance.sample(known, min(len(known), 2))
    removed = [each for each in known if chance.random() < 0.2 and each not in put]
    notes = [note(chance, note_id) for note_id in put]
    known[:] = [each for each in {*known, *put} if each not in removed]
    linked = {each: some_terms(chance, 2) for each in known if chance.random() < 0.3}
    for vault in vaults:
        writer = vault.writer()
        for stored, words in notes:
            writer.put(stored, words)
        writer.remove(removed)
        for note_id, anchors in linked.items():
            writer.link(note_id, anchors, str(anchors))
        writer.commit()


def counts(store: Store) -> list[int]:
    reader = store.reader()
    found = reader.frequencies(WORDS).counts
    reader.close()
    return found


@pytest.mark.parametrize("seed", range(4))
def test_frequencies_stay_exact_through_edits_removals_links_and_merges(
    memory: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_cli.index.engines.postgresql import open_store

    # Chunks are merged early, and most of them are changed by then.
    monkeypatch.setattr(_postgresql_writer, "MAX_SMALL", 3)
    chance = random.Random(seed)
    stores: list[Store] = [MemoryStore(), open_store(memory)]
    known: list[int] = []
    fresh = list(range(200, 0, -1))
    for round_ in range(20):
        vaults = [store.vault("vault", "me") for store in stores]
        change(chance, vaults, known, fresh)
        assert counts(stores[1]) == counts(stores[0]), round_
        if round_ % 5 == 4:
            for vault in vaults:
                vault.close()
            assert counts(stores[1]) == counts(stores[0]), f"{round_}, merged"
    stores[1].close()
