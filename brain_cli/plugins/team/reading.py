"""A transaction that reads one state of a shared memory, in few round trips."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import errors

from brain_cli.errors import UnreachableError
from brain_cli.index.note_names import vaults_and_paths
from brain_cli.index.snapshot import KeptVectors
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.errors import in_one_sentence
from brain_cli.plugins.team.note import NAME, storable, stored_term
from brain_cli.plugins.team.schema import is_current, version_of
from brain_cli.search.words import edits_of
from brain_cli.types import MAX_LINKS
from brain_cli.vault.analyzer import DEFAULT_LANGUAGE, LANGUAGE_BY_CODE, Word, same_name

if TYPE_CHECKING:
    from brain_cli.answer.retriever import AskedVector
    from brain_cli.plugins.team.store import Store

# An event of a user's history: its number, which is higher for later ones, and its JSON.
StoredEvent = tuple[int, str]
Statement = tuple[str, Mapping[str, object]]
# A recall that takes longer is cancelled.
STATEMENT_SECONDS = 30
LIMITS = {
    # The best of the archive, and of the notes that do not meet the condition, so many of each.
    "aside": 60,
    # The notes linked with so many of the best come too, but no more than so many in all.
    "linked_to": 100,
    "most_linked": 1_000,
    # Of the notes that match and are linked with those, the best ones come.
    "most_farther": 600,
    # An answer may show notes linked with so many of the best; of others that do not match, only the links come.
    "shown_with": 20,
    "most_links": MAX_LINKS,
    "most_aside": 200,
    # The notes nearest in meaning: so many are compared with the condition, so many come.
    "most_compared": 200,
    "most_near": 100,
    # The texts of the best notes come with them: so many sections in all, none of a note that is longer.
    "sections": 1_500,
    "long": 200,
}
MOST_PREFIXED = 501
# The condition that all notes meet, in SQL.
EVERYTHING = "true"
# How near notes usually are to a question is measured by about so many of them.
SAMPLE = 200
MAX_NAMED = 50
BEGIN = (
    "begin isolation level repeatable read read only",
    # A timeout that is set for the role or the database is kept.
    (
        "select set_config('statement_timeout', coalesce(nullif(current_setting('statement_timeout'), '0'),"
        f" '{STATEMENT_SECONDS}s'), true)"
    ),
)


class Totals(NamedTuple):
    """The numbers of a whole memory: `languages` are sorted by frequency, `boilerplate` are hashes of frequent lines.

    `stale` are the vaults that were not sent for long, with their owner and date, `tags` frequent tags with their
    numbers of active notes.
    """

    notes: int
    fragments: int
    length: int
    languages: Sequence[str]
    generation: int
    oldest_date: float
    projects: Sequence[str]
    boilerplate: Sequence[str]
    stale: Mapping[str, str]
    tags: Mapping[str, int]


class Frequency(NamedTuple):
    """The document frequency of a term in the whole memory, and the sum of its weights in links."""

    fragments: int = 0
    anchored: float = 0.0


class FoundNote(NamedTuple):
    """A note of a memory, whole but for its `texts` where these are None; without `record`, its links alone.

    `former_paths` begin with the vault's name. `places` is JSON by term, `texts` has a line for each section.
    `tells_date` is false if its only date is the file time of a clone; `duplicates` counts the notes with its content.
    """

    note_id: int
    vault: str
    lengths: Sequence[int]
    neighbours: Sequence[int]
    former_paths: Sequence[str]
    archived: bool
    tells_date: bool
    duplicates: int
    record: str | None
    places: str | None
    texts: str | None


class Reader:
    """One transaction, which begins with the first request; `round_trips` counts the requests to the server.

    `begun` is called once it has begun, with the events of the user's history from `events_since` on. `likely` are the
    languages that the memory probably has, `asked` gives the vector of a question if there is a model.
    """

    def __init__(
        self,
        store: Store,
        events_since: int = 0,
        likely: Sequence[str] = (),
        begun: Callable[[Reader, list[StoredEvent]], None] = lambda _reader, _events: None,
        asked: Callable[..., AskedVector | None] = lambda *_, **__: None,
    ) -> None:
        self._store = store
        self._events_since = events_since
        self._likely = likely
        self._begun = begun
        self.asked = asked
        self._connection: Any = None
        self._totals: Totals | None = None
        self.pins: dict[str, bool] = {}
        self._pinned_ids: list[int] = []
        self.round_trips = 0
        # The vaults of the notes that answers show.
        self.shown: set[str] = set()

    @property
    def totals(self) -> Totals:
        """The totals of the memory."""
        if self._totals is None:
            self._ask()
        assert self._totals
        return self._totals

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the memory."""
        return tuple(self.totals.languages) or (DEFAULT_LANGUAGE,)

    @property
    def likely_languages(self) -> list[tuple[str, ...]]:
        """The languages of the memory; before they are known, those that it probably has, else each language alone."""
        if self._totals:
            return [self.languages]
        return [tuple(self._likely)] if self._likely else [(each,) for each in set(LANGUAGE_BY_CODE.values())]

    def close(self) -> None:
        """End the transaction without waiting for the server's answer (see `settled`)."""
        if self._connection and not self._connection.closed:
            self._connection.pgconn.send_query(b"rollback")
            self._connection.pgconn.flush()

    def events(self, since: int) -> list[StoredEvent]:
        """Return the events of the user's history from a number on, in order."""
        [rows] = self._ask((queries.EVENTS, {"since": since}))
        return rows

    def frequencies(
        self, terms: Sequence[str], prefixes: Iterable[str] = (), unknown: Sequence[Word] = ()
    ) -> dict[str, Frequency]:
        """Return the frequencies of terms: of these, of the first ones with some prefixes, and of those near to words.

        Of the `unknown` words, those that some note has are skipped.
        """
        bounds = [_bounds(prefix) for prefix in prefixes if prefix]
        firsts, lasts = zip(*bounds, strict=True) if bounds else ((), ())
        found = self._ask(
            (queries.FREQUENCIES, {"terms": list(dict.fromkeys(map(stored_term, terms)))}),
            (queries.PREFIXED, {"firsts": list(firsts), "lasts": list(lasts), "most": MOST_PREFIXED}),
            (queries.NEAR, {"words": _near(unknown)}),
        )
        return {term: Frequency(fragments, anchored) for rows in found for term, fragments, anchored in rows}

    def candidates(
        self, keys: Mapping[str, float], terms: Sequence[str], scope: str, parameters: Mapping[str, object]
    ) -> list[FoundNote]:
        """Return candidates as whole notes, with the weights of some terms; `scope` is SQL on a note `n`.

        They are the notes within the scope whose keys weigh `most`, the best of the archive and of all notes, those
        whose codes by `model` are nearest to `code`, and those linked with the best. Without keys, the newest notes are
        the best. Notes dated in the spans `since` to `before` join them, with `kinds` the newest notes of these and of
        all kinds.
        """
        in_scope = queries.SOME_IN_SCOPE.format(scope=scope) if scope != EVERYTHING else queries.ALL_IN_SCOPE
        best = queries.MATCHED.format(in_scope=in_scope) if keys else queries.NEWEST.format(scope=scope)
        near = queries.NEAREST.format(scope=scope)
        chosen = queries.CHOSEN.format(matched="matched" if keys else "best")
        sent = {"keys": list(keys), "weights": list(keys.values()), "own_pins": self._pinned_ids}
        sent["restricted"] = scope != EVERYTHING
        return self._notes(f"with {best}{queries.DATED}{near}{chosen}", {**LIMITS, **sent, **parameters}, terms)

    def vectors(self, model: str, note_ids: Sequence[int]) -> tuple[KeptVectors, dict[int, str]]:
        """Return the vectors that a model gave some notes, with a sample of all notes, and the texts of these notes."""
        percent = min(100.0, 100.0 * SAMPLE / max(1, self.totals.notes))
        asked = {"model": model, "note_ids": list(note_ids), "percent": percent}
        rows, texts = self._ask((queries.VECTORS, asked), (queries.TEXTS, asked))
        found = {note_id: content for note_id, content in rows if note_id}
        return KeptVectors(found, [content for note_id, content in rows if not note_id]), dict(texts)

    def notes(self, note_ids: Sequence[int], terms: Sequence[str] = ()) -> list[FoundNote]:
        """Return some notes with the weights of some terms, and those within two links of them."""
        return self._notes(f"with {queries.BY_ID}", {**LIMITS, "note_ids": list(note_ids)}, terms)

    def _notes(self, statement: str, parameters: Mapping[str, object], terms: Iterable[str]) -> list[FoundNote]:
        stored = list(dict.fromkeys(map(stored_term, terms)))
        [rows] = self._ask((f"{statement}{queries.WHOLE}", {**parameters, "terms": stored}))
        return [FoundNote._make(row) for row in rows]

    def texts(self, note_ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of some notes, one section a line."""
        [rows] = self._ask((queries.TEXTS, {"note_ids": list(note_ids)}))
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

    def _ask(self, *statements: Statement) -> list[list[Any]]:
        """Return the rows of several statements, in one round trip, which begins the transaction if need be."""
        if not self._connection:
            return self._store.again(lambda: self._begin(statements))
        with in_one_sentence(self._store.parameters):
            return self._sent(self._connection, statements)

    def _begin(self, statements: Sequence[Statement]) -> list[list[Any]]:
        """Begin the transaction and read the totals, together with the first statements."""
        connection = self._store.connection
        history: Statement = (queries.EVENTS, {"since": self._events_since})
        first: list[Statement] = [(queries.TOTALS, {"stale": queries.STALE}), history, (queries.PINS, {})]
        with in_one_sentence(self._store.parameters):
            try:
                [(version, *totals)], events, pins, *rows = self._sent(connection, [*first, *statements], BEGIN)
            except (errors.UndefinedTable, errors.UndefinedColumn):
                connection.execute("rollback")
                version = version_of(connection.cursor())
                if version and not is_current(version):
                    raise earlier_version() from None
                raise
        if not is_current(version):
            raise earlier_version()
        self._connection, self._totals = connection, Totals._make(totals)
        self.pins = {note: pinned for note, pinned, _ in pins}
        self._pinned_ids = [note_id for _, pinned, note_id in pins if pinned and note_id is not None]
        self._begun(self, events)
        return rows

    def _sent(self, connection: Any, statements: Iterable[Statement], begin: Sequence[str] = ()) -> list[list[Any]]:
        """Return the rows of several statements, in one round trip."""
        self.round_trips += 1
        with connection.pipeline():
            for each in begin:
                connection.execute(each)
            cursors = [connection.cursor(binary=True).execute(*each) for each in statements]
        return [cursor.fetchall() for cursor in cursors]


def earlier_version() -> UnreachableError:
    return UnreachableError("The shared memory was made by an earlier version of brain.", "Run `brain index` once.")


def _name_key(name: str) -> str:
    return f"{NAME}{stored_term(same_name(name))}"


def _bounds(prefix: str) -> tuple[str, str]:
    """Return the bounds of all terms with a prefix: the first one, and the first one after them."""
    key = storable(prefix)
    return key, key + chr(0x10FFFF)


def _near(unknown: Sequence[Word]) -> str:
    """Return what terms near to some words are like, as JSON: a term within some edits has a piece unchanged."""
    return json.dumps(
        [
            {
                "variants": list(map(stored_term, word.variants)),
                **dict(zip(("first", "last"), _bounds(variant[:1]), strict=True)),
                "shortest": len(variant) - edits_of(word),
                "longest": len(variant) + edits_of(word),
                "pieces": _pieces(storable(variant), edits_of(word)),
            }
            for word in unknown
            for variant in word.variants
        ]
    )


def _pieces(term: str, edits: int) -> list[str]:
    """Cut a term into `edits` + 1 pieces."""
    count = edits + 1
    return [term[len(term) * number // count : len(term) * (number + 1) // count] for number in range(count)]
