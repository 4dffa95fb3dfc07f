"""Vectors are kept by content, survive an interruption at any byte, and are found again."""

from __future__ import annotations

from pathlib import Path
from struct import pack

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from brain_cli.plugins.meaning.vectors import BusyError, NoteVectors, VectorStore, row_of

DIMENSIONS = 8


def made(count: int, seed: int = 1) -> NDArray[np.float32]:
    vectors: NDArray[np.float32] = (
        np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def add(store: VectorStore, notes: list[tuple[str, int]], vectors: NDArray[np.float32]) -> None:
    rows = iter(
        [
            row_of((10 + number, number, 1), vector.tolist(), record(number))
            for number, vector in enumerate(vectors)
        ]
    )
    store.append({key: [next(rows) for _ in range(count)] for key, count in notes}, DIMENSIONS)


def record(number: int) -> bytes:
    """The record of a passage of one part with so many tokens, each of two bits a component."""
    return pack("<HIH", 1, 10, number) + bytes([number % 256] * (number * DIMENSIONS // 4))


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    return VectorStore(tmp_path, "tiny")


def test_nothing_is_known_of_an_empty_folder(store: VectorStore) -> None:
    assert store.notes() == {}
    assert len(store.matrix()) == 0


def test_an_added_value_is_found_by_its_key(store: VectorStore) -> None:
    add(store, [("a b.md", 2), ("c d e.md", 1)], made(3))
    add(store, [("f g.md", 1)], made(1))
    assert store.notes() == {"a b.md": range(2), "c d e.md": range(2, 3), "f g.md": range(3, 4)}
    assert len(store.matrix()) == 4


def test_a_file_name_that_is_not_utf_8_is_a_key(store: VectorStore) -> None:
    add(store, [("hash caf\udce9.md", 1)], made(1))
    assert store.notes() == {"hash caf\udce9.md": range(1)}


@given(lost=st.integers(0, 200), of_vectors=st.booleans())
def test_an_embedding_cut_off_at_any_byte_goes_on(
    tmp_path_factory: pytest.TempPathFactory, lost: int, of_vectors: bool
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    store = VectorStore(folder, "tiny")
    add(store, [("first", 3)], made(3))
    add(store, [("second", 2)], made(2))
    path = next(folder.glob("*.vectors" if of_vectors else "*.notes"))
    content = path.read_bytes()
    path.write_bytes(content[: max(0, len(content) - lost)])
    known = store.notes()
    missing = [(key, count) for key, count in (("first", 3), ("second", 2)) if key not in known]
    add(store, missing, made(sum(count for _, count in missing)))
    notes, size = store.notes(), len(store.matrix())
    assert {key: len(rows) for key, rows in notes.items()} == {"first": 3, "second": 2}
    assert all(rows.stop <= size for rows in notes.values())


def test_two_processes_do_not_embed_the_same_vault(store: VectorStore, tmp_path: Path) -> None:
    with store.writing(), pytest.raises(BusyError), VectorStore(tmp_path, "tiny").writing():
        pass


def test_the_rows_of_notes_that_are_gone_are_dropped_when_they_are_most(
    store: VectorStore,
) -> None:
    vectors = made(10)
    add(store, [("old", 8), ("kept", 2)], vectors)
    matrix = store.matrix()
    before = [*map(matrix.row, (8, 9))]
    store.keep_only(["kept", "new"])
    assert store.notes() == {"kept": range(2)}
    matrix = store.matrix()
    assert [*map(matrix.row, (0, 1))] == before
    assert matrix.tokens(1) == record(9)


def test_the_rows_of_notes_that_are_gone_stay_while_they_are_few(store: VectorStore) -> None:
    add(store, [("old", 2), ("kept", 8)], made(10))
    store.keep_only(["kept"])
    assert store.notes().keys() == {"old", "kept"}


@given(seed=st.integers(0, 1_000))
def test_whole_numbers_keep_the_cosine(seed: int) -> None:
    for vector in made(2, seed):
        row = row_of((0, 0, 0), vector.tolist(), b"")
        assert np.abs(np.frombuffer(row.components, np.int8) * row.scale - vector).max() < 0.01


def test_a_note_is_as_near_as_its_best_passage(store: VectorStore) -> None:
    vectors = made(30)
    add(store, [(f"note {number}", 3) for number in range(10)], vectors)
    rows = {number: range(3 * number, 3 * number + 3) for number in range(10) if number != 4}
    found = NoteVectors(store.matrix(), rows).deviations(vectors[20])
    assert max(found.notes, key=found.notes.__getitem__) == 6
    assert 4 not in found.notes
    assert found.nearest(6) == [20]
    assert store.matrix().position(20) == (30, 20, 1)
    assert found.nearest(4) == []
    assert np.mean(list(found.notes.values())) == pytest.approx(0.0, abs=1e-4)


def test_few_notes_stand_out_from_what_is_usual_for_the_model(store: VectorStore) -> None:
    vectors = made(2)
    add(store, [("first", 1), ("second", 1)], vectors)
    vectors_of_notes = NoteVectors(store.matrix(), {1: range(1), 2: range(1, 2)})
    alone = vectors_of_notes.deviations(vectors[0])
    assert max(alone.notes.values()) == pytest.approx(1.0)
    usual = vectors_of_notes.deviations(vectors[0], (0.0, 0.1))
    assert usual.notes[1] > 4
    assert usual.notes[2] < 2


def test_the_last_note_may_end_with_the_last_row(store: VectorStore) -> None:
    vectors = made(4)
    add(store, [("only", 4)], vectors)
    found = NoteVectors(store.matrix(), {1: range(4)}).deviations(vectors[3])
    assert found.nearest(1) == [3]
    assert len(found.nearest(1, most=3)) == 3


def test_tokens_that_the_disk_has_lost_are_not_there(
    store: VectorStore, tmp_path: Path
) -> None:
    add(store, [("note", 3)], made(3))
    [tokens] = tmp_path.glob("*.tokens")
    tokens.write_bytes(tokens.read_bytes()[:-1])
    assert [*map(store.matrix().tokens, range(3))] == [record(0), record(1), b""]
    tokens.unlink()
    assert [*map(store.matrix().tokens, range(3))] == [b""] * 3
    assert store.notes().keys() == {"note"}


def test_the_vectors_of_an_older_version_are_deleted(
    store: VectorStore, tmp_path: Path
) -> None:
    older, other = tmp_path / "meaning-1-tiny.vectors", tmp_path / "meaning-1-another.vectors"
    older.touch()
    other.touch()
    add(store, [("note", 1)], made(1))
    with store.writing():
        pass
    assert not older.exists()
    assert other.exists()
    assert store.notes().keys() == {"note"}
