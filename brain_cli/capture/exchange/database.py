"""Read the SQLite databases of other programs. A database may be in use, and any column may be missing."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from brain_cli.errors import BrainError
from brain_cli.vault.iso_dates import timestamp_of

Row = Mapping[str, object]
# These programs write times in seconds or milliseconds; a number of this size is in milliseconds.
MILLISECONDS_FROM = 1e11


@contextlib.contextmanager
def database(path: str) -> Iterator[sqlite3.Connection]:
    """Open a database for reading; BrainError if it cannot be read."""
    if not os.path.isfile(path):
        raise BrainError(f"There is no file {path}.", "Name the database of the other program.")
    connection = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        connection.execute("SELECT name FROM sqlite_master").fetchone()
        yield connection
    except sqlite3.Error as error:
        raise BrainError(f"{path} cannot be read: {error}.", "Close the other program, then try again.") from None
    finally:
        connection.close()


def rows(connection: sqlite3.Connection, table: str, order: str = "id") -> Iterator[Row]:
    """Yield the rows of a table; none if it does not exist. A view is not read, because its rows may never end."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,))
    if found.fetchone():
        columns = {row["name"] for row in connection.execute(f'PRAGMA table_info("{table}")')}
        by = order if order in columns else "rowid"
        yield from map(dict, connection.execute(f'SELECT * FROM "{table}" ORDER BY "{by}"'))


def text(row: Row, *columns: str) -> str:
    """Return the first of these columns that is not empty."""
    found = (str(row[name]).strip() for name in columns if row.get(name) is not None)
    return next(filter(None, found), "")


def items(row: Row, *columns: str) -> tuple[str, ...]:
    """Return the items of these columns, each a JSON list or a comma-separated list."""
    found = (each for name in columns for each in _items(row.get(name)))
    return tuple(dict.fromkeys(filter(None, found)))


def moment(row: Row, *columns: str) -> float | None:
    """Return the first of these columns that holds a time, in seconds since the epoch."""
    return next(filter(None, (seconds_of(row.get(name)) for name in columns)), None)


def seconds_of(value: object) -> float | None:
    """Return a time in seconds since the epoch, from a number or a date; None for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if abs(value) > MILLISECONDS_FROM else float(value)
    return timestamp_of(value) if isinstance(value, str) else None


def _items(value: object) -> Iterator[str]:
    if not isinstance(value, str) or not value.strip():
        return
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        found = value.split(",")
    for each in found if isinstance(found, list) else [found]:
        if each in (None, {}, []):
            continue
        yield " ".join(str(each).split())
