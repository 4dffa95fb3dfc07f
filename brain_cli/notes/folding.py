"""Accents and letter forms: `Café` and `Cafe` are one word."""

from __future__ import annotations

import re

# Marks are dropped from Latin and Greek letters; in Cyrillic й is a letter of its own.
_MARKS = re.compile("(?<![\u0400-\u052f])[\u0300-\u036f]+")


def fold(text: str) -> str:
    """Remove accents and compatibility forms, keep case: `Café` → `Cafe`, `ﬁn` → `fin`, `ё` → `е`."""
    if text.isascii():
        return text
    import unicodedata

    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare).replace("ё", "е").replace("Ё", "Е")


def same_name(text: str) -> str:
    """The form in which two names are compared: no case, no accents, one space between words."""
    return " ".join(fold(text).casefold().split())
