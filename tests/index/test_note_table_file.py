"""A note table is written as columns, and read as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.index.anchors import Anchors
from brain_cli.index.damage import BrokenIndexError
from brain_cli.index.note_table import NoteRow, NoteTable
from brain_cli.index.note_table_file import dump, load

NUMBERS = st.integers(0, 2**40)
IDS = st.lists(st.integers(1, 2**40), max_size=4)
NAMES = st.text(max_size=8)
ROWS = st.builds(
    NoteRow,
    note_id=st.integers(1, 2**40),
    # A file name that is not UTF-8 has surrogates in it.
    path=st.text(st.characters(exclude_categories=[]), max_size=8),
    size=NUMBERS,
    # A time in nanoseconds may need more than 64 bits.
    mtime_ns=st.integers(-1, 2**70),
    content_hash=NAMES,
    timestamp=st.floats(-1e12, 1e12),
    dated_by=NAMES,
    section_dates=st.lists(st.tuples(st.integers(0, 99), st.floats(0, 1e12)).map(list), max_size=2),
    kind=NAMES,
    language=NAMES,
    fragments=NUMBERS,
    length=NUMBERS,
    archived=st.booleans(),
    snoozed_until=st.floats(0, 1e12),
    project=NAMES,
    tags=st.lists(NAMES, max_size=2),
    successors=IDS,
    neighbours=IDS,
    line=st.just('[[],[],"sketch","0123"]'),
)
TABLES = st.builds(
    lambda rows: NoteTable(3, 2**41, {row.note_id: row for row in rows}, anchors=Anchors('\n"hmm":[1,2]')),
    st.lists(ROWS, max_size=5),
)


@given(TABLES)
def test_a_table_is_read_as_it_was_written(table: NoteTable) -> None:
    stored = load(dump(table))
    assert (stored.generation, stored.next_id, stored.anchors.lines) == (3, 2**41, '\n"hmm":[1,2]')
    assert dict(stored.rows) == dict(table.rows)
    for field in NoteRow._fields:
        assert stored.column(field) == table.column(field)
    assert all(stored.neighbours(note_id) == row.neighbours for note_id, row in table.rows.items())


def test_a_table_without_notes_has_empty_columns() -> None:
    stored = load(dump(NoteTable()))
    assert (len(stored.rows), stored.notes, stored.file_states, stored.ids) == (0, 0, {}, {})


@given(TABLES, st.data())
def test_a_table_that_was_cut_or_overwritten_is_never_read(table: NoteTable, data: st.DataObject) -> None:
    raw = bytearray(dump(table))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= 1
    damaged = data.draw(st.sampled_from([bytes(raw), bytes(raw[:place])]))
    with pytest.raises(BrokenIndexError):
        load(damaged)


@given(TABLES)
def test_all_rows_at_once_are_the_rows_one_by_one(table: NoteTable) -> None:
    stored = load(dump(table))
    first = next(iter(stored.rows.values()), None)
    assert stored.all_rows() == dict(table.rows)
    assert first is None or stored.all_rows()[first.note_id] is first
