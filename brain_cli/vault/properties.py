"""Read the values of a frontmatter (texts, shares, counts and flags) in all usual spellings."""

from __future__ import annotations

from collections.abc import Mapping

from brain_cli.printable import one_line

Properties = Mapping[str, str | list[str]]
_TRUE = ("true", "yes", "on", "1")


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
