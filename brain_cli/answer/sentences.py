"""Find where the sentences of a text end, in many languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from brain_cli.vault.languages import language_words

_LONGEST_FIRST = sorted(
    {
        word
        for words in language_words().values()
        for word in words.get("abbreviations", "").split()
    },
    key=len,
    reverse=True,
)
# There may be spaces after the dots inside an abbreviation.
_ABBREVIATIONS = "|".join(_LONGEST_FIRST).replace(".", r"\. ?")
_ABBREVIATION = re.compile(rf"(?:\b(?:{_ABBREVIATIONS})|\b[^\W\d_a-z]|^\d{{1,3}})\.$")
MAX_ABBREVIATION_CHARS = 12
# It begins with a set of characters: only then does `re` skip other characters at full speed.
_SENTENCE_END = re.compile(
    r"[.!?…][\"'”’»)*_]*\s+(?=[\"'“‘«¿¡(*_`\[]*([^\W_]))|(?:[。！？｡]|．(?!\d))[”’」』）]*"
)
_LINK_REST = re.compile(r"\[[^\[\]]{1,300}\]\(")
MAX_LINK_CHARS = 300
MAX_BRACKET_CHARS = 150


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the sentences of a text as (start, end), with the space after each."""
    return [span for span in pairwise((0, *_ends(text))) if text[slice(*span)].strip()]


def _ends(text: str) -> Iterator[int]:
    """Yield the end of each sentence of a text; a dot after an abbreviation or an ordinal ends no
    sentence.
    """
    for match in _SENTENCE_END.finditer(text):
        # No sentence begins with a lower-case letter.
        goes_on = match[1] and match[1].islower()
        after_mark = match.start() + 1
        if not (
            goes_on or _ends_abbreviation(text, after_mark) or _is_inside(text, after_mark)
        ):
            yield match.end()
    yield len(text)


def _is_inside(text: str, position: int) -> bool:
    """Return whether a position of a text is in parentheses or in the words of a link."""
    opened = text.rfind("(", max(0, position - MAX_BRACKET_CHARS), position)
    if opened >= 0 and text.find(")", opened, position) < 0 <= text.find(
        ")", position, opened + MAX_BRACKET_CHARS
    ):
        return True
    start = text.rfind("[", max(0, position - MAX_LINK_CHARS), position)
    return (
        start >= 0
        and bool(_LINK_REST.match(text, start))
        and text.find("]", start, position) < 0
    )


def _ends_abbreviation(text: str, position: int) -> bool:
    """Return whether the dot before a position of a text is one of an abbreviation or an
    ordinal.
    """
    return bool(_ABBREVIATION.search(text, max(0, position - MAX_ABBREVIATION_CHARS), position))
