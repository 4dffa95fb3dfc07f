"""A transaction that reads one state of a shared memory, in few round trips."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_cli.answer.retriever import AskedVector
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.history import last_in, take_new_events
from brain_cli.plugins.team.note import stored_term
from brain_cli.plugins.team.rows import (
    LANGUAGES,
    ROW_ERRORS,
    Facts,
    SentNote,
    check_whole,
    facts_of,
    sent_note,
)
from brain_cli.plugins.team.schema import check_version
from brain_cli.types import MAX_LINKS
from brain_cli.vault.analyzer import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from brain_cli.plugins.team.store import Store

Statement = tuple[str, Mapping[str, object]]
LIMITS = {
    # The best of the archive, and of the notes that do not meet the condition, so many of each.
    "aside": 60,
    # The notes linked with so many of the best come too, but no more than so many in all.
    "linked_to": 100,
    "most_linked": 1_000,
    # Of the notes that match and are linked with those, the best ones come.
    "most_farther": 600,
    "most_links": MAX_LINKS,
    "most_aside": 200,
    # The notes nearest in meaning: so many are compared with the condition, so many come.
    "most_compared": 200,
    "most_near": 100,
    # The texts of so many of the best notes come with them, but not of notes with more sections.
    "with_texts": 150,
    "long": 200,
}
BEGIN = "begin isolation level repeatable read read only"


class Reader:
    """One transaction, which begins with the first request; `round_trips` counts the requests to
    the server.

    `history` is the folder of the user's history, which is brought up to date then; `asked` gives
    the vector of a question if there is a model. `left_out` has what cannot be read: notes by id,
    and the facts of vaults by name.
    """

    def __init__(
        self, store: Store, history: Path, asked: Callable[..., AskedVector | None]
    ) -> None:
        self._store = store
        self._history = history
        self.asked = asked
        self._connection: Any = None
        self._totals: Any = None
        self._fetched: dict[int, SentNote] = {}
        self.facts: Sequence[Facts] = ()
        self.pins: dict[str, bool] = {}
        self.round_trips = 0
        self.shown: set[str] = set()  # the vaults of the notes that answers show
        self.left_out: dict[int | str, str] = {}

    @property
    def totals(self) -> Any:
        """The numbers of the whole memory (`TOTALS` in queries.py)."""
        if self._totals is None:
            self.ask()
        return self._totals

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the memory."""
        known = (language for language in self.totals.languages if language in LANGUAGES)
        return tuple(known) or (DEFAULT_LANGUAGE,)

    def close(self) -> None:
        """End the transaction without waiting for the server's answer, which the next use of the
        connection reads.
        """
        if self._connection and not self._connection.closed:
            self._connection.pgconn.send_query(b"rollback")
            self._connection.pgconn.flush()

    def notes(self, terms: Iterable[str], *chosen: Statement) -> list[SentNote]:
        """Return the `chosen` notes (`CHOSEN` and `WHOLE` in queries.py), with the weights of some
        terms; those that cannot be read are omitted.
        """
        asked = {**LIMITS, "terms": list(set(map(stored_term, terms)))}
        rows = self.ask(
            *((f"with {sql}{queries.WHOLE}", {**asked, **values}) for sql, values in chosen)
        )
        found: dict[int, SentNote] = {}
        for row in chain(*rows):
            with self._leaving_out(row.note_id, f"{row.vault}:{row.path}"):
                found.setdefault(row.note_id, sent_note(row))
        self._fetched |= found
        return [note for note_id, note in found.items() if note_id not in self.left_out]

    def leave_out_more(self) -> bool:
        """Read all parts of the notes that were fetched; return whether one of them cannot be read,
        so that the question is to be answered without it.
        """
        before = len(self.left_out)
        asked = {"note_ids": list(self._fetched)}
        [rows] = self.ask((queries.TEXTS, asked)) if asked["note_ids"] else [[]]
        for note_id, texts in rows:
            note = self._fetched[note_id]
            with self._leaving_out(note_id, f"{note.vault}:{note.row.path}"):
                check_whole(note, texts)
        return len(self.left_out) > before

    @contextmanager
    def _leaving_out(self, key: int | str, name: str) -> Iterator[None]:
        try:
            yield
        except ROW_ERRORS:
            self.left_out[key] = name

    def ask(self, *statements: Statement) -> list[list[Any]]:
        """Return the rows of several statements, in one round trip, which begins the transaction if
        need be.
        """
        if not self._connection:
            return self._store.again(lambda: self._begin(statements))
        with self._store.in_one_sentence():
            return self._sent(self._connection, statements)

    def _begin(self, statements: Sequence[Statement]) -> list[list[Any]]:
        """Begin the transaction and read the totals, together with the first statements."""
        self._store.begin()
        connection = self._connection = self._store.connection
        last = last_in(self._history)
        history: Statement = (queries.EVENTS, {"id": last[0], "line": last[1]})
        first: list[Statement] = [(queries.TOTALS, {}), history, (queries.PINS, {})]
        begin: list[Statement] = [(BEGIN, {}), self._store.limits]
        [totals], [events], pins, *rows = self._sent(connection, [*first, *statements], begin)
        check_version(totals.version)
        self._totals = totals
        self.pins = dict(pins)
        facts = []
        for vault, text in totals.facts.items():
            with self._leaving_out(vault, f"what the vault {vault} says of its notes"):
                facts.append(facts_of(text))
        self.facts = facts
        take_new_events(self._history, last, events.lines, is_known=events.is_known)
        return rows

    def _sent(
        self, connection: Any, statements: Iterable[Statement], begin: Iterable[Statement] = ()
    ) -> list[list[Any]]:
        """Return the rows of several statements, in one round trip."""
        self.round_trips += 1
        with connection.pipeline():
            for each in begin:
                connection.execute(*each)
            cursors = [connection.cursor(binary=True).execute(*each) for each in statements]
        return [cursor.fetchall() for cursor in cursors]
