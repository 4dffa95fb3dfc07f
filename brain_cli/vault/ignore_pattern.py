"""Translate a pattern of an ignore file into a regular expression that is fast for any pattern.

A star becomes an atomic group with the shortest match, so a hostile pattern of many stars is tried in one way only.
The shortest match of each star is enough to decide whether the whole pattern matches.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NOTHING = "(?!)"
END = r"(?=/|\Z)"
SOME_FOLDERS = "(?:[^/]+/)*?"
# If the first wildcard of a pattern is a `**` after letters, as in `a**/b`, git matches any folders below any folder
# whose name begins with these letters.
REST_OF_NAME = "(?:[^/]*/)??"
_FOLDERS = re.compile(r"\*\*+")
_BEGUN_FOLDERS = re.compile(r"([^*?\[\\]+)\*\*+")
_SPECIAL = re.compile(r"[*?\[\\]")
_NAMED_CLASS = re.compile(r"\[:([a-z]*):\]")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-\/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


class Pattern(NamedTuple):
    """One line of an ignore file: `anchored` to its folder, for a `folder_only`, or `negated` with a `!`.

    `line` is its number in the file, from 1.
    """

    text: str
    negated: bool
    folder_only: bool
    anchored: bool
    line: int = 0

    @property
    def written(self) -> str:
        """Return the pattern as written in the file."""
        slash = "/" if self.anchored and "/" not in self.text else ""
        return f"{'!' * self.negated}{slash}{self.text}{'/' * self.folder_only}"


def regular_expression(pattern: Pattern) -> str:
    """Return a regular expression for names or paths; those of folders end in a slash."""
    try:
        whole = _path_expression(_segments(pattern.text)) if pattern.anchored else _segment(pattern.text)
    except ValueError:
        return NOTHING
    return whole + ("/" if pattern.folder_only else "/?")


def _path_expression(segments: list[str]) -> str:
    """Translate a pattern with slashes, in which `**` matches any number of folders."""
    chunks: list[list[str]] = [[]]
    some = SOME_FOLDERS
    for number, segment in enumerate(segments):
        begun = _BEGUN_FOLDERS.fullmatch(segment)
        if _FOLDERS.fullmatch(segment):
            chunks.append([])
        elif begun and not any(map(_SPECIAL.search, segments[:number])):
            chunks[-1].append(re.escape(begun[1]))
            chunks.append([])
            some = REST_OF_NAME + SOME_FOLDERS
        else:
            chunks[-1].append(_segment(segment))
    if len(chunks) == 1:
        return "/".join(chunks[0])
    first, *middle, last = ["/".join(chunk) for chunk in chunks]
    found = [first] if some != SOME_FOLDERS or not first else [f"{first}/"]
    # The first match of a chunk is as good as any later one, so no others are tried.
    for chunk in filter(None, middle):
        found.append(f"(?>{some}{chunk}/)")
        some = SOME_FOLDERS
    found.append(f"{some}{last}" if last else ("[^/].*?" if some == SOME_FOLDERS else ".*?"))
    return "".join(found)


def _segments(text: str) -> list[str]:
    """Split a pattern at its slashes, except in brackets or after a backslash."""
    found, place = [""], 0
    while place < len(text):
        if text[place] == "/":
            found.append("")
            place += 1
            continue
        _, end = _one_character(text, place)
        found[-1] += text[place:end]
        place = end
    return found


def _segment(text: str) -> str:
    """Translate the pattern of one name. A star matches as little as possible, without backtracking."""
    parts = [""]
    place = 0
    while place < len(text):
        if text[place] == "*":
            parts += [""] if parts[-1] or len(parts) == 1 else []
            place += 1
            continue
        expression, place = _one_character(text, place)
        parts[-1] += expression
    first, *others = parts
    if not others:
        return f"(?>{first}{END})"
    *middle, last = others
    stars = "".join(f"(?>[^/]*?{part})" for part in middle)
    return f"(?>(?=[^/]){first}{stars}[^/]*{last}{END})"


def _one_character(text: str, place: int) -> tuple[str, int]:
    """Return the expression for one character of a pattern, and the position of the next."""
    if text[place] == "\\":
        return re.escape(text[place + 1]), place + 2
    if text[place] == "?":
        return "[^/]", place + 1
    if text[place] == "[":
        return _character_class(text, place + 1)
    return re.escape(text[place]), place + 1


def _character_class(text: str, place: int) -> tuple[str, int]:
    """Translate a character class, from after its opening bracket; ValueError if it does not end."""
    negated = text[place : place + 1] in ("!", "^")
    place += negated
    items, start = "", place
    while place < len(text) and (text[place] != "]" or place == start):
        item, place = _class_item(text, place)
        items += item
    if place >= len(text):
        raise ValueError("the class does not end")
    if negated:
        return f"[^/{items}]", place + 1
    return (f"(?!/)[{items}]" if items else NOTHING), place + 1


def _class_item(text: str, place: int) -> tuple[str, int]:
    """Translate a named class, a range or a character inside brackets; a reversed range is empty."""
    if named := _NAMED_CLASS.match(text, place):
        if named[1] not in _CLASSES:
            raise ValueError("there is no such class")
        return _CLASSES[named[1]], named.end()
    low, place = _literal(text, place)
    if text[place : place + 1] != "-" or text[place + 1 : place + 2] in ("", "]"):
        return re.escape(low), place
    high, place = _literal(text, place + 1)
    return (f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""), place


def _literal(text: str, place: int) -> tuple[str, int]:
    place += text[place] == "\\"
    if place >= len(text):
        raise ValueError("the class does not end")
    return text[place], place + 1
