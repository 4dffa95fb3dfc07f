"""Read the SQLite databases of other programs. A database may be in use, and any column may be
missing.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from brain_cli.errors import BrainError
from brain_cli.types import Memory
from brain_cli.vault.dates import moment_of

Row = Mapping[str, object]
# A value in a stranger's database may be of any size, and a damaged table may never end.
MAX_VALUE_BYTES = 64 << 20
MAX_STEPS = 50_000_000
STEPS_BETWEEN_CHECKS = 10_000


class Database:
    """A database that is open for reading. `unreadable` has the records that could not be read so
    far.
    """

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.unreadable: list[Memory] = []
        self._path = path
        self._connection = connection
        self._checks = 0
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.set_progress_handler(self._is_over, STEPS_BETWEEN_CHECKS)

    def _is_over(self) -> bool:
        self._checks += 1
        return self._checks * STEPS_BETWEEN_CHECKS > MAX_STEPS

    def rows(self, table: str, order: str = "id") -> Iterator[Row]:
        """Yield the rows of a table; none if it does not exist.

        Views, virtual tables and generated columns are not read, because they compute whatever a
        stranger wants.
        """
        is_table = "type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        if not self._execute(
            f"SELECT 1 FROM sqlite_master WHERE {is_table} AND name = ?", table
        ).fetchone():
            return
        stored = [row["name"] for row in self._execute(f"PRAGMA table_info({_quoted(table)})")]
        by = order if order in stored else "rowid"
        numbers = self._execute(
            f"SELECT rowid FROM {_quoted(table)} ORDER BY {_quoted(by)}"
        ).fetchall()
        columns = ", ".join(map(_quoted, stored))
        for (number,) in numbers:
            # One statement for each row: a value that is too large ends its statement.
            try:
                found = self._execute(
                    f"SELECT {columns} FROM {_quoted(table)} WHERE rowid = ?", number
                ).fetchone()
            except sqlite3.DataError as error:
                place = f"{self._path}: row {number} of {table}"
                self.unreadable.append(
                    Memory(place, "", "", problem=f"cannot be read: {error}")
                )
            else:
                yield dict(found or {})

    def _execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)


@contextlib.contextmanager
def database(path: str) -> Iterator[Database]:
    """Open a database for reading; BrainError if it cannot be read."""
    if not os.path.isfile(path):
        raise BrainError(f"There is no file {path}.", "Name the database of the other program.")
    connection = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)
    try:
        yield Database(path, connection)
    except sqlite3.Error as error:
        if str(error) == "interrupted":
            raise BrainError(f"{path} takes too long to read.", "It may be damaged.") from None
        raise BrainError(
            f"{path} cannot be read: {error}.", "Close the other program, then try again."
        ) from None
    finally:
        connection.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(row: Row, *columns: str) -> str:
    """Return the first of these columns that is not empty."""
    found = (str(row[name]).strip() for name in columns if row.get(name) is not None)
    return next(filter(None, found), "")


def items(row: Row, *columns: str) -> tuple[str, ...]:
    """Return the items of these columns, each a list, a JSON list or a comma-separated list."""
    found = (each for name in columns for each in _items(row.get(name)))
    return tuple(dict.fromkeys(filter(None, found)))


def moment(row: Row, *columns: str) -> float | None:
    """Return the first of these columns that holds a time, in seconds since the epoch."""
    return next(filter(None, (moment_of(row.get(name)) for name in columns)), None)


def _items(value: object) -> Iterator[str]:
    found = value if isinstance(value, list) else []
    if isinstance(value, str):
        try:
            found = json.loads(value) if value.strip() else []
        except (ValueError, RecursionError):
            found = value.split(",")
    for each in found if isinstance(found, list) else [found]:
        if each in (None, {}, []):
            continue
        yield " ".join(str(each).split())
