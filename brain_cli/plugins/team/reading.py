"""A transaction that reads one state of a shared memory, in few round trips."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from psycopg import errors

from brain_cli.index.note_names import vaults_and_paths
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.errors import in_one_sentence
from brain_cli.plugins.team.keys import NAME, storable, stored_term
from brain_cli.plugins.team.schema import is_current, version_of
from brain_cli.plugins.team.values import FoundNote, Frequency, StoredEvent, StoreError, Totals, Unknown, Wanted
from brain_cli.types import MAX_LINKS
from brain_cli.vault.analyzer import same_name

# A recall that takes longer is cancelled.
STATEMENT_SECONDS = 30
# The best of the archive, and of the notes that do not meet the condition, so many of each.
ASIDE = 60
# The notes linked with so many of the best come too, but no more than so many in all.
LINKED_TO, MOST_LINKED = 60, 1_000
MOST_ASIDE = 200
# The texts of so many notes come with them, if they have no more sections than this.
MOST_TEXTS, MOST_SECTIONS = 100, 200
MOST_PREFIXED = 501
MAX_NAMED = 50
BEGIN = (
    "begin isolation level repeatable read read only",
    # A timeout that is set for the role or the database is kept.
    (
        "select set_config('statement_timeout', coalesce(nullif(current_setting('statement_timeout'), '0'),"
        f" '{STATEMENT_SECONDS}s'), true)"
    ),
)


class Reader:
    """One transaction, which begins with the object; `round_trips` counts the requests to the server."""

    def __init__(self, connection: Any, parameters: Mapping[str, str], events_since: int = 0) -> None:
        self._connection = connection
        self._parameters = parameters
        self._events_since = events_since
        self._events: list[StoredEvent] = []
        self.pins: dict[str, bool] = {}
        self._pinned_ids: list[int] = []
        self.round_trips = 0
        self.totals = self._begin()

    def close(self) -> None:
        """End the transaction without waiting for the server's answer (see `settled`)."""
        if not self._connection.closed:
            self._connection.pgconn.send_query(b"rollback")
            self._connection.pgconn.flush()

    def events(self, since: int) -> list[StoredEvent]:
        """Return the events of the user's history from a number on, in order."""
        if since == self._events_since:
            return self._events
        [rows] = self._ask((queries.EVENTS, {"since": since}))
        return [StoredEvent(*row) for row in rows]

    def frequencies(
        self, terms: Sequence[str], prefixes: Iterable[str] = (), unknown: Sequence[Unknown] = ()
    ) -> dict[str, Frequency]:
        """Return the frequencies of terms: of these, of the first ones with some prefixes, and of those near to words.

        Of the `unknown` words, those that some note has are skipped.
        """
        bounds = [_bounds(prefix) for prefix in prefixes if prefix]
        found = self._ask(
            (queries.FREQUENCIES, {"terms": list(dict.fromkeys(map(stored_term, terms)))}),
            *([(queries.PREFIXED, {**_columns(bounds, "firsts", "lasts"), "most": MOST_PREFIXED})] if bounds else ()),
            *([(queries.NEAR, _near_parameters(unknown))] if unknown else ()),
        )
        return {term: Frequency(fragments, anchored) for rows in found for term, fragments, anchored in rows}

    def candidates(self, wanted: Wanted) -> list[FoundNote]:
        """Return the candidates of a request as whole notes, best first."""
        scope = queries.SOME_IN_SCOPE.format(scope=wanted.scope) if wanted.scope != "true" else queries.ALL_IN_SCOPE
        best = queries.MATCHED.format(in_scope=scope) if wanted.keys else queries.NEWEST.format(scope=wanted.scope)
        chosen = queries.CHOSEN.format(matched="matched" if wanted.keys else "best")
        statement = f"with {best}{queries.DATED}{chosen}{queries.WHOLE}"
        return self._notes(
            statement,
            {
                **wanted.parameters,
                "keys": list(wanted.keys),
                "weights": list(wanted.keys.values()),
                "most": wanted.most,
                "aside": ASIDE,
                "archived": wanted.archived,
                "own_pins": self._pinned_ids,
                "since": [since for since, _ in wanted.dates],
                "before": [before for _, before in wanted.dates],
                "most_aside": MOST_ASIDE,
                "kinds": list(wanted.kinds),
                "linked_to": LINKED_TO,
                "most_linked": MOST_LINKED,
                "most_links": MAX_LINKS,
            },
            wanted.terms,
        )

    def notes(self, note_ids: Sequence[int]) -> list[FoundNote]:
        """Return some notes, and those within two links of them."""
        parameters = {"note_ids": list(note_ids), "most_links": MAX_LINKS}
        return self._notes(f"with {queries.BY_ID}{queries.WHOLE}", parameters, ())

    def _notes(self, statement: str, parameters: Mapping[str, object], terms: Iterable[str]) -> list[FoundNote]:
        sizes = {"texts": MOST_TEXTS, "sections": MOST_SECTIONS, "terms": list(dict.fromkeys(map(stored_term, terms)))}
        [rows] = self._ask((statement, {**parameters, **sizes}))
        return [FoundNote._make(row) for row in rows]

    def texts(self, note_ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of some notes, one section a line."""
        [rows] = self._ask((queries.TEXTS, {"note_ids": list(note_ids)}))
        return dict(rows)

    def records(self, note_ids: Sequence[int]) -> dict[int, str]:
        """Return the records of some notes."""
        [rows] = self._ask((queries.RECORDS, {"note_ids": list(note_ids)}))
        return dict(rows)

    def named(self, name: str) -> dict[str, int]:
        """Return the ids of the notes with a path (`vault:path`), or if there is none, with a name, by path.

        The name may be a title, an alias, a file name or a path, with or without `vault:` before it.
        """
        readings = vaults_and_paths(name)
        [rows] = self._ask(
            (
                queries.NAMED,
                {
                    "vaults": [storable(vault) for vault, _ in readings],
                    "paths": [storable(path) for _, path in readings],
                    "keys_there": [_name_key(path) for _, path in readings],
                    "key": _name_key(name),
                    "most": MAX_NAMED,
                },
            )
        )
        return {f"{vault}:{path}": note_id for vault, path, note_id in rows}

    def _begin(self) -> Totals:
        """Begin the transaction and read the totals, all in one round trip."""
        self.round_trips += 1
        with in_one_sentence(self._parameters), self._explained():
            with self._connection.pipeline():
                for statement in BEGIN:
                    self._connection.execute(statement)
                version = self._connection.execute("select coalesce(max(version), 0) from brain.migrations")
                totals = self._connection.execute(queries.TOTALS)
                events = self._connection.execute(queries.EVENTS, {"since": self._events_since})
                pins = self._connection.execute(queries.PINS)
            row, pin_rows = totals.fetchone(), pins.fetchall()
        if not is_current(version.fetchone()[0]):
            raise earlier_version()
        self._events = [StoredEvent(*event) for event in events.fetchall()]
        self.pins = {note: pinned for note, pinned, _ in pin_rows}
        self._pinned_ids = [note_id for _, pinned, note_id in pin_rows if pinned and note_id is not None]
        notes, fragments, length, languages, generation, oldest_date, projects, boilerplate, tags = row
        return Totals(
            int(notes),
            int(fragments),
            int(length),
            tuple(languages),
            int(generation),
            oldest_date,
            frozenset(projects),
            frozenset(boilerplate),
            tags or {},
        )

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise StoreError for tables of an earlier version; any other error passes."""
        try:
            yield
        except (errors.UndefinedTable, errors.UndefinedColumn):
            self._connection.execute("rollback")
            with self._connection.cursor() as cursor:
                version = version_of(cursor)
            if version and not is_current(version):
                raise earlier_version() from None
            raise

    def _ask(self, *statements: tuple[str, Mapping[str, object]]) -> list[list[Any]]:
        """Return the rows of several statements, in one round trip."""
        self.round_trips += 1
        with in_one_sentence(self._parameters):
            with self._connection.pipeline():
                cursors = [self._connection.cursor(binary=True).execute(*each) for each in statements]
            return [cursor.fetchall() for cursor in cursors]


def earlier_version() -> StoreError:
    return StoreError("The shared memory was made by an earlier version of brain.", "Run `brain index` once.")


def _name_key(name: str) -> str:
    return f"{NAME}{stored_term(same_name(name))}"


def _bounds(prefix: str) -> tuple[str, str]:
    """Return the bounds of all terms with a prefix: the first one, and the first one after them."""
    key = storable(prefix)
    return key, key + chr(0x10FFFF)


def _columns(rows: Iterable[Sequence[object]], *names: str) -> dict[str, object]:
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


def _near_parameters(unknown: Sequence[Unknown]) -> dict[str, object]:
    """Return what terms near to some words are like, column by column."""
    rows = []
    for number, word in enumerate(unknown):
        for variant in word.variants:
            pieces = _pieces(storable(variant), word.edits)
            length = len(variant)
            shape = (length - word.edits, length + word.edits, pieces[0], pieces[1], pieces[-1])
            rows.append((number, *_bounds(variant[:1]), *shape))
    names = ("words", "firsts", "lasts", "shortest", "longest", "pieces", "others", "thirds")
    variants = [(number, stored_term(variant)) for number, word in enumerate(unknown) for variant in word.variants]
    return _columns(rows, *names) | _columns(variants, "of_variants", "variants")


def _pieces(term: str, edits: int) -> list[str]:
    """Cut a term into `edits` + 1 pieces: a term within that edit distance contains one of them unchanged."""
    count = edits + 1
    return [term[len(term) * number // count : len(term) * (number + 1) // count] for number in range(count)]
