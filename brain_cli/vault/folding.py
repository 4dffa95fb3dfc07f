"""Accents and letter forms: `Café` and `Cafe` are one word."""

from __future__ import annotations

import re

# Accents, and the vowel points of Hebrew and Arabic, which are written or left out at will.
_MARKS = "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
# In Cyrillic й is a letter of its own: its mark stays until the letter is whole again.
_ACCENTS = re.compile(f"(?<![\u0400-\u052f])[{_MARKS}]+")
# Hyphens that only a line break would show, and spaces that nobody sees.
_UNSEEN = "\u00ad\u200b-\u200d\u2060\ufeff"
_LEFT_OVER = re.compile(f"[{_MARKS}{_UNSEEN}]+")
# No letter carries thirty marks; to sort more of them, as Unicode wants it, takes quadratic time.
_PILE = re.compile(r"((?:[^\w\s!-~]|[\uff9e\uff9f]){30})(?:[^\w\s!-~]|[\uff9e\uff9f])+")


def fold(text: str) -> str:
    """Remove accents and compatibility forms, keep case: `Café` → `Cafe`, `ﬁn` → `fin`, `ё` → `е`."""
    if text.isascii():
        return text
    import unicodedata

    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", _PILE.sub(r"\1", text)))
    return _LEFT_OVER.sub("", unicodedata.normalize("NFKC", bare)).replace("ё", "е").replace("Ё", "Е")


def same_name(text: str) -> str:
    """The form in which two names are compared: no case, no accents, one space between words."""
    return " ".join(fold(text).casefold().split())
