"""Fold accents and letter forms, so that `Café` and `Cafe` are the same word."""

from __future__ import annotations

import re

# Accents, and the vowel points of Hebrew and Arabic, which are optional in writing.
_MARKS = "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
# Each pattern begins with a plain set of characters: only then does `re` skip other characters at full speed.
# In Cyrillic, й is a separate letter: its mark is kept until the letter is composed again.
_ACCENTS = re.compile(f"[{_MARKS}](?<![\u0400-\u052f](?s:.))[{_MARKS}]*")
# Soft hyphens and zero-width spaces.
_INVISIBLE = "\u00ad\u200b-\u200d\u2060\ufeff"
_REMAINING = re.compile(f"[{_MARKS}{_INVISIBLE}][{_MARKS}{_INVISIBLE}]*")
# More marks than any letter has. Unicode sorts the marks of a letter, which takes quadratic time.
_MARK_RUN = re.compile(r"([^\w\s!-~][^\w\s!-~]{29})[^\w\s!-~]+")
# Unicode classes the marks of halfwidth kana as letters.
_KANA_MARKS = ("\uff9e", "\uff9f")
_MARK_RUN_WITH_KANA = re.compile(r"((?:[^\w\s!-~]|[\uff9e\uff9f]){30})(?:[^\w\s!-~]|[\uff9e\uff9f])+")


def fold(text: str) -> str:
    """Remove accents and compatibility forms, keep case: `Café` → `Cafe`, `ﬁn` → `fin`, `ё` → `е`."""
    if text.isascii():
        return text
    import unicodedata

    mark_run = _MARK_RUN_WITH_KANA if any(mark in text for mark in _KANA_MARKS) else _MARK_RUN
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", mark_run.sub(r"\1", text)))
    return _REMAINING.sub("", unicodedata.normalize("NFKC", bare)).replace("ё", "е").replace("Ё", "Е")


def same_name(text: str) -> str:
    """Return a name in the form for comparisons: without case and accents, with single spaces between words."""
    return " ".join(fold(text).casefold().split())
