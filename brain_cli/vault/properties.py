"""Read the values of a frontmatter (texts, shares, counts and flags) in all usual spellings.

Logseq and Dataview write them as `key:: value` lines at the beginning of a note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from brain_cli.printable import one_line

Properties = Mapping[str, str | list[str]]
_TRUE = ("true", "yes", "on", "1")
# A page has few properties; later ones belong to a block.
MAX_LINES = 50
_PROPERTY = re.compile(r"[ \t]*(?:[-*] )?([A-Za-z][\w-]{0,60})::[ \t]+(\S[^\n]*)")
_LISTS = ("tags", "tag", "alias", "aliases")


def texts_of(properties: Properties, *keys: str) -> tuple[str, ...]:
    """Return the texts under the first of these keys that exists; a plain text is split at its commas."""
    value = next((properties[key] for key in keys if key in properties), ())
    if isinstance(value, str):
        value = value.split(",") if not value.startswith("[[") else [value]
    return tuple(text for each in value if (text := each.strip()))


def text_of(properties: Properties, key: str) -> str | None:
    """Return the text under a key on one line, or the first text of a list; None if there is none."""
    value = properties.get(key)
    if isinstance(value, list):
        value = next(iter(value), None)
    return one_line(value) or None if value else None


def share_of(properties: Properties, key: str) -> float | None:
    """Return the number under a key, clamped to 0..1; None if there is none."""
    try:
        number = float(text_of(properties, key) or "nan")
    except ValueError:
        return None
    return None if number != number else min(1.0, max(0.0, number))


def count_of(properties: Properties, key: str) -> int | None:
    """Return the whole number under a key, at least 1; None if there is none."""
    text = text_of(properties, key) or ""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else None


def flag_of(properties: Properties, key: str) -> bool:
    """Return whether the value under a key means yes."""
    return (text_of(properties, key) or "").lower() in _TRUE


def page_properties(body: str) -> dict[str, str | list[str]]:
    """Return the properties in the first lines of a body, by lower-case key; empty if the first line is not one."""
    found: dict[str, str | list[str]] = {}
    if "::" not in body[:200]:
        return found
    for line in body.lstrip("\n").split("\n", MAX_LINES)[:MAX_LINES]:
        match = _PROPERTY.fullmatch(line.rstrip())
        if not match:
            break
        key, value = match[1].lower(), match[2]
        found.setdefault(key, _names(value) if key in _LISTS else value)
    return found


def _names(value: str) -> list[str]:
    """Split a list of names at its commas; Logseq also writes them as `[[name]]` or `#name`."""
    return [name for each in value.split(",") if (name := each.strip().strip("[]#").strip())]
