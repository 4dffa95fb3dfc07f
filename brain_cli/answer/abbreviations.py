"""Find abbreviations that notes explain: `continuous integration (CI)`, `Kubernetes (k8s)`.

They are offered as synonyms, because a question has one form, and many notes only the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from brain_cli.vault.analyzer import LANGUAGE_BY_CODE, stop_words

_EXPLAINED = re.compile(r"((?:[^\W_]+[ \t-]){0,9}[^\W_]+) \(([A-Za-z][A-Za-z0-9]{1,7})\)")
# Few lines have one, so that the slower pattern is tried on few.
_ABBREVIATION = re.compile(r" \([A-Za-z][A-Za-z0-9]{1,7}\)")
_COUNTED = re.compile(r"([a-z])(\d+)([a-z])")


def abbreviations_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield each abbreviation in brackets with the words before it that it stands for, in lower
    case.
    """
    lines = filter(_ABBREVIATION.search, text.split("\n"))
    for match in _EXPLAINED.finditer("\n".join(lines)):
        words = re.split(r"[ \t-]", match[1].lower())
        # `application programming interfaces (APIs)`
        short = re.sub(r"(?<=[A-Z])s$", "", match[2])
        if meant := _meant(short, words):
            yield short.lower(), " ".join(meant)


def _meant(abbreviation: str, words: Sequence[str]) -> Sequence[str]:
    """Return the last of some words that an abbreviation stands for; none if it does not."""
    letters = abbreviation.lower()
    if counted := _COUNTED.fullmatch(letters):
        first, left_out, last = counted.groups()
        fits = re.fullmatch(rf"{first}\w{{{left_out}}}{last}", words[-1])
        return words[-1:] if fits else ()
    if not abbreviation[:2].isupper():
        return ()
    # An abbreviation may leave out words such as “of”.
    small = frozenset[str]().union(*map(stop_words, LANGUAGE_BY_CODE.values()))
    missing = len(letters)
    for place in range(len(words) - 1, -1, -1):
        if missing and words[place].startswith(letters[missing - 1]):
            missing -= 1
        elif words[place] not in small:
            return ()
        if not missing:
            return words[place:]
    return ()
