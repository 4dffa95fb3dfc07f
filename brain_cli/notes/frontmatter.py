"""The head of a note: YAML between `---` lines or TOML between `+++` lines, whatever is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from frontmatter.default_handlers import BaseHandler

MAX_PROPERTIES = 200
MAX_VALUE_CHARS = 2_000
MAX_DEPTH = 3


class Head(NamedTuple):
    """`properties` by lower-case key; `body_start` is where the body begins in the text, in characters."""

    properties: dict[str, str | list[str]]
    body_start: int
    warning: str | None = None


def split_head(text: str) -> Head:
    """Read the head of a text. What cannot be read is left in the body, so that its words stay findable.

    Values are strings, or lists of strings: YAML is read by its base loader, which constructs no dates,
    no numbers and no objects, so `12:30:45`, `on: yes` and `2026-02-31` arrive as they were written.
    """
    if not text.startswith(("---", "+++")):
        return Head({}, 0)
    handler = _handler(text[:3])
    if not handler.detect(text):
        return Head({}, 0)
    try:
        head, body = handler.split(text)
    except ValueError:
        return Head({}, 0, "its frontmatter is not closed")
    try:
        loaded = handler.load(head)
    except Exception as error:  # whatever a YAML or TOML parser raises, the note is still read
        return Head({}, 0, f"its frontmatter cannot be read ({_first_line(error)})")
    if isinstance(loaded, Mapping):
        return Head(dict(_flattened(loaded)), len(text) - len(body))
    # Text between two rules is text; only an empty head is a head.
    return Head({}, 0 if head.strip() else len(text) - len(body))


@cache
def _handler(delimiter: str) -> BaseHandler:
    import frontmatter.default_handlers as handlers

    if delimiter == "---":
        import yaml

        class Yaml(handlers.YAMLHandler):
            def load(self, fm: str, **_: object) -> dict[str, Any]:
                loaded: dict[str, Any] = super().load(fm, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
                return loaded

        return Yaml()

    class Toml(handlers.BaseHandler):
        # python-frontmatter reads TOML only with the unmaintained `toml`; the standard library does since 3.11.
        FM_BOUNDARY = re.compile(r"^\+{3,}\s*$", re.MULTILINE)

        def load(self, fm: str) -> dict[str, Any]:
            import tomllib

            return tomllib.loads(fm)

    return Toml()


def _first_line(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error) or type(error).__name__
    return str(problem).splitlines()[0][:100]


def _flattened(loaded: Mapping[Any, object]) -> Iterator[tuple[str, str | list[str]]]:
    """Yield scalars and flat lists; nested maps as dotted keys; a bounded number in all (aliases can explode)."""
    budget = iter(range(MAX_PROPERTIES))
    for key, value in loaded.items():
        yield from _property(str(key).strip().lower(), value, budget, 0)


def _property(key: str, value: object, budget: Iterator[int], depth: int) -> Iterator[tuple[str, str | list[str]]]:
    if next(budget, None) is None or depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for inner, inner_value in value.items():
            yield from _property(f"{key}.{str(inner).strip().lower()}", inner_value, budget, depth + 1)
    elif isinstance(value, list):
        yield key, list(_scalars(value, budget, depth))
    elif scalar := _scalar(value):
        yield key, scalar


def _scalars(values: list[object], budget: Iterator[int], depth: int) -> Iterator[str]:
    """Yield the strings of a list, however nested: an unquoted `[[Note]]` is a list in a list to YAML."""
    for value in values:
        if next(budget, None) is None or depth > MAX_DEPTH:
            return
        if isinstance(value, list):
            yield from _scalars(value, budget, depth + 1)
        elif scalar := _scalar(value):
            yield scalar


def _scalar(value: object) -> str:
    if value is None or isinstance(value, Mapping):
        return ""
    isoformat = getattr(value, "isoformat", None)
    text = isoformat() if isoformat else str(value).strip()
    return "" if text.lower() in ("~", "null") else text[:MAX_VALUE_CHARS]
