"""Translate the condition of a query into SQL, so that the server finds candidates among the notes that meet it.

The SQL may let more notes through than the condition, never fewer: the recall tests the condition again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from brain_cli.index.filter_keys import Compared
from brain_cli.plugins.team.note import TAG, storable, stored_term
from brain_cli.search.filters import All, AnyOf, Condition, Everything, Excluded, Holds, Phrase, TitleHas
from brain_cli.vault.analyzer import Word, query_words

# The columns of a note (`n`) for the keys of filters, and the comparisons of a column with a value.
COLUMNS = {"kind": "n.kind", "path": "n.path_key", "tags": "n.keys", "timestamp": "n.at", "properties": "n.properties"}
COMPARISONS: Mapping[str, tuple[str, Callable[[Any], object]]] = {
    "is": ("{own} = {value}::text", storable),
    "has": ("{own} @> array[{value}::text]", lambda tag: f"{TAG}{storable(tag)}"),
    "contains": ("position({value}::text in {own}) > 0", storable),
    "matches": ("{own} like any({value}::text[])", lambda patterns: list(map(_like, patterns))),
    "at least": ("{own} >= {value}::float8", float),
    "has property": ("{own} @> {value}::jsonb", lambda pair: json.dumps({storable(pair[0]): [storable(pair[1])]})),
}
EVERYTHING = "true"


class ScopeSql:
    """The SQL of a condition on a note `n`, and its parameters by name; `is_exact` if no more notes pass it."""

    def __init__(self, condition: Condition, languages: Sequence[str]) -> None:
        self._languages = languages
        self.parameters: dict[str, object] = {}
        self.text, self.is_exact = self._sql(condition)

    def _value(self, value: object) -> str:
        name = f"scope{len(self.parameters)}"
        self.parameters[name] = value
        return f"%({name})s"

    def _sql(self, condition: Condition) -> tuple[str, bool]:
        match condition:
            case Everything():
                return EVERYTHING, True
            case Compared(_, "matches", patterns) if any("[" in pattern for pattern in patterns):
                # The patterns of SQL have no sets of letters.
                return EVERYTHING, False
            case Compared(key, comparison, value):
                sql, sent = COMPARISONS[comparison]
                return sql.format(own=COLUMNS[key], value=self._value(sent(value))), True
            case Holds(text) | Phrase(text) | TitleHas(text):
                return self._has_words(text), isinstance(condition, Holds) and not text.endswith("*")
            case Excluded(inner):
                sql, is_exact = self._sql(inner)
                return (f"not ({sql})", True) if is_exact else (EVERYTHING, False)
            case All(conditions) | AnyOf(conditions):
                parts, exact = zip(*map(self._sql, conditions), strict=True)
                return f"({(' and ' if isinstance(condition, All) else ' or ').join(parts)})", all(exact)
        return EVERYTHING, False

    def _has_words(self, text: str) -> str:
        if text.endswith("*") and len(text) > 1:
            return EVERYTHING
        variants = [list(map(stored_term, word.variants)) for word in _words(text, self._languages)]
        return f"({' and '.join(f'n.keys && {self._value(each)}::text[]' for each in variants) or EVERYTHING})"


def words_in(condition: Condition, languages: Sequence[str]) -> Iterator[Word]:
    """Yield the words that a condition tests."""
    match condition:
        case Holds(text) | Phrase(text) | TitleHas(text):
            yield from _words(text, languages)
        case All(conditions) | AnyOf(conditions):
            for each in conditions:
                yield from words_in(each, languages)
        case Excluded(inner):
            yield from words_in(inner, languages)


def _words(text: str, languages: Sequence[str]) -> list[Word]:
    return [word for word in query_words(text, languages) if not word.optional]


def _like(pattern: str) -> str:
    escaped = "".join(f"\\{letter}" if letter in "\\%_" else letter for letter in storable(pattern))
    return escaped.replace("*", "%").replace("?", "_")
