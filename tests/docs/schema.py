"""The JSON schema of `brain remember --json`, made of `render/shape.py`: `python
tests/docs/schema.py` writes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from brain_cli.render.shape import Document

SCHEMA = Path(__file__).parents[2] / "docs" / "remember.schema.json"
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def schema() -> dict[str, Any]:
    """Return the schema of the document; a key that a newer version adds is allowed."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "brain remember --json",
        **_of(Document),
    }


def _of(kind: Any) -> dict[str, Any]:
    origin = get_origin(kind)
    if origin is NotRequired:
        return _of(get_args(kind)[0])
    if origin is Annotated:
        inner, words = get_args(kind)[:2]
        return {"description": words, **_of(inner)}
    if isinstance(kind, UnionType):
        return {"anyOf": [_of(part) for part in get_args(kind)]}
    if origin is list:
        return {"type": "array", "items": _of(get_args(kind)[0])}
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        needed = [key for key, hint in hints.items() if get_origin(hint) is not NotRequired]
        return {
            "type": "object",
            "properties": {key: _of(hint) for key, hint in hints.items()},
            "required": needed,
        }
    return {"type": _NAMES[kind]} if kind in _NAMES else {}


def written() -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(written(), encoding="utf-8")
