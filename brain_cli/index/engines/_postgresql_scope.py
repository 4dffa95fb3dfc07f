"""Translate a scope into the SQL condition by which the server filters notes before it ranks them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from brain_cli.index.filter_keys import Anything, Both, Compared, Either, HasWord, Outside, Scope
from brain_cli.index.shared_terms import storable, stored_term

# The columns of the KEYS of a note; `r` is a row of note_rows.
COLUMNS = {
    "kind": "r.kind",
    "path": "r.path_key",
    "tags": "r.tags",
    "timestamp": "(select at from brain.notes m where m.note_id = r.note_id)",
    "properties": "r.properties",
}
# The COMPARISONS of a column with a value, and the form in which the value is sent.
COMPARISONS: Mapping[str, tuple[str, Callable[[Any], object]]] = {
    "is": ("{own} = {value}::text", storable),
    "has": ("{own} @> array[{value}::text]", storable),
    "contains": ("position({value}::text in {own}) > 0", storable),
    "matches": ("{own} like any({value}::text[])", lambda patterns: list(map(_like, patterns))),
    "at least": ("{own} >= {value}::float8", float),
    "has property": (
        "{own} @> {value}::jsonb",
        lambda pair: json.dumps({storable(pair[0]): [storable(pair[1])]}),
    ),
}
HAS_WORD = """r.note_id in (
    select p.note_id from brain.postings q
    cross join lateral unnest(q.notes) as p(note_id)
    join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk
    where q.term = any({0}::text[]) and q.field <= 1
    union select l.note_id from brain.anchors l where l.term = any({0}::text[]))"""


class ScopeCondition:
    """The text of a condition on `r` (a row of note_rows), and its parameters by name."""

    def __init__(self, scope: Scope) -> None:
        self.parameters: dict[str, object] = {}
        self.text = self._condition(scope)

    def _value(self, value: object) -> str:
        name = f"scope{len(self.parameters)}"
        self.parameters[name] = value
        return f"%({name})s"

    def _condition(self, scope: Scope) -> str:
        match scope:
            case Anything():
                return "true"
            case Compared(key, comparison, value):
                condition, sent = COMPARISONS[comparison]
                return condition.format(own=COLUMNS[key], value=self._value(sent(value)))
            case HasWord(variants):
                return HAS_WORD.format(self._value([stored_term(each) for each in variants]))
            case Both(scopes):
                return f"({' and '.join(map(self._condition, scopes)) or 'true'})"
            case Either(scopes):
                return f"({' or '.join(map(self._condition, scopes)) or 'false'})"
            case Outside(inner):
                return f"not ({self._condition(inner)})"
        raise AssertionError(scope)


def _like(pattern: str) -> str:
    escaped = "".join(f"\\{letter}" if letter in "\\%_" else letter for letter in storable(pattern))
    return escaped.replace("*", "%").replace("?", "_")
