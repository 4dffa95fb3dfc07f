"""A transaction that reads one state of a shared memory, in few round trips."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_cli.errors import UnreachableError
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.history import last_in, take_new_events
from brain_cli.plugins.team.note import stored_term
from brain_cli.plugins.team.schema import EARLIER, is_current
from brain_cli.types import MAX_LINKS
from brain_cli.vault.analyzer import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from brain_cli.answer.retriever import AskedVector
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
BEGIN = (
    "begin isolation level repeatable read read only",
    # A recall that takes longer is cancelled. A timeout that is set for the role or the database is kept.
    "select set_config('statement_timeout', coalesce(nullif(current_setting('statement_timeout'), '0'), '30s'), true)",
)


class Reader:
    """One transaction, which begins with the first request; `round_trips` counts the requests to
    the server.

    `history` is the folder of the user's history, which is brought up to date then; `asked` gives
    the vector of a question if there is a model.
    """

    def __init__(
        self,
        store: Store,
        history: Path | None = None,
        asked: Callable[..., AskedVector | None] = lambda *_, **__: None,
    ) -> None:
        self._store = store
        self._history = history
        self.asked = asked
        self._connection: Any = None
        self._totals: Any = None
        self.pins: dict[str, bool] = {}
        self.round_trips = 0
        self.shown: set[str] = set()  # the vaults of the notes that answers show

    @property
    def totals(self) -> Any:
        """The numbers of the whole memory (`TOTALS` in queries.py)."""
        if self._totals is None:
            self.ask()
        return self._totals

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the memory."""
        return tuple(self.totals.languages) or (DEFAULT_LANGUAGE,)

    def close(self) -> None:
        """End the transaction without waiting for the server's answer, which the next use of the
        connection reads.
        """
        if self._connection and not self._connection.closed:
            self._connection.pgconn.send_query(b"rollback")
            self._connection.pgconn.flush()

    def notes(
        self, chosen: str, terms: Iterable[str], parameters: Mapping[str, object]
    ) -> list[Any]:
        """Return the `chosen` notes (`CHOSEN` and `WHOLE` in queries.py), with the weights of some
        terms.
        """
        asked = {**LIMITS, "terms": list(set(map(stored_term, terms))), **parameters}
        [found] = self.ask((f"with {chosen}{queries.WHOLE}", asked))
        return found

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
        connection = self._connection = self._store.connection
        last = last_in(self._history) if self._history else ("", "")
        history: Statement = (queries.EVENTS, {"id": last[0], "line": last[1]})
        first: list[Statement] = [(queries.TOTALS, {}), history, (queries.PINS, {})]
        with self._store.in_one_sentence():
            [totals], [events], pins, *rows = self._sent(connection, [*first, *statements], BEGIN)
        if not is_current(totals.version):
            raise UnreachableError(f"The shared memory {EARLIER[0]}.", EARLIER[1])
        self._totals = totals
        self.pins = dict(pins)
        if self._history:
            take_new_events(self._history, last, events.lines, is_known=events.is_known)
        return rows

    def _sent(
        self, connection: Any, statements: Iterable[Statement], begin: Sequence[str] = ()
    ) -> list[list[Any]]:
        """Return the rows of several statements, in one round trip."""
        self.round_trips += 1
        with connection.pipeline():
            for each in begin:
                connection.execute(each)
            cursors = [connection.cursor(binary=True).execute(*each) for each in statements]
        return [cursor.fetchall() for cursor in cursors]
