"""Measure a text in columns of a terminal, and join texts of scripts that are written without spaces."""

from __future__ import annotations

import re
from itertools import accumulate

# Characters that are two columns wide: Chinese, Japanese, Korean, their punctuation, and pictures.
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f900-\U0001f9ff\U00020000-\U0003fffd]"
)
# Of these, the characters that stand without spaces between them: Korean has spaces between its words.
_FIRST_SPACELESS = "\u2e80"
_SPACELESS = re.compile("[\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003fffd]")
_FULL_WIDTH_STOPS = tuple("。！？，；：、」』）")


def columns(text: str) -> int:
    """Return how many columns a text takes on one line."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def chars_within(text: str, limit: int) -> int:
    """Return how many characters of a text fit into so many columns."""
    if text.isascii():
        return min(len(text), limit)
    # No more characters than columns fit.
    widths = accumulate(2 if _WIDE.match(char) else 1 for char in text[: limit + 1])
    return sum(width <= limit for width in widths)


def beginning(text: str, limit: int) -> str:
    """Return the beginning of a text that fits into so many columns, without half a word."""
    end = chars_within(text, limit)
    if end == len(text) or _is_spaceless(text[end - 1 : end]) or _is_spaceless(text[end]):
        return text[:end]
    return text[:end].rsplit(" ", 1)[0]


def separator(before: str, after: str) -> str:
    """Return what separates two texts on one line: a space, or nothing between characters written without spaces."""
    # The space after a full stop is part of that character.
    has_space = before.endswith(_FULL_WIDTH_STOPS) or (_is_spaceless(before[-1:]) and _is_spaceless(after[:1]))
    return "" if has_space else " "


def _is_spaceless(char: str) -> bool:
    # Compiling the pattern takes longer than all other work here, and most texts need none of its characters.
    return char >= _FIRST_SPACELESS and _SPACELESS.match(char) is not None
