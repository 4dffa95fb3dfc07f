"""Read the values of a frontmatter: texts, shares, counts and flags, in the ways that people write them."""

from __future__ import annotations

from collections.abc import Mapping

from brain_cli.printable import one_line

Properties = Mapping[str, str | list[str]]
_TRUE = ("true", "yes", "on", "1")


def texts_of(properties: Properties, *keys: str) -> tuple[str, ...]:
    """Return the texts under the first of the keys that is there; a plain text is a list of one or of its commas."""
    value = next((properties[key] for key in keys if key in properties), ())
    if isinstance(value, str):
        value = value.split(",") if not value.startswith("[[") else [value]
    return tuple(text for each in value if (text := each.strip()))


def text_of(properties: Properties, key: str) -> str | None:
    """Return the text under a key, on one line, of a list the first; None where there is none."""
    value = properties.get(key)
    if isinstance(value, list):
        value = next(iter(value), None)
    return one_line(value) or None if value else None


def share_of(properties: Properties, key: str) -> float | None:
    """Return the number under a key, clamped to 0..1; None where there is none."""
    try:
        number = float(text_of(properties, key) or "nan")
    except ValueError:
        return None
    return None if number != number else min(1.0, max(0.0, number))


def count_of(properties: Properties, key: str) -> int | None:
    """Return the whole number under a key, 1 at least; None where there is none."""
    text = text_of(properties, key) or ""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else None


def flag_of(properties: Properties, key: str) -> bool:
    """Return whether a key is there and says yes."""
    return (text_of(properties, key) or "").lower() in _TRUE
