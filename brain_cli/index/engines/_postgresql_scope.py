"""Translate a scope into the SQL condition by which the server filters notes before it ranks them."""

from __future__ import annotations

import json

from brain_cli.index.scope import (
    Anything,
    Both,
    DatedSince,
    Either,
    HasWord,
    OfKind,
    Outside,
    PathHas,
    PathLike,
    PropertyIs,
    Scope,
    Tagged,
)
from brain_cli.index.shared_terms import stored_term

HAS_WORD = """r.note_id in (
    select p.note_id from brain.postings q
    cross join lateral unnest(q.notes) as p(note_id)
    join brain.notes n on n.note_id = p.note_id and n.chunk = q.chunk
    where q.term = any({0}::text[]) and q.field <= 1
    union select l.note_id from brain.anchors l where l.term = any({0}::text[]))"""


# Earlier versions wrote the object as a JSON string.
PROPERTIES = "case jsonb_typeof(r.properties) when 'string' then (r.properties #>> '{}')::jsonb else r.properties end"


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
            case Tagged(tag):
                return f"r.tags @> array[{self._value(tag)}::text]"
            case OfKind(kind):
                return f"r.kind = {self._value(kind)}"
            case PathHas(text):
                return f"position({self._value(text)} in r.path_key) > 0"
            case PathLike(patterns):
                return f"r.path_key like any({self._value([_like(each) for each in patterns])}::text[])"
            case DatedSince(seconds):
                return f"(select at from brain.notes m where m.note_id = r.note_id) >= {self._value(seconds)}::float8"
            case PropertyIs(key, value):
                return f"{PROPERTIES} @> {self._value(json.dumps({key: [value]}))}::jsonb"
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
    escaped = "".join(f"\\{letter}" if letter in "\\%_" else letter for letter in pattern)
    return escaped.replace("*", "%").replace("?", "_")
