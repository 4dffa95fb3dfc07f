"""A note table is written as columns, a base and its changes, and read as it was written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, MutableMapping

import pytest
from growth import assert_linear
from hypothesis import given
from hypothesis import strategies as st
from texts import any_text

from brain_cli.index.damage import BrokenIndexError
from brain_cli.index.note_rows import Columns, NoteRow
from brain_cli.index.note_table import Anchors, NoteTable, dump, load

NUMBERS = st.integers(0, 2**40)
IDS = st.lists(st.integers(1, 2**40), max_size=4)
NAMES = any_text(8)
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
    language=st.sampled_from(["en", "de"]),
    fragments=NUMBERS,
    length=NUMBERS,
    archived=st.booleans(),
    snoozed_until=st.floats(0, 1e12),
    project=NAMES,
    tags=st.lists(NAMES, max_size=2),
    successors=IDS,
    neighbours=IDS,
    line=st.sampled_from(
        [f'[[],[],"sketch","{hashes}"]' for hashes in ("", "01234567", "0123456789abcdef")]
    ),
)
TABLES = st.builds(
    lambda rows: NoteTable(
        3, 2**41, {row.note_id: row for row in rows}, anchors=Anchors('\n"hmm":[1,2]')
    ),
    st.lists(ROWS, max_size=5),
)


class Files:
    """The files of a note table, as a build has them."""

    def __init__(self) -> None:
        self.bases: dict[int, bytes] = {}
        self.changes = b""

    def write(self, table: NoteTable) -> None:
        self.changes = dump(table, self.bases.__setitem__)

    def read(self) -> NoteTable:
        return load(self.changes, self.base)

    def base(self, number: int) -> Columns:
        return Columns(self.bases[number], number)


def written(table: NoteTable) -> Files:
    files = Files()
    files.write(table)
    return files


@given(TABLES)
def test_a_table_is_read_as_it_was_written(table: NoteTable) -> None:
    stored = written(table).read()
    assert (stored.generation, stored.next_id, stored.anchors.lines) == (3, 2**41, '\n"hmm":[1,2]')
    assert_has_rows(stored, table.rows)


def assert_has_rows(stored: NoteTable, rows: Mapping[int, NoteRow]) -> None:
    """Assert that a stored table has these rows in their order, in each form in which it returns
    them.
    """
    assert list(stored.rows.items()) == list(rows.items())
    assert len(stored.rows) == len(rows)
    for field in NoteRow._fields:
        assert list(stored.column(field).items()) == [
            (note_id, getattr(row, field)) for note_id, row in rows.items()
        ]
    for note_id, row in rows.items():
        assert stored.neighbours(note_id) == row.neighbours
        assert list(stored.successors(note_id)) == row.successors
        assert stored.section_dates(note_id) == row.section_dates
    assert list(stored.tag_terms.items()) == list(NoteTable(rows=rows).tag_terms.items())
    assert stored.superseded == {note_id for note_id, row in rows.items() if row.successors}


def test_a_table_without_notes_has_empty_columns() -> None:
    stored = written(NoteTable()).read()
    assert (len(stored.rows), stored.notes, stored.file_states, stored.ids) == (0, 0, {}, {})


@given(TABLES, st.data())
def test_a_table_that_was_cut_or_overwritten_is_never_read(
    table: NoteTable, data: st.DataObject
) -> None:
    files = written(table)
    raw = bytearray(data.draw(st.sampled_from([files.changes, files.bases[1]])))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= 1
    damaged = data.draw(st.sampled_from([bytes(raw), bytes(raw[:place])]))
    with pytest.raises(BrokenIndexError):
        read_every_part(Columns(damaged))


def read_every_part(columns: Columns) -> None:
    for name in ("head", "lines", "anchors", *NoteRow._fields):
        columns.part(name)


# A change of a table: delete a note, replace its row in place, or add a row with a new id.
CHANGES = st.lists(
    st.tuples(st.sampled_from(["delete", "replace", "add"]), st.integers(0, 9), ROWS), max_size=6
)


@given(TABLES, st.lists(CHANGES, max_size=3))
def test_a_changed_table_is_read_as_a_dictionary_of_its_rows_would_be_changed(
    table: NoteTable, refreshes: list[list[tuple[str, int, NoteRow]]]
) -> None:
    files, expected, new_id = written(table), dict(table.rows), 2**41
    for changes in refreshes:
        before = files.read()
        rows = before.rows.copy()
        for kind, place, row in changes:
            new_id += 1
            for each in (expected, rows):
                change(each, kind, place, row, new_id)
        files.write(before.with_rows(rows))
        assert_has_rows(files.read(), expected)
        assert_has_rows(before.with_rows(rows), expected)


def change(
    rows: MutableMapping[int, NoteRow], kind: str, place: int, row: NoteRow, new_id: int
) -> None:
    """Change rows, or a stored table's, in the same way."""
    known = list(rows)
    if kind == "add" or not known:
        rows[new_id] = row._replace(note_id=new_id)
    else:
        note_id = known[place % len(known)]
        if kind == "delete":
            del rows[note_id]
        else:
            rows[note_id] = row._replace(note_id=note_id)


def table_of(notes: int, line: str = "") -> NoteTable:
    return NoteTable(3, notes + 1, {number: row_of(number, line) for number in range(1, notes + 1)})


def row_of(number: int, hashes: str) -> NoteRow:
    record = json.dumps([[], [], "", hashes])
    return NoteRow(
        *(
            number,
            f"{number}.md",
            1,
            1,
            "",
            0.0,
            "mtime",
            [],
            "note",
            "en",
            1,
            1,
            False,
            False,
            0.0,
            "",
            [],
            [],
            [],
        ),
        record,
    )


def changed(files: Files, change_rows: Callable[[MutableMapping[int, NoteRow]], None]) -> NoteTable:
    """Write a table with changed rows, and return it as it is read."""
    before = files.read()
    rows = before.rows.copy()
    change_rows(rows)
    files.write(before.with_rows(rows))
    return files.read()


def test_one_changed_note_of_many_writes_no_new_base() -> None:
    files = written(table_of(1_000))
    before = len(files.changes)
    stored = changed(files, lambda rows: rows.update({7: row_of(7, "0000000a")}))
    assert list(files.bases) == [1]
    assert len(files.changes) - before < len(files.bases[1]) / 20
    assert stored.rows[7].line.endswith('"0000000a"]')


def test_many_changed_notes_write_a_new_base() -> None:
    files = written(table_of(1_000))
    stored = changed(
        files,
        lambda rows: rows.update({number: row_of(number, "0000000a") for number in range(1, 101)}),
    )
    assert list(files.bases) == [1, 2]
    assert stored.rows.base.number == 2
    assert stored.rows.changed == {}


LINES = st.lists(
    st.integers(0, 3).map(lambda number: f"{number:08x}"), max_size=3, unique=True
).map("".join)


@given(
    st.lists(LINES, min_size=8, max_size=40),
    st.lists(
        st.dictionaries(st.integers(1, 45), st.one_of(st.none(), LINES), max_size=6), max_size=3
    ),
)
def test_boilerplate_after_changes_is_that_of_a_new_table(
    notes: list[str], refreshes: list[dict[int, str | None]]
) -> None:
    lines = dict(enumerate(notes, start=1))
    files = written(
        NoteTable(1, 99, {number: row_of(number, hashes) for number, hashes in lines.items()})
    )
    for refresh in refreshes:
        lines = {
            number: hashes for number, hashes in {**lines, **refresh}.items() if hashes is not None
        }

        def change_rows(
            rows: MutableMapping[int, NoteRow], refresh: dict[int, str | None] = refresh
        ) -> None:
            for number, hashes in refresh.items():
                rows.pop(number, None)
                if hashes is not None:
                    rows[number] = row_of(number, hashes)

        stored = changed(files, change_rows)
        again = written(
            NoteTable(1, 99, {number: row_of(number, hashes) for number, hashes in lines.items()})
        ).read()
        assert stored.boilerplate == again.boilerplate


def large_table(notes: int) -> Files:
    """Return the files of a table of so many notes, of which every hundredth has changed since its
    base was written.
    """
    row = NoteRow(
        1,
        "",
        9,
        9,
        "hash",
        1.0,
        "",
        [],
        "",
        "en",
        1,
        9,
        False,
        False,
        0.0,
        "",
        [],
        [],
        [],
        '[[],[],"",""]',
    )
    rows = {
        number: row._replace(note_id=number, path=f"{number}.md", successors=[1])
        for number in range(1, notes)
    }
    files = written(NoteTable(3, 2**41, rows))
    table = files.read()
    changeable = table.rows.copy()
    for number in range(1, notes, 100):
        changeable[number] = rows[number]._replace(size=10)
    changed = table.with_rows(changeable)
    files.write(changed)
    return files


def use_every_row(files: Files) -> None:
    table = files.read()
    for note_id in table.rows:
        assert table.neighbours(note_id) == []
        assert table.successors(note_id) == [1]
        assert note_id in table.rows
    assert len(table.rows) == len(list(table.rows.values())) == len(table.superseded)


def test_using_every_row_takes_time_in_proportion_to_the_rows() -> None:
    assert_linear(use_every_row, large_table, 4_000)
